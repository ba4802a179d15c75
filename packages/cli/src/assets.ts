import { misuse } from '@tidegate/provider/commands/failures'
import { foundJson, foundLines } from './people/found.js'
import { address, forSigning, whole } from './people/options.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('assets', 'tidegate assets --keystore wallet.json')
    .description('Lists what an account has published, the newest first.')
    .argument('[address]', 'the account (default: that of --keystore or --account)', address)
    .option('--page <n>', 'page of the list, from 1', whole, 1)
    .action(async (of, options) => finish(await assets(of, options)))

/** `tidegate assets`. Returns the exit code. Throws CommandError, TidegateError. */
export async function assets(of: `0x${string}` | undefined, { page, ...options }: PeopleOptions & { page: number }) {
  return inSession(options, 'reader', async ({ client, out, address: own, signal }) => {
    const owner = of ?? own
    if (!owner) throw misuse('no account is named: give an address, --keystore FILE or --account N.')
    const found = await client.search({ owner, page, sort: 'newest', signal })
    out.print(...foundLines(found, `${owner} has published nothing here.`))
    out.result({ address: owner, ...foundJson(found) })
  })
}
