import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Tidegate } from '@tidegate/client'
import { foundJson, foundLines } from './people/found.js'
import { address, type Cap, cap, collected, forReading } from './people/options.js'
import { withVerified } from './people/sellers.js'
import { inSession, type PeopleOptions } from './people/session.js'

const ORDERS = ['relevance', 'newest', 'oldest', 'name', 'orders', 'price'] as const

export const command = (finish: (code: number) => void) =>
  forReading('search', 'tidegate search tide tables --tag harbour --free')
    .description('Searches the assets of the provider, the best matches first; without words it lists the newest.')
    .argument('[words...]', 'words in name, description, author and tags')
    .option('--tag <tag>', 'only assets with this tag; may be repeated', collected)
    .option('--owner <address>', 'only assets of this account', address)
    .option('--type <type>', 'only assets of this type, such as dataset or algorithm')
    .option('--license <name>', 'only assets with this licence, as their publisher wrote it')
    .option('--format <ending>', 'only assets with files of this format, such as csv, as their publisher tells')
    .option('--free', 'only free assets')
    .option('--most <amount:token>', 'only assets for at most so much of a token, such as 5:OCEAN, without fees', cap)
    .addOption(new Option('--sort <order>', 'order of the result').choices(ORDERS))
    .option('--page <n>', 'page of the result, from 1', page, 1)
    .action(async (words, options) => finish(await search(words, options)))

interface SearchOptions extends PeopleOptions {
  tag?: string[]
  owner?: `0x${string}`
  type?: string
  license?: string
  format?: string
  free?: true
  most?: Cap
  sort?: (typeof ORDERS)[number]
  page: number
}

/** `tidegate search`. Returns the exit code. Throws CommandError, TidegateError. */
export async function search(words: string[], { tag: tags, most, page, ...options }: SearchOptions) {
  const { owner, type, license, free, sort } = options
  const format = options.format?.toLowerCase().replace(/^\./, '')
  return inSession(options, 'reader', async ({ client, out, signal }) => {
    const text = words.join(' ').trim() || undefined
    const price = most && (await within(client, most))
    const search = client.search({ text, tags, owner, type, license, format, free, price, sort, page, signal })
    const [found, names] = await withVerified(client, signal, search)
    out.print(...foundLines(found, names, 'nothing was found.'))
    out.result(foundJson(found, names))
  })
}

/** Returns the limit of a price. A symbol is one of the list of the provider's first chain. */
async function within({ context }: Tidegate, { amount, token = 'OCEAN' }: Cap) {
  const { tokenNamed } = await import('@tidegate/client')
  const { chainIds } = await context.api.get<{ chainIds?: unknown[] }>('/')
  return { token: await tokenNamed(context, Number(chainIds?.[0]), token), most: amount }
}

function page(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a page, counted from 1.')
  return Number(text)
}
