import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

/**
 * Starts a server at a free port. It ends no idle connection: a request may come over one just as it ends, on a busy machine after
 * any time.
 */
export async function listeningServer(): Promise<Server> {
  const server = createServer()
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
