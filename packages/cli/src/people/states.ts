import { agreed } from './agreement.js'
import { indexed } from './indexed.js'
import { shown } from './output/text.js'
import { inSession, type PeopleOptions, type WalletSession } from './session.js'

export interface StateOptions extends PeopleOptions {
  yes?: true
}

/** The states that commands set, by their numbers on the chain. */
const NUMBERS = { active: 0, retired: 1, revoked: 3, unlisted: 5 }

interface Change {
  state: 'active' | 'revoked' | 'retired'
  /** Returns the question on a terminal, with the asset's name. */
  question: (name: string) => string
  /** Returns the line after success. */
  done: (did: string) => string
  /** Returns the asset of a command without one. Throws CommandError. */
  choose?: (session: WalletSession) => Promise<string>
}

/** Changes the state of an asset of the account. Returns the exit code. Throws CommandError, TidegateError. */
export async function changeState(
  given: string | undefined,
  { yes, ...options }: StateOptions,
  { state, question, done, choose }: Change,
): Promise<number> {
  return inSession(options, 'wallet', async (session) => {
    const { client, out, signal } = session
    const did = given ?? ((await choose?.(session)) as string)
    const message = yes ? '' : question(shown((await client.asset(did, { signal })).name))
    await agreed({ yes, message, otherwise: 'nothing was changed' })
    const { transactions } = await client.setState(did, state, { onStep: out.step })
    for (const transaction of transactions) out.note(`mined: ${transaction}`)
    if (transactions.length > 0) await showsState(session, did, state)
    out.print(done(did))
    out.result({ did, state, transactions })
  })
}

/** Waits until the provider's index shows a state. */
export function showsState(session: WalletSession, did: string, state: keyof typeof NUMBERS): Promise<void> {
  const isShown = ({ nft }: { nft?: { state?: number } }) => nft?.state === NUMBERS[state]
  return indexed(session, did, { done: 'it is changed', isShown })
}
