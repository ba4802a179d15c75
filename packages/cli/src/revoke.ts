import { did, forSigning, YES } from './people/options.js'
import { changeState } from './people/states.js'

export const command = (finish: (code: number) => void) =>
  forSigning('revoke', 'tidegate revoke did:op:0c46… --keystore wallet.json')
    .description('Ends the access to an asset of the account until it is restored, also for buyers who have paid.')
    .argument('<did>', 'the asset', did)
    .option('--retire', 'set the state retired instead of revoked')
    .option(...YES)
    .action(async (did, { retire, ...options }) =>
      finish(
        await changeState(did, options, {
          state: retire ? 'retired' : 'revoked',
          question: (name) => `End the access to "${name}", also for buyers who have paid?`,
          done: (did) => `${did} is ${retire ? 'retired' : 'revoked'}: nobody can download it until it is restored.`,
        }),
      ),
    )
