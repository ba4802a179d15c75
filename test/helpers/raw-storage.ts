import type { EgressOptions } from '../../packages/storage/src/egress/egress.js'
import { HostileServer } from './hostile-server.js'
import { ASKING, testEgress, testRegistry } from './storage-tools.js'

/** The head of a request as it came. */
export interface RawRequest {
  target: string
  headers: Record<string, string>
}

/** A storage whose answers are written byte by byte (Latin-1), and that records the heads of its requests. */
export class RawStorage {
  readonly requests: RawRequest[] = []

  private constructor(private readonly server: HostileServer) {}

  static async start(answer: (request: RawRequest) => string | Buffer): Promise<RawStorage> {
    const server = await HostileServer.start((socket) => {
      let text = ''
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1')
        for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
          const [line = '', ...fields] = text.slice(0, end).split('\r\n')
          text = text.slice(end + 4)
          const headers = Object.fromEntries(fields.map((field) => field.split(/:\s*(.*)/s).slice(0, 2)))
          const request = { target: line.split(' ')[1] as string, headers }
          storage.requests.push(request)
          const bytes = answer(request)
          socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
        }
      })
    })
    const storage = new RawStorage(server)
    return storage
  }

  get port(): number {
    return this.server.port
  }

  /** Connections accepted so far. */
  get connections(): number {
    return this.server.accepted
  }

  get targets(): string[] {
    return this.requests.map(({ target }) => target)
  }

  close(): Promise<void> {
    return this.server.close()
  }
}

/** Returns a raw answer with a body. */
export function rawAnswer(status: string, headers: Record<string, string | string[]>, body = ''): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`))
  return `HTTP/1.1 ${status}\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`
}

/** Downloads url files through an egress of its own. */
export function downloader(options: Partial<EgressOptions> = {}) {
  const egress = testEgress(options)
  const open = async (url: string, headers: Record<string, string> = {}, userdata?: Record<string, unknown>) => {
    const file = testRegistry(egress).file({ type: 'url', url, method: 'GET', headers })
    const opened = await file.open({ ...ASKING, method: 'GET', headers: {}, ...(userdata ? { userdata } : {}) })
    const text = Buffer.concat(await opened.body.toArray()).toString('latin1')
    return { name: opened.name, status: opened.status, headers: opened.headers, text }
  }
  /** Downloads a file, and describes it. */
  const described = async (url: string) => {
    const file = testRegistry(egress).file({ type: 'url', url, method: 'GET' })
    return { ...(await open(url)), described: await file.describe(ASKING) }
  }
  return { open, described, close: () => egress.close() }
}
