import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { eventually } from './eventually.js'
import { listeningServer } from './http-server.js'

/** Requests that are sent and abandoned. */
export const ABANDONED = 20

/**
 * Sends requests that are abandoned while the server is silent, or after the beginning of a body (`begun`). Returns the
 * connections that the server got for them. `send` must end with the signal.
 */
export async function connectionsOfAbandoned(
  send: (origin: string, signal: AbortSignal) => Promise<unknown>,
  { begun = false } = {},
): Promise<number> {
  const server = await listeningServer()
  const { port } = server.address() as AddressInfo
  const open = new Set<Socket>()
  let connections = 0
  let requests = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', (_request, response) => {
    requests += 1
    if (begun) response.writeHead(200, { 'content-length': 1000 }).write('begun')
  })
  const consumers = Array.from({ length: ABANDONED }, () => new AbortController())
  const sent = consumers.map(({ signal }) => send(`http://127.0.0.1:${port}`, signal))
  await eventually(() => requests === ABANDONED)
  const first = [...open]
  for (const consumer of consumers) consumer.abort()
  await Promise.allSettled(sent)
  await eventually(() => first.every((socket) => socket.destroyed))
  // a server accepts connections in their order: those that were opened again come before this one
  const probe = connect(port, '127.0.0.1')
  await once(probe, 'connect')
  await eventually(() => [...open].some(({ remotePort }) => remotePort === probe.localPort))
  const last = connections
  probe.destroy()
  server.close()
  server.closeAllConnections()
  return last - 1
}
