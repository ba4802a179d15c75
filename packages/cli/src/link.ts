import { Option } from '@commander-js/extra-typings'
import { timeText } from './people/amounts.js'
import { did, forSigning, SERVICE, whole } from './people/options.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('link', 'tidegate link did:op:0c46… --account 2')
    .description(
      'Creates a link to a file, or all files, that the account has bought. Until it expires, anyone who has it can download the file.',
    )
    .argument('<did>', 'the asset', did)
    .option(...SERVICE)
    .addOption(new Option('--file <n>', 'number of the file, from 0 (default: 0)').argParser(whole))
    .addOption(new Option('--archive', 'all files, as one ZIP archive').conflicts('file'))
    .action(async (did, options) => finish(await link(did, options)))

interface LinkOptions extends PeopleOptions {
  service?: string
  file?: number
  archive?: true
}

/** `tidegate link`. Returns the exit code. Throws CommandError, TidegateError. */
export async function link(did: string, { service, file, archive, ...options }: LinkOptions): Promise<number> {
  return inSession(options, 'wallet', async ({ client, out, signal }) => {
    const { url, expires } = await client.link(did, { service, file, archive, signal })
    out.note(`valid until ${timeText(expires)}`)
    out.print(url)
    out.result({ did, ...(archive ? { archive } : { file: file ?? 0 }), url, expires })
  })
}
