import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageServer } from '../../test/helpers/storage-server.js'

/** Faults of the storage, by what it does. */
export const STORAGE_FAULTS = {
  resets: 'resets each transfer halfway, and serves the rest correctly',
  stalls: 'stalls each transfer halfway, and serves the rest correctly',
  overlong: 'resets halfway, and sends more than the requested rest: forged responses follow it',
  version: 'resets halfway, and sends the rest of another version of the file',
  endless102: 'responds with 102 forever',
  silent: 'accepts requests and never responds',
  refuses: 'responds to every request with 503',
  closes: 'closes every connection',
  unsized: 'declares no length, and resets halfway',
  short: 'ends each response before the declared length',
  unasked: 'responds with a range that was not requested',
  slow: 'sends each transfer in ten parts, with pauses between them',
} as const

export type StorageFault = keyof typeof STORAGE_FAULTS

/** A part of every file's location, which no response and no line of a log may contain. */
export const LOCATION = 'lighthouse-cellar'

/** Ranges of consumers start at multiples of this, so that the storage can tell them from resumed transfers. */
export const RANGE_STEP = 1000

const FORGED = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged'.repeat(50))

/** Faults that also affect HEAD. */
const ALSO_HEAD: ReadonlySet<StorageFault> = new Set(['silent', 'refuses', 'closes', 'endless102'])

/** Returns self-describing content: every 16 bytes hold the file's letter and their offset. */
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
    this.server.on(path, (request, response) => this.respond(request, response, content))
  }

  private respond(request: IncomingMessage, response: ServerResponse, content: Buffer): void {
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
      // careless storages repeat their location
      'x-location': `/${LOCATION}/`,
      ...(range ? { 'content-range': `bytes ${start}-${end}/${total}` } : {}),
    }
    const sized = { ...headers, 'content-length': part.length }
    const status = range ? 206 : 200
    const whole = () => {
      response.writeHead(status, sized).end(isHead ? undefined : part)
    }
    const half = (declared: Record<string, string | number>, then: () => void) => {
      response.writeHead(status, declared)
      const middle = Math.ceil(part.length / 2)
      // the rest must not look like a new transfer, or it would be broken repeatedly
      const sent = (start + middle) % RANGE_STEP === 0 ? middle + 1 : middle
      response.write(part.subarray(0, sent), () => setTimeout(then, 5))
    }
    const reset = () => {
      request.socket.destroy()
    }
    /** Breaks a new transfer halfway with `fail`; runs `resumed` for the rest of a broken one. */
    const halfway = (fail: () => void, resumed: () => void) =>
      start % RANGE_STEP === 0 ? half(sized, fail) : resumed()
    const otherVersion = { ...sized, etag: '"v2"' }
    const behaviours: Record<StorageFault, () => unknown> = {
      resets: () => halfway(reset, whole),
      stalls: () => halfway(() => undefined, whole),
      overlong: () => halfway(reset, () => response.writeHead(206, headers).end(Buffer.concat([part, FORGED]))),
      version: () => halfway(reset, () => response.writeHead(206, otherVersion).end(Buffer.alloc(part.length, 'x'))),
      endless102() {
        const timer = setInterval(() => response.writeProcessing(), 50)
        response.once('close', () => clearInterval(timer))
      },
      silent: () => undefined,
      refuses: () => response.writeHead(503).end(`/${LOCATION}/ is closed`),
      closes: reset,
      unsized: () => half(headers, reset),
      short: () => half({ ...sized, connection: 'close' }, () => request.socket.end()),
      async slow() {
        response.writeHead(status, sized)
        const step = Math.ceil(part.length / 10)
        for (let at = 0; at < part.length && !response.destroyed; at += step) {
          response.write(part.subarray(at, at + step))
          await sleep(50)
        }
        response.end()
      },
      unasked() {
        const ranged = { ...sized, 'content-range': `bytes 0-${end}/${total}` }
        if (range) whole()
        else response.writeHead(206, ranged).end(part)
      },
    }
    const { fault } = this
    if (fault && (!isHead || ALSO_HEAD.has(fault))) behaviours[fault]()
    else whole()
  }
}
