import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Asking, FileObject, PublishRequest } from '@tidegate/client'
import { CommandError, EXIT, misuse } from '@tidegate/provider/commands/failures'
import type { Hex } from 'viem'
import { secondsText } from './people/amounts.js'
import { address, addresses, collected, duration, forSigning, hash, YES } from './people/options.js'
import { confirm, interrupted, isInteractive } from './people/prompts.js'
import { inSession, type PeopleOptions, type WalletSession } from './people/session.js'
import { type Source, sourcesOf, sourceText } from './people/sources.js'
import { shown } from './people/text.js'
import { Uploads } from './people/uploads.js'

export const command = (finish: (code: number) => void) =>
  forSigning('publish', 'tidegate publish https://example.org/tides.csv --name "Tide tables" --price 5 --timeout 30d')
    .description(
      'Publishes files as an asset that others can buy, or have for nothing. Files of this machine are uploaded to the provider; others stay where they are, and where that is, is encrypted.',
    )
    .argument('[source...]', 'the files: http(s) URL, ipfs://CID, ar://TX, s3://BUCKET/KEY, or a path to upload')
    .requiredOption('--name <name>', 'what it is called')
    .option('--descriptor <file>', 'a JSON file with a storage object, or a list of them; may be repeated', collected)
    .option('--description <text>', 'what it is')
    .option('--author <name>', 'who made it')
    .option('--license <name>', 'what may be done with it: an SPDX name or a URL')
    .option('--tag <tag>', 'a word to be found by; may be repeated', collected)
    .addOption(new Option('--price <amount[:token]>', 'price of an order, in OCEAN or another token').argParser(price))
    .addOption(new Option('--free', 'for nothing, but for the gas').conflicts('price'))
    .option('--timeout <time>', 'how long an order is valid: 12h, 30d, 1y (default: forever)', duration)
    .option('--allow <address>', 'an account that may buy, and no other; may be repeated', addresses)
    .option('--service-name <name>', 'what the service is called')
    .option('--resume <tx>', 'continue after the first of the two transactions, which an earlier run has sent', hash)
    .option(...YES)
    .action(async (sources, options) => finish(await publish(sources, options)))

interface PublishOptions extends PeopleOptions {
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
  serviceName?: string
  resume?: Hex
  yes?: true
}

/** `tidegate publish`. Returns the exit code. Throws CommandError, TidegateError. */
export async function publish(given: string[], options: PublishOptions): Promise<number> {
  const sources = sourcesOf(given, options.descriptor ?? [])
  if (sources.length === 0)
    throw misuse('name a file to publish: a URL, ipfs://CID, ar://TX, s3://BUCKET/KEY, or --descriptor FILE.')
  if (!options.free && !options.price) throw misuse('say what it costs: --price 5, --price 5:0xTOKEN, or --free.')
  return inSession(options, 'wallet', async (session) => {
    const { client, out, signal } = session
    const terms = termsOf(options)
    if (!options.yes && isInteractive()) await reviewed(session, terms, sources)
    signal.throwIfAborted()
    const uploads = new Uploads(session)
    const files: FileObject[] = []
    for (const source of sources) files.push('object' in source ? source.object : await uploads.add(source.path))
    const published = await client.publish({ ...terms, files, onStep: out.step }).catch((error) => {
      throw resumable(error)
    })
    uploads.forget()
    for (const transaction of published.transactions) out.note(`mined: ${transaction}`)
    await known(session, published.did)
    out.print(published.did)
    const { did, nft, datatoken, services, transactions } = published
    out.result({ did, nft, datatoken, services, transactions })
  })
}

type Terms = Omit<PublishRequest, 'files'>

function termsOf(options: PublishOptions): Terms {
  const { name, description, author, license, tag: tags, serviceName, allow: access, timeout = 0, resume } = options
  const price = options.price ?? 'free'
  const optional = { description, author, license, tags, serviceName, access, resume }
  const told = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return { ...told, name, price, timeout }
}

/** Milliseconds to wait until the provider has read the chain, and between two looks. */
const READ_WITHIN = 60_000
const LOOK_EVERY = 250

/** Waits until the provider knows the asset, so that what follows finds it. Published it is in any case. */
async function known({ client, out, signal }: WalletSession, did: string): Promise<void> {
  const path = `/api/aquarius/assets/ddo/${did}`
  const isRead = () =>
    client.context.api.get(path, {}, signal).then(
      () => true,
      () => false,
    )
  for (const deadline = Date.now() + READ_WITHIN; Date.now() < deadline; await sleep(LOOK_EVERY)) {
    if (await isRead()) return
    if (signal.aborted) throw interrupted(`interrupted; it is published: ${did}`)
  }
  out.note('The asset is published; the provider has yet to read it from the chain.')
}

/** Adds to an error after the first transaction how to continue without paying for that again. */
function resumable(error: Error & { transactions?: readonly string[] }): Error {
  const [first] = error.transactions ?? []
  if (first === undefined) return error
  const { code = 'FAILED' } = error as NodeJS.ErrnoException
  const message = `${error.message} Repeat the command with --resume ${first} to continue from there.`
  return new CommandError(code, message, EXIT.failed, error.transactions)
}

/** Shows what will be published, and asks. Throws CommandError. */
async function reviewed({ out, address }: WalletSession, terms: Terms, sources: Source[]): Promise<void> {
  const { name, description, author, license, tags, price, timeout = 0, access } = terms
  const facts: [string, string | undefined][] = [
    ['Name', name],
    ['About', description],
    ['Author', author],
    ['Licence', license],
    ['Tags', tags?.join(', ')],
    ['Price', price === 'free' ? 'free' : `${price.amount} ${price.token ? `of token ${price.token}` : 'OCEAN'}`],
    ['An order', timeout === 0 ? 'is valid for ever' : `is valid for ${secondsText(timeout)}`],
    ['May buy', access ? access.join(', ') : 'everybody'],
    ...sources.map((source, at): [string, string] => [`File ${at}`, sourceText(source)]),
    ['Account', address],
  ]
  out.note(...facts.flatMap(([label, value]) => (value ? [`  ${label.padEnd(10)} ${shown(value)}`] : [])))
  if (await confirm('Publish it? Two transactions, whose gas the account pays.')) return
  throw new CommandError('NOT_CONFIRMED', 'not published.', EXIT.notConfirmed)
}

/** Parses an amount with the token it is in. Throws InvalidArgumentError. */
export function price(text: string): Exclude<Asking, 'free'> {
  const [amount = '', token, ...rest] = text.split(':')
  if (!/^\d{1,30}(\.\d{1,18})?$/.test(amount) || rest.length > 0)
    throw new InvalidArgumentError('It must be an amount such as 5 or 0.25, with :0xTOKEN where it is not in OCEAN.')
  if (!/[1-9]/.test(amount)) throw new InvalidArgumentError('What costs nothing is published with --free.')
  return { amount, ...(token === undefined ? {} : { token: address(token) }) }
}
