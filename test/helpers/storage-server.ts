import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './cleanup.js'
import { listeningServer } from './http-server.js'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The JSON body of a request. */
export async function jsonBody<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as T
}

/** A request that a storage server has received. */
export interface SeenRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  /** Whether the connection was closed before the answer was complete. */
  aborted: boolean
}

/** An HTTP storage on a random port: files with ranges and validators, and handlers for faults. */
export class StorageServer {
  readonly requests: SeenRequest[] = []
  private readonly handlers = new Map<string, Handler>()

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => this.answer(request, response))
  }

  static async start(): Promise<StorageServer> {
    const server = await listeningServer()
    const storage = new StorageServer(server)
    atEnd(() => storage.close())
    return storage
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Serves bytes at a path, with HEAD, single ranges and an ETag. Returns the URL. */
  file(path: string, content: Buffer, type = 'text/csv'): string {
    return this.on(path, (request, response) => {
      const headers = { 'content-type': type, 'accept-ranges': 'bytes', etag: '"v1"' }
      const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
      if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304, headers).end()
      if (!range) return void response.writeHead(200, { ...headers, 'content-length': content.length }).end(content)
      const start = Number(range[1])
      const end = range[2] ? Math.min(Number(range[2]), content.length - 1) : content.length - 1
      if (start >= content.length)
        return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end('out of range')
      const part = content.subarray(start, end + 1)
      const described = { 'content-range': `bytes ${start}-${end}/${content.length}`, 'content-length': part.length }
      response.writeHead(206, { ...headers, ...described }).end(part)
    })
  }

  /** Handles a path with a function. Returns the URL. */
  on(path: string, handler: Handler): string {
    this.handlers.set(path, handler)
    return this.origin + path
  }

  /** The requests for a path, in order. */
  seen(path: string): SeenRequest[] {
    return this.requests.filter(({ url }) => url.split('?')[0] === path)
  }

  async close(): Promise<void> {
    this.server.close()
    this.server.closeAllConnections()
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request
    const seen: SeenRequest = { method, url, headers, aborted: false }
    this.requests.push(seen)
    response.on('close', () => {
      seen.aborted = !response.writableFinished
    })
    const handler = this.handlers.get(url.split('?')[0] as string)
    if (handler) handler(request, response)
    else response.writeHead(404).end('no such file')
  }
}
