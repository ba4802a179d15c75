import type { Tidegate } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { useKeptSessions } from '../credentials/kept-sessions.js'
import type { Session } from '../session.js'

/** Returns the refusal of a call that needs credentials: only a person can present them. */
export const credentialsNeeded = (did: string) =>
  new CommandError(
    'POLICY_DENIED',
    `The publisher asks for credentials, which only the user can present: the user runs \`tidegate buy ${did}\` with this account, which asks before it pays. Then try again.`,
  )

/** Runs a call with the sessions that the user has kept. Throws CommandError `POLICY_DENIED` if credentials are to be presented. */
export type WithSessions = <T>(did: string, call: () => Promise<T>) => Promise<T>

export function withKeptSessions(session: Session): WithSessions {
  return async (did, call) => {
    // a command of the user may have kept one meanwhile
    useKeptSessions(session)
    return call().catch((error) => {
      throw error.code === 'POLICY_DENIED' ? credentialsNeeded(did) : error
    })
  }
}

/** Returns a client whose quotes, links and purchases use the sessions that the user has kept. */
export function clientWithSessions(client: Tidegate, run: WithSessions): Tidegate {
  return {
    ...client,
    quote: (did, options) => run(did, () => client.quote(did, options)),
    link: (did, options) => run(did, () => client.link(did, options)),
  }
}
