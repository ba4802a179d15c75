import type { Socket } from 'node:net'
import { buildConnector } from 'undici'

/**
 * Returns a connector of undici whose connections end with a request that is aborted. Undici would connect again for that request,
 * and keep a connection that nothing uses (nodejs/undici#5845).
 */
export function connector(options: buildConnector.BuildOptions = {}): buildConnector.connector {
  const connect = buildConnector(options)
  // it returns the socket while it connects
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error) callback(error, null)
      else callback(null, socket.on('error', endRequest))
    })
}

/** Runs before undici's listener, which puts requests back into its queue by this code. */
function endRequest(this: Socket, error: NodeJS.ErrnoException): void {
  if (error.code === 'UND_ERR_INFO' && error.message === 'aborted') error.code = 'UND_ERR_ABORTED'
}
