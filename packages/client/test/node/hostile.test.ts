import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { createContext } from '@tidegate/client'
import { downloadToFile, type FileOptions } from '@tidegate/client/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { measured } from '../../../../test/helpers/measured.js'

const DID = `did:op:${'0'.repeat(64)}`
const NAMED = { service: 'a', order: `0x${'1'.repeat(64)}`, retries: 1 } as const
const TOKEN = `a.${Buffer.from(JSON.stringify({ address: `0x${'2'.repeat(40)}` })).toString('base64url')}.c`
/** MiB by which this process may grow: far less than a hostile provider sends. */
const GROWN = 150

const servers: Server[] = []
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-hostile-'))
})
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
  rmSync(folder, { recursive: true })
})

async function provider(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function save(answer: RequestListener, options: FileOptions = {}) {
  const context = createContext({ url: await provider(answer), token: TOKEN })
  return downloadToFile(context, DID, join(folder, 'file'), { ...NAMED, ...options })
}

const failed = (answer: RequestListener, options?: FileOptions) =>
  save(answer, options).then(
    () => undefined,
    (error) => error,
  )

describe('a hostile provider of a file', () => {
  it('cannot redirect the client', async () => {
    let asked = 0
    const location = await provider((_, response) => {
      asked += 1
      response.end('x')
    })
    for (const status of [301, 302, 303, 307, 308])
      expect(await failed((_, response) => response.writeHead(status, { location }).end())).toMatchObject({
        code: 'REDIRECTED',
        status,
      })
    expect(asked).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused endless headers, and gets no proof into an error', async () => {
    const headers = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, 'y'.repeat(1_000)]))
    for (const answer of [
      ((_, response) => response.writeHead(200, headers).end('x')) as RequestListener,
      ((request) => request.socket.end('no HTTP\r\n\r\n')) as RequestListener,
      ((request) => request.socket.destroy()) as RequestListener,
    ]) {
      const error = await failed(answer, { retries: 0 })
      expect(error).toMatchObject({ name: 'TidegateError', code: 'UNREACHABLE' })
      expect(JSON.stringify(error) + error.stack + String(error.cause)).not.toMatch(/consumerAddress|a\.ey/)
    }
  })

  it('does not fill memory or disk with an endless file or refusal', async () => {
    const endless = (status: number): RequestListener => {
      return (_, response) => {
        const piece = Buffer.alloc(100_000, ' ')
        const more = () => {
          while (!response.destroyed && response.write(piece));
        }
        response.writeHead(status).on('drain', more)
        more()
      }
    }
    const file = await measured(() => failed(endless(200), { maxSize: 50_000_000 }))
    expect(file.result).toMatchObject({ code: 'FILE_TOO_LARGE' })
    expect(file.grown).toBeLessThan(GROWN)
    const refusal = await measured(() => failed(endless(400)))
    expect(refusal.result).toMatchObject({ code: 'HTTP_ERROR', status: 400 })
    expect(refusal.grown).toBeLessThan(GROWN)
  })

  it('does not fill the memory with countless tiny pieces, all of which are saved', async () => {
    const count = 400_000
    const chunks = Buffer.from(Array.from({ length: count }, (_, at) => `1\r\n${at % 10}\r\n`).join(''))
    const cost = await measured(() =>
      save(({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        socket.write(chunks)
        socket.end('0\r\n\r\n')
      }),
    )
    expect(cost.result.bytes).toBe(count)
    expect(readFileSync(join(folder, 'file'), 'latin1')).toBe('0123456789'.repeat(count / 10))
    expect(cost.grown).toBeLessThan(GROWN)
  })

  it('that stalls, or sends no headers, fails after the retries', async () => {
    const stopping: RequestListener = (_, response) => response.writeHead(200, { 'content-length': 10 }).write('x')
    expect(await failed(stopping, { stallTimeout: 50, retries: 0 })).toMatchObject({ code: 'STALLED' })
    const controller = new AbortController()
    const silent = failed(() => controller.abort(new Error('enough')), { signal: controller.signal })
    expect(await silent).toMatchObject({ message: 'enough' })
  })

  it('cannot end a file early, nor make it longer', async () => {
    const short: RequestListener = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort')
    expect(await failed(short, { retries: 0 })).toMatchObject({ code: 'BROKEN_OFF' })
    const long: RequestListener = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlonger')
    expect(await save(long)).toMatchObject({ bytes: 4 })
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('long')
  })
})

describe('a compressed response', () => {
  const content = Buffer.from('tides '.repeat(100_000))

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('in %s is saved decoded', async (coding, compress) => {
    const body = compress(content)
    const saved = await save((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body))
    expect(saved.bytes).toBe(content.length)
    expect(readFileSync(join(folder, 'file')).equals(content)).toBe(true)
  })

  it('that is cut, or in another coding, is an error', async () => {
    const half = gzipSync(content).subarray(0, 200)
    const cut: RequestListener = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(half)
    expect(await failed(cut, { retries: 0 })).toMatchObject({ code: 'BROKEN_OFF' })
    const unknown: RequestListener = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'own' }).end(content)
    expect(await failed(unknown)).toMatchObject({ code: 'BAD_ANSWER' })
    expect(readdirSync(folder)).toEqual([])
  })
})
