import { misuse } from '@tidegate/provider/commands/failures'
import { did, forSigning, YES } from './people/options.js'
import { choose, isInteractive } from './people/output/prompts.js'
import { shown } from './people/output/text.js'
import type { WalletSession } from './people/session.js'
import { changeState } from './people/states.js'

export const command = (finish: (code: number) => void) =>
  forSigning('restore', 'tidegate restore did:op:0c46… --keystore wallet.json')
    .description('Puts an asset of the account on sale again that is revoked, retired or unlisted.')
    .argument('[did]', 'the asset (default: choose one of those that are not active)', did)
    .option(...YES)
    .action(async (did, options) =>
      finish(
        await changeState(did, options, {
          state: 'active',
          question: (name) => `Give access to "${name}" again, and show it in searches?`,
          done: (did) => `${did} is active: it can be found, bought and downloaded.`,
          choose: chosen,
        }),
      ),
    )

/** Lets the user choose an asset that is not active. Throws CommandError. */
async function chosen({ client, address, signal }: WalletSession): Promise<string> {
  if (!isInteractive()) throw misuse('name the asset: `tidegate assets` lists them with their states.')
  const { assets } = await client.published(address, { signal })
  const others = assets.filter(({ state }) => state !== 'active')
  if (others.length === 0) throw misuse(`all assets of ${address} are active.`)
  const options = others.map(({ did, name, state }) => ({
    value: did,
    label: shown(name, 100),
    hint: `${state}, ${did}`,
  }))
  return choose('Which asset?', options)
}
