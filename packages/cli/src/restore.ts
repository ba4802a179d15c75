import { did, forSigning, YES } from './people/options.js'
import { changeState } from './people/states.js'

export const command = (finish: (code: number) => void) =>
  forSigning('restore', 'tidegate restore did:op:0c46… --keystore wallet.json')
    .description('Gives access to an asset of the account again, after it was revoked or retired.')
    .argument('<did>', 'the asset', did)
    .option(...YES)
    .action(async (did, options) =>
      finish(
        await changeState(did, options, {
          state: 'active',
          question: (name) => `Give access to "${name}" again?`,
          done: `${did} is active: it can be bought and downloaded.`,
        }),
      ),
    )
