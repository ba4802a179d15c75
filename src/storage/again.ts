import { RESET } from './upstream-socket.js'

/** Milliseconds before a question whose connection was closed is asked again. */
const PAUSES = [0, 50]

/**
 * Asks again where the connection was closed before there was an answer: storages end idle connections in the very
 * moment in which they are used again, and where there are several, all of them together.
 */
export async function askAgain<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await ask()
    } catch (error) {
      if (!wasClosed(error) || signal.aborted) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return ask()
}

/** Whether a connection that had served earlier requests was closed, or any was reset, without an answer. */
function wasClosed(error: unknown): boolean {
  const { code, socket } = error as { code?: string; socket?: { bytesRead?: number } }
  return (
    code === RESET ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    (code === 'UND_ERR_SOCKET' && (socket?.bytesRead ?? 0) > 0)
  )
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

/** Whether a storage failed by letting wait. */
export function isTimeout(error: unknown): boolean {
  const code = (error as { code?: string }).code
  return code !== undefined && TIMEOUTS.has(code)
}
