import type { IncomingMessage, ServerResponse } from 'node:http'
import { StorageServer } from '../test/helpers/storage-server.js'

/** What the storage does instead of serving well. */
export const STORAGE_FAULTS = {
  resets: 'resets each transfer after half of it, and serves the rest well',
  stalls: 'says nothing more after half of each transfer, and serves the rest well',
  overlong: 'resets after half, and answers for the rest with more than was asked for: whole forged responses',
  version: 'resets after half, and gives the rest of another version of the file',
  endless102: 'answers with 102 for ever',
  silent: 'takes requests and says nothing',
  refuses: 'answers every request with 503',
  closes: 'closes every connection',
  unsized: 'gives no length, and resets after half',
  short: 'ends each answer before the length that it announced',
  unasked: 'answers with a part that was not asked for',
} as const

export type StorageFault = keyof typeof STORAGE_FAULTS

/** Ranges of consumers begin at multiples of this; the rest of a transfer that broke hardly ever does. */
export const RANGE_STEP = 1000

const FORGED = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged'.repeat(50))

/** Faults of answers without a body as well. */
const ALSO_HEAD: ReadonlySet<StorageFault> = new Set(['silent', 'refuses', 'closes', 'endless102'])

/** The bytes of a file, which tell where they belong: every 16 of them hold the name's letter and their offset. */
export function contentOf(letter: string, size: number): Buffer {
  const content = Buffer.alloc(size)
  for (let at = 0; at < size; at += 16) content.write(`${letter}${at.toString().padStart(14, '0')}\n`, at, 'latin1')
  return content
}

/** A storage with a few files, all of which share its faults. */
export class TortureStorage {
  fault: StorageFault | undefined

  private constructor(readonly server: StorageServer) {}

  static async start(): Promise<TortureStorage> {
    return new TortureStorage(await StorageServer.start())
  }

  get port(): number {
    return Number(new URL(this.server.origin).port)
  }

  /** Serves a file at a path. */
  serve(path: string, content: Buffer): void {
    this.server.on(path, (request, response) => this.answer(request, response, content))
  }

  private answer(request: IncomingMessage, response: ServerResponse, content: Buffer): void {
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
    const start = Number(range?.[1] ?? 0)
    const end = Math.min(Number(range?.[2] || content.length - 1), content.length - 1)
    const total = content.length
    if (start > end) return void response.writeHead(416, { 'content-range': `bytes */${total}` }).end()
    const isHead = request.method === 'HEAD'
    const part = content.subarray(start, end + 1)
    const headers: Record<string, string | number> = {
      'content-type': 'text/csv',
      'accept-ranges': 'bytes',
      etag: '"v1"',
      ...(range ? { 'content-range': `bytes ${start}-${end}/${total}` } : {}),
    }
    const sized = { ...headers, 'content-length': part.length }
    const status = range ? 206 : 200
    const whole = () => {
      response.writeHead(status, sized).end(isHead ? undefined : part)
    }
    const half = (said: Record<string, string | number>, then: () => void) => {
      response.writeHead(status, said)
      response.write(part.subarray(0, Math.ceil(part.length / 2)), () => setTimeout(then, 5))
    }
    const reset = () => {
      request.socket.destroy()
    }
    /** One thing for a transfer that begins, another for the rest of one that broke. */
    const atFirst = (then: () => void, later: () => void) => (start % RANGE_STEP === 0 ? half(sized, then) : later())
    const another = { ...sized, etag: '"v2"' }
    const ways: Record<StorageFault, () => void> = {
      resets: () => atFirst(reset, whole),
      stalls: () => atFirst(() => undefined, whole),
      overlong: () => atFirst(reset, () => response.writeHead(206, headers).end(Buffer.concat([part, FORGED]))),
      version: () => atFirst(reset, () => response.writeHead(206, another).end(Buffer.alloc(part.length, 'x'))),
      endless102() {
        const timer = setInterval(() => response.writeProcessing(), 50)
        response.once('close', () => clearInterval(timer))
      },
      silent: () => undefined,
      refuses: () => response.writeHead(503).end('later'),
      closes: reset,
      unsized: () => half(headers, reset),
      short: () => half({ ...sized, connection: 'close' }, () => request.socket.end()),
      unasked() {
        const said = { ...sized, 'content-range': `bytes 0-${end}/${total}` }
        if (range) whole()
        else response.writeHead(206, said).end(part)
      },
    }
    const { fault } = this
    if (fault && (!isHead || ALSO_HEAD.has(fault))) ways[fault]()
    else whole()
  }
}
