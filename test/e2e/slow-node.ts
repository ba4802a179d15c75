import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jsonBody } from '../helpers/storage-server.js'

/** The address of a contract whose calls stall: before the answer (0), in its middle (1), before its last byte (2). */
export const stallingContract = (at: number) => `0x${'0'.repeat(36)}dea${at}`

/** A proxy in front of a node that stalls on calls to `stallingContract`. */
export class SlowNode {
  /** Responses that are not complete. */
  readonly held = new Set<ServerResponse>()

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('request', async (request, response) => {
      const body = await jsonBody<{ id: number; method: string; params: [{ to?: string }] }>(request)
      const to = Array.isArray(body) ? undefined : body.params?.[0]?.to?.toLowerCase()
      const at = [0, 1, 2].find((one) => to === stallingContract(one))
      const headers = { 'content-type': 'application/json' }
      if (at === undefined || body.method !== 'eth_call') {
        const real = await fetch(this.target, { method: 'POST', headers, body: JSON.stringify(body) })
        return void response.writeHead(200, headers).end(await real.text())
      }
      this.held.add(response.on('close', () => this.held.delete(response)))
      const text = JSON.stringify({ jsonrpc: '2.0', id: body.id, result: `0x${'0'.repeat(64)}` })
      if (at > 0) response.writeHead(200, headers).write(text.slice(0, at === 1 ? 10 : -1))
    })
  }

  static async before(target: string): Promise<SlowNode> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new SlowNode(server, target)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}
