import { CommandError, EXIT } from '@tidegate/provider/commands/failures'
import { confirm, isInteractive } from './prompts.js'
import { inSession, type PeopleOptions } from './session.js'
import { shown } from './text.js'

export interface StateOptions extends PeopleOptions {
  yes?: true
}

interface Change {
  state: 'active' | 'revoked' | 'retired'
  /** Returns the question on a terminal, with the asset's name. */
  question: (name: string) => string
  /** The line after success. */
  done: string
}

/** Changes the state of an asset of the account. Returns the exit code. Throws CommandError, TidegateError. */
export async function changeState(did: string, { yes, ...options }: StateOptions, change: Change): Promise<number> {
  return inSession(options, 'wallet', async ({ client, out, signal }) => {
    if (!yes && isInteractive()) {
      const { name } = await client.asset(did, { signal })
      if (!(await confirm(change.question(shown(name)))))
        throw new CommandError('NOT_CONFIRMED', 'nothing was changed.', EXIT.notConfirmed)
    }
    const { transactions } = await client.setState(did, change.state, { onStep: out.step })
    for (const transaction of transactions) out.note(`mined: ${transaction}`)
    out.print(change.done)
    out.result({ did, state: change.state, transactions })
  })
}
