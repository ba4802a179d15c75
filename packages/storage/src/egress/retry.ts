import { RESET } from './upstream-socket.js'

/** Milliseconds before each retry of a request whose connection was closed. */
const BACKOFFS = [0, 50]

/**
 * Retries if the connection was closed before a response: a storage may close an idle keep-alive connection just
 * when it is reused, and if there are several, all of them concurrently. Rejects with the last error.
 */
export async function retryOnReset<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const backoff of BACKOFFS) {
    try {
      return await send()
    } catch (error) {
      if (!wasClosed(error) || signal.aborted) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, backoff))
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
