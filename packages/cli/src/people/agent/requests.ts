import type { Context } from '@tidegate/client'
import { Semaphore } from '@tidegate/common'
import { CommandError } from '@tidegate/provider/commands/failures'

/** Most requests at once: a hostile provider answers each with 16 MiB. */
const AT_ONCE = 8
/** Most requests that wait. */
const WAITING = 1_000

/** Bounds the concurrent requests of a session: an agent may call any number of tools at once. */
export function boundRequests({ api }: Pick<Context, 'api'>): void {
  const full = () => new CommandError('TOO_MANY_CALLS', 'Too many calls at once. Try again later.')
  const permits = new Semaphore(AT_ONCE, WAITING, { full, closed: full })
  const { get, post } = api
  const bounded = async <T>(signal: AbortSignal | undefined, request: () => Promise<T>): Promise<T> => {
    await permits.acquire({ signal })
    try {
      return await request()
    } finally {
      permits.release()
    }
  }
  api.get = (path, query, signal) => bounded(signal, () => get(path, query, signal))
  api.post = (path, body, signal, headers) => bounded(signal, () => post(path, body, signal, headers))
}
