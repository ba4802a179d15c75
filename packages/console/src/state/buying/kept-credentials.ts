import { type Context, useSession } from '@tidegate/client'
import { keep, kept } from '../kept.js'

const NAME = 'credentials'
/** Most sessions that are kept, the newest last. */
const MOST = 100

/** A session in which an account has presented credentials for a service. */
type Kept = [account: string, did: string, service: string, session: string]

const read = (): Kept[] => {
  const isKept = (one: unknown) =>
    Array.isArray(one) && one.length === 4 && one.every((text) => typeof text === 'string')
  return kept(NAME, (value) => (value as unknown[]).filter(isKept) as Kept[], [])
}

/** Lets a context use the sessions that its account has kept. */
export function useKeptCredentials(context: Context, account: string): void {
  for (const [owner, did, service, session] of read()) if (owner === account) useSession(context, did, service, session)
}

/** Keeps a session for later visits of its account; undefined forgets it. */
export function keepCredentials(account: string, did: string, service: string, session: string | undefined): void {
  const others = read().filter((one) => one[0] !== account || one[1] !== did || one[2] !== service)
  const own: Kept[] = session === undefined ? [] : [[account, did, service, session]]
  keep(NAME, [...others, ...own].slice(-MOST))
}
