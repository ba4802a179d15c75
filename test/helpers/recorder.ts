import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a client sent it, and the status of its response. */
export interface Recorded {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
  status: number
  answer: string
}

/** A proxy in front of a service that forwards every request unchanged, and records it. */
export class Recorder {
  readonly requests: Recorded[] = []

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = 'GET', url = '/', headers } = request
      const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...passed } = headers
      const body = Buffer.concat(chunks)
      const answer = await fetch(this.target + url, {
        method,
        headers: passed as Record<string, string>,
        ...(body.length > 0 ? { body } : {}),
      })
      const content = Buffer.from(await answer.arrayBuffer())
      this.requests.push({ method, url, headers, body, status: answer.status, answer: content.toString() })
      const { 'content-encoding': _encoding, ...kept } = Object.fromEntries(answer.headers)
      response.writeHead(answer.status, { ...kept, 'content-length': content.length }).end(content)
    })
  }

  static async before(target: string): Promise<Recorder> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Recorder(server, target)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** The requests since the last call of this method. */
  taken(): Recorded[] {
    return this.requests.splice(0)
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }
}
