import { InvalidArgumentError } from '@commander-js/extra-typings'
import { foundJson, foundLines } from './people/found.js'
import { address, collected, forReading } from './people/options.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forReading('search', 'tidegate search tide tables --tag harbour --free')
    .description('Searches the assets of the provider, the best matches first; without words it lists the newest.')
    .argument('[words...]', 'words in name, description, author and tags')
    .option('--tag <tag>', 'only assets with this tag; may be repeated', collected)
    .option('--owner <address>', 'only assets of this account', address)
    .option('--type <type>', 'only assets of this type, such as dataset or algorithm')
    .option('--free', 'only free assets')
    .option('--page <n>', 'page of the result, from 1', page, 1)
    .action(async (words, options) => finish(await search(words, options)))

interface SearchOptions extends PeopleOptions {
  tag?: string[]
  owner?: `0x${string}`
  type?: string
  free?: true
  page: number
}

/** `tidegate search`. Returns the exit code. Throws CommandError, TidegateError. */
export async function search(words: string[], { tag: tags, owner, type, free, page, ...options }: SearchOptions) {
  return inSession(options, 'reader', async ({ client, out, signal }) => {
    const text = words.join(' ').trim() || undefined
    const found = await client.search({ text, tags, owner, type, free, page, signal })
    out.print(...foundLines(found, 'nothing was found.'))
    out.result(foundJson(found))
  })
}

function page(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a page, counted from 1.')
  return Number(text)
}
