import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { isForeignPage, type LocalOnly } from '@tidegate/common'
import { listenProblem } from '@tidegate/provider'

/** A proxy of the node. */
export interface NodeGuard {
  rpcUrl: string
  close(): Promise<void>
}

const REFUSAL = JSON.stringify({ error: 'This node answers only this machine and its pages.', code: 'FOREIGN_PAGE' })

/**
 * Forwards requests to a local node, except those of foreign pages. The node itself checks neither the Host nor the
 * Origin of a WebSocket, to which CORS does not apply. Its RPC can read any URL, and quotes the content in an error.
 */
export async function guardNode(nodeUrl: string, port: number, local: LocalOnly): Promise<NodeGuard> {
  const { hostname, port: nodePort } = new URL(nodeUrl)
  const node = { host: hostname, port: Number(nodePort) }
  const agent = new Agent({ keepAlive: true })
  const tunnels = new Set<Socket>()
  const server = createServer((asked, reply) => {
    if (isForeignPage(asked, local)) {
      reply.writeHead(403, { 'content-type': 'application/json', connection: 'close' }).end(REFUSAL)
      return
    }
    const { method, url, rawHeaders } = asked
    const passed = request({ ...node, agent, method, path: url, headers: rawHeaders })
    passed.on('response', (answer) => {
      reply.writeHead(answer.statusCode as number, answer.rawHeaders)
      answer.on('error', () => reply.destroy()).pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    reply.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  server.on('upgrade', (asked: IncomingMessage, socket: Socket, head: Buffer) => {
    if (isForeignPage(asked, local)) return void socket.destroy()
    const tunnel = connect(node)
    tunnels.add(socket)
    socket
      .on('error', () => tunnel.destroy())
      .on('close', () => {
        tunnels.delete(socket)
        tunnel.destroy()
      })
    tunnel.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    tunnel.write(headOf(asked))
    tunnel.write(head)
    socket.pipe(tunnel).pipe(socket)
  })
  // a mining node may take any time
  server.requestTimeout = 0
  const host = '127.0.0.1'
  await once(server.listen(port, host), 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new Error(listenProblem(['host of the chain', '--rpc-port'], { host, port }, error))
  })
  return {
    rpcUrl: `http://${host}:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of tunnels) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

/** Returns request line and headers of a request. */
function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
