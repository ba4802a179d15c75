import { misuse } from '@tidegate/provider/commands/failures'
import { foundJson, foundLines } from './people/found.js'
import { address, forSigning, whole } from './people/options.js'
import { withVerified } from './people/sellers.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('assets', 'tidegate assets --keystore wallet.json')
    .description('Lists what an account has published, in every state, the newest first.')
    .argument('[address]', 'the account (default: that of --keystore or --account)', address)
    .option('--page <n>', 'page of the list, from 1', whole, 1)
    .action(async (of, options) => finish(await assets(of, options)))

/** Assets of one page. */
const PAGE = 20

/** `tidegate assets`. Returns the exit code. Throws CommandError, TidegateError. */
export async function assets(of: `0x${string}` | undefined, { page, ...options }: PeopleOptions & { page: number }) {
  if (page < 1) throw misuse('--page: pages are counted from 1.')
  return inSession(options, 'reader', async ({ client, out, address: own, signal }) => {
    const owner = of ?? own
    if (!owner) throw misuse('no account is named: give an address, --keystore FILE or --account N.')
    const published = client.published(owner, { signal })
    const [{ assets, atLeast, incomplete }, names] = await withVerified(client, signal, published)
    if (incomplete) out.note('This provider does not list assets that are revoked or retired.')
    const end = page * PAGE
    const total = assets.length
    const found = { assets: assets.slice(end - PAGE, end), page, total, atLeast, more: end < total }
    out.print(...foundLines(found, names, `${owner} has published nothing here.`))
    out.result({ address: owner, ...foundJson(found, names), incomplete })
  })
}
