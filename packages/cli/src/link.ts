import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { AssetFile, FileLink } from '@tidegate/client'
import { DistinctPaths } from '@tidegate/protocol/distinct-paths'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { timeText } from './people/amounts.js'
import { fileOf, serviceOf } from './people/assets.js'
import { withCredentials } from './people/credentials/presentation.js'
import { did, duration, forSigning, SERVICE, type WhichFile, whichFile } from './people/options.js'
import { LINK_FORMATS, type LinkFormat, type LinkFormatName } from './people/output/link-formats.js'
import { inSession, type PeopleOptions, type WalletSession } from './people/session.js'

const NAMES = Object.keys(LINK_FORMATS) as LinkFormatName[]

export const command = (finish: (code: number) => void) =>
  forSigning('link', 'tidegate link did:op:0c46… --all --format aria2 --for 7d --account 2 > links.txt')
    .description(
      'Creates links to the files that the account has bought. Until a link expires, anyone who has it can download the file.',
    )
    .argument('<did>', 'the asset', did)
    .option(...SERVICE)
    .addOption(
      new Option('--file <n|name>', 'a file, by its number from 0 or its name (default: 0)').argParser(whichFile),
    )
    .addOption(new Option('--archive', 'all files, as one ZIP archive').conflicts('file'))
    .addOption(new Option('--all', 'a link to each file').conflicts(['file', 'archive']))
    .addOption(new Option('--format <name>', 'input for a download program: urls, or a file for it').choices(NAMES))
    .option('--for <time>', "lifetime such as 12h or 7d, at most the provider's maximum", lifetime)
    .action(async (did, options) => finish(await link(did, options)))

interface LinkOptions extends PeopleOptions {
  service?: string
  file?: WhichFile
  archive?: true
  all?: true
  format?: LinkFormatName
  for?: number
}

/** `tidegate link`. Returns the exit code. Throws CommandError, TidegateError. */
export async function link(did: string, options: LinkOptions): Promise<number> {
  const { service, file, archive, all, format, for: lifetime } = options
  if (archive && format !== undefined && format !== 'urls') throw misuse('--archive has one link: use --format urls.')
  return inSession(options, 'wallet', async (session) => {
    if (all || (format ?? 'urls') !== 'urls') return linkAll(session, did, options)
    const { client, out, signal } = session
    const number =
      typeof file === 'string' ? fileOf(serviceOf(await client.asset(did, { signal }), service), file) : file
    const linked = () => client.link(did, { service, file: number, archive, lifetime, signal })
    const { url, expires } = await withCredentials(session, { did, service }, linked)
    out.note(`valid until ${timeText(expires)}`)
    out.print(url)
    out.result({ did, ...(archive ? { archive } : { file: number ?? 0 }), url, expires })
  })
}

/** Prints links to several files, each as soon as those before it are there. */
async function linkAll(session: WalletSession, did: string, options: LinkOptions): Promise<void> {
  const { client, out, signal } = session
  const { all, file = 0, format = 'urls', for: lifetime } = options
  const chosen = serviceOf(await client.asset(did, { signal }), options.service)
  const { id: service, files } = chosen
  const { begin, entry, usage }: LinkFormat = LINK_FORMATS[format]
  const pathOf = await pathsOf(files)
  const links: (FileLink & { path: string })[] = []
  const wanted = all ? files.map(({ index }) => index) : [fileOf(chosen, file)]
  if (wanted.length === 0)
    throw new CommandError('FILE_UNAVAILABLE', 'the provider lists no files now. Try again later.')
  if (begin !== '') out.print(begin)
  await withCredentials(session, { did, service }, async () => {
    const left = wanted.slice(links.length)
    for await (const link of client.links(did, { service, files: left, lifetime, signal })) {
      if (links.length === 0) out.note(`valid until ${timeText(link.expires)}`)
      const path = pathOf(link)
      out.print(entry({ url: link.url, path }))
      links.push({ ...link, path })
    }
  })
  if (usage) out.note(`save the output as a file, and run: ${usage}`)
  out.result({ did, links })
}

/** Returns the path of each file below the folder of a download: the publisher's, or the name in the link. */
async function pathsOf(files: readonly AssetFile[]): Promise<(link: FileLink) => string> {
  const { safePath } = await import('@tidegate/client/node')
  const names = new Map(files.map(({ index, name = '' }) => [index, safePath(name)]))
  const paths = new DistinctPaths()
  return ({ file, url }) => paths.pathOf(file, names.get(file) || safePath(lastPart(url)) || `file-${file}`)
}

/** Returns the last part of a URL, decoded; empty if it is malformed. */
function lastPart(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/').at(-1) as string)
  } catch {
    return ''
  }
}

function lifetime(text: string): number {
  const seconds = duration(text)
  if (seconds === 0) throw new InvalidArgumentError('It must be a time such as 12h or 7d.')
  return seconds
}
