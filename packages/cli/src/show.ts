import { assetJson, assetLines } from './people/assets.js'
import { did, forReading } from './people/options.js'
import { withVerified } from './people/sellers.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forReading('show', 'tidegate show did:op:0c46…')
    .description('Shows an asset: seller, description, licence, state, and services with price and files.')
    .argument('<did>', 'the asset', did)
    .action(async (did, options) => finish(await show(did, options)))

/** `tidegate show`. Returns the exit code. Throws CommandError, TidegateError. */
export async function show(did: string, options: PeopleOptions): Promise<number> {
  return inSession(options, 'reader', async ({ client, out, signal }) => {
    const [asset, names] = await withVerified(client, signal, client.asset(did, { signal }))
    out.print(...assetLines(asset, names))
    out.result(assetJson(asset, names))
  })
}
