import { setTimeout as sleep } from 'node:timers/promises'
import type { Cancellation } from '@tidegate/common'
import { RESET } from './upstream-socket.js'

/** Milliseconds before each retry of a request whose connection was closed. */
const BACKOFFS = [0, 50]

/**
 * Retries if the connection was closed before a response, since a storage may close idle keep-alive connections just as they
 * are reused. Rejects with the last error.
 */
export async function retryOnReset<T>(send: () => Promise<T>, signal: Cancellation): Promise<T> {
  for (const backoff of BACKOFFS) {
    try {
      return await send()
    } catch (error) {
      if (!wasClosed(error) || signal.aborted) throw error
    }
    await sleep(backoff)
  }
  return send()
}

/** Whether a reused connection was closed, or any connection was reset, before a response. */
function wasClosed(error: unknown): boolean {
  const { code, socket } = error as { code?: string; socket?: { bytesRead?: number } }
  return (
    code === RESET ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    (code === 'UND_ERR_SOCKET' && (socket?.bytesRead ?? 0) > 0)
  )
}
