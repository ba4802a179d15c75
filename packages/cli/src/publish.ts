import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Asking, PublishRequest } from '@tidegate/client'
import { CommandError, EXIT, misuse } from '@tidegate/provider/commands/failures'
import type { Hex } from 'viem'
import { agreed } from './people/agreement.js'
import { secondsText } from './people/amounts.js'
import {
  describedTerms,
  type PublicSource,
  sampleSources,
  sampleUrls,
  termsSource,
} from './people/files/public-files.js'
import { type Source, type SourceOptions, sourcesOf, sourceText } from './people/files/sources.js'
import { Uploads } from './people/files/uploads.js'
import { indexed } from './people/indexed.js'
import { addresses, collected, duration, forSigning, hash, token, YES } from './people/options.js'
import { shown } from './people/output/text.js'
import { inSession, type PeopleOptions, type WalletSession } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('publish', 'tidegate publish https://example.org/tides.csv --name "Tide tables" --price 5 --timeout 30d')
    .description(
      'Publishes files as an asset, free or for a price. Local files are uploaded to the provider; other files stay in their place, and their locations are encrypted.',
    )
    .argument(
      '[source...]',
      'the files: http(s) URL, ipfs://CID, ar://TX, s3://BUCKET/KEY, or a file or folder to upload',
    )
    .requiredOption('--name <name>', 'its name')
    .option('--descriptor <file>', 'a JSON file with a storage object, or a list of them; may be repeated', collected)
    .option('--hidden', 'take hidden files of folders too')
    .option('--anonymous-files', 'publish no names of files')
    .option('--description <text>', 'its description')
    .option('--author <name>', 'its author')
    .option('--license <name>', 'its licence: an SPDX identifier or a URL')
    .option('--tag <tag>', 'a tag for searches; may be repeated', collected)
    .addOption(new Option('--price <amount[:token]>', 'price of an order, in OCEAN or another token').argParser(price))
    .addOption(new Option('--free', 'an order costs nothing but gas').conflicts('price'))
    .option('--timeout <time>', 'how long an order is valid: 12h, 30d, 1y (default: forever)', duration)
    .option('--allow <address>', 'an account that may buy (default: everybody); may be repeated', addresses)
    .option('--allow-list <address>', 'an access list whose members may buy; may be repeated', addresses)
    .option('--service-name <name>', 'name of the service')
    .option('--terms <file|url>', 'terms that buyers must accept: a text, Markdown or PDF file to upload, or a URL')
    .option('--sample <file>', 'a file to upload that everybody may read; may be repeated', collected)
    .option('--unlisted', 'hide it from searches; it can be bought by its DID')
    .option('--resume <tx>', 'continue an earlier run after its first transaction', hash)
    .option(...YES)
    .action(async (sources, options) => finish(await publish(sources, options)))

interface PublishOptions extends PeopleOptions, SourceOptions {
  name: string
  descriptor?: string[]
  description?: string
  author?: string
  license?: string
  tag?: string[]
  price?: Exclude<Asking, 'free'>
  free?: true
  timeout?: number
  allow?: `0x${string}`[]
  allowList?: `0x${string}`[]
  serviceName?: string
  terms?: string
  sample?: string[]
  unlisted?: true
  resume?: Hex
  yes?: true
}

/** `tidegate publish`. Returns the exit code. Throws CommandError, TidegateError. */
export async function publish(given: string[], options: PublishOptions): Promise<number> {
  const sources = sourcesOf(given, options.descriptor ?? [], options)
  if (sources.length === 0)
    throw misuse('name a file to publish: a URL, ipfs://CID, ar://TX, s3://BUCKET/KEY, or --descriptor FILE.')
  if (!options.free && !options.price)
    throw misuse('the price is missing: use --price 5, --price 5:USDC, --price 5:0xTOKEN, or --free.')
  const terms = options.terms === undefined ? undefined : termsSource(options.terms)
  const samples = sampleSources(options.sample)
  return inSession(options, 'wallet', async (session) => {
    const { client, out, signal } = session
    const { symbol, ...described } = await describedBy(session, options)
    await reviewed(session, { described, sources, terms, samples, symbol, yes: options.yes })
    signal.throwIfAborted()
    const uploads = new Uploads(session)
    const open = {
      terms: terms && (await describedTerms(session, terms)),
      samples: await sampleUrls(session, samples),
    }
    const files = await uploads.objectsOf(sources)
    const published = await client.publish({ ...described, ...open, files, onStep: out.step }).catch((error) => {
      throw resumable(error)
    })
    uploads.forget()
    for (const transaction of published.transactions) out.note(`mined: ${transaction}`)
    await indexed(session, published.did, { done: 'it is published', isShown: () => true })
    out.print(published.did)
    const { did, nft, datatoken, services, transactions } = published
    out.result({ did, nft, datatoken, services, transactions })
  })
}

type Described = Omit<PublishRequest, 'files'>

/** Returns texts, price and buyers, and the symbol of the price's token. Throws TidegateError `UNKNOWN_TOKEN` before anything is uploaded. */
async function describedBy(
  { client }: WalletSession,
  options: PublishOptions,
): Promise<Described & { symbol?: string }> {
  const { name, description, author, license, tag: tags, serviceName, timeout = 0, unlisted, resume } = options
  const { allow: access, allowList: accessLists } = options
  const price = options.price ?? 'free'
  const optional = { description, author, license, tags, serviceName, access, accessLists, unlisted, resume }
  const told = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  if (price === 'free' || price.token === undefined || price.token.startsWith('0x'))
    return { ...told, name, price, timeout }
  const { tokenNamed } = await import('@tidegate/client')
  const chainId = (await client.context.wallet?.getChainId()) as number
  const token = await tokenNamed(client.context, chainId, price.token)
  return { ...told, name, price: { ...price, token }, timeout, symbol: price.token }
}

/** Adds the way to continue without another payment to an error after the first transaction. */
function resumable(error: Error & { transactions?: readonly string[] }): Error {
  const [first] = error.transactions ?? []
  if (first === undefined) return error
  const { code = 'FAILED' } = error as NodeJS.ErrnoException
  const message = `${error.message} Repeat the command with --resume ${first} to continue from there.`
  return new CommandError(code, message, EXIT.failed, error.transactions)
}

/** Most files that are shown before the question. */
const LISTED = 20

interface Review {
  described: Described
  sources: Source[]
  terms: ReturnType<typeof termsSource> | undefined
  samples: PublicSource[]
  symbol: string | undefined
  yes: true | undefined
}

/** Shows the asset to publish, and asks. Throws CommandError. */
async function reviewed(
  { out, address }: WalletSession,
  { described, sources, terms, samples, symbol, yes }: Review,
): Promise<void> {
  if (yes) return
  const {
    name,
    description,
    author,
    license,
    tags,
    price,
    timeout = 0,
    access = [],
    accessLists = [],
    unlisted,
  } = described
  const facts: [string, string | undefined][] = [
    ['Name', name],
    ['About', description],
    ['Author', author],
    ['Licence', license],
    ['Tags', tags?.join(', ')],
    ['Price', price === 'free' ? 'free' : `${price.amount} ${tokenText(price, symbol)}`],
    ['An order', timeout === 0 ? 'is valid forever' : `is valid for ${secondsText(timeout)}`],
    ['Searches', unlisted ? 'do not find it' : undefined],
    ['May buy', [...access, ...accessLists.map((list) => `members of ${list}`)].join(', ') || 'everybody'],
    ...sources.slice(0, LISTED).map((source, at): [string, string] => [`File ${at}`, sourceText(source)]),
    ['Terms', terms && ('url' in terms ? terms.url : `${terms.path}, which everybody can read`)],
    ...samples.map(({ path }): [string, string] => ['Sample', `${path}, which everybody can read`]),
    ['', sources.length > LISTED ? `and ${sources.length - LISTED} more files` : undefined],
    ['Account', address],
  ]
  out.note(...facts.flatMap(([label, value]) => (value ? [`  ${label.padEnd(10)} ${shown(value)}`] : [])))
  const message = 'Publish it in two transactions? The account pays their gas.'
  await agreed({ yes, message, otherwise: 'not published' })
}

const tokenText = ({ token }: Exclude<Asking, 'free'>, symbol = 'of') =>
  token === undefined ? 'OCEAN' : `${symbol} token ${token}`

/** Parses an amount with its token. Throws InvalidArgumentError. */
export function price(text: string): Exclude<Asking, 'free'> {
  const [amount = '', named, ...rest] = text.split(':')
  if (!/^\d{1,30}(\.\d{1,18})?$/.test(amount) || rest.length > 0)
    throw new InvalidArgumentError(
      'It must be an amount in OCEAN such as 5 or 0.25, or AMOUNT:TOKEN for another token.',
    )
  if (!/[1-9]/.test(amount)) throw new InvalidArgumentError('For a price of 0 use --free.')
  return { amount, ...(named === undefined ? {} : { token: token(named) }) }
}
