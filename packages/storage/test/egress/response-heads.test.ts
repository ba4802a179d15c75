import { setImmediate as tick } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { HostileServer } from '../../../../test/helpers/hostile-server.js'
import { UNLIMITED } from '../../../../test/helpers/policy.js'
import { downloader, RawStorage, rawAnswer } from '../../../../test/helpers/raw-storage.js'
import { ASKING, serverAndRegistry, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

const OK = 'HTTP/1.1 200 OK\r\n'
const LENGTH = 'Content-Length: 4\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const CHUNKS = '\r\n4\r\ntide\r\n0\r\n\r\n'

let download: ReturnType<typeof downloader>
beforeAll(() => {
  download = downloader()
})
afterAll(() => download.close())

/** Downloads from a server that writes an answer, as a whole or in pieces of so many bytes, and closes the connection. */
async function answered(answer: string, piece = answer.length) {
  const bytes = Buffer.from(answer, 'latin1')
  const server = await HostileServer.start((socket) => {
    socket.setNoDelay(true).once('data', async () => {
      for (let at = 0; at < bytes.length; at += piece) {
        socket.write(bytes.subarray(at, at + piece))
        await tick()
      }
      socket.end()
    })
  })

  return await download.open(`http://127.0.0.1:${server.port}/`)
}

describe('a head of HTTP/1', () => {
  it.each<[string, string]>([
    ['control', `${OK}${LENGTH}\r\ntide`],
    ['empty lines before it', `\r\n\n${OK}${LENGTH}\r\ntide`],
    ['no reason', `HTTP/1.1 200\r\n${LENGTH}\r\ntide`],
    ['an empty reason', `HTTP/1.1 200 \r\n${LENGTH}\r\ntide`],
    ['a reason of other characters', `HTTP/1.1 200 S\xe4 \x01\t\x00ok\r\n${LENGTH}\r\ntide`],
    ['an older version', `HTTP/1.0 200 OK\r\n${LENGTH}\r\ntide`],
    ['white space around values', `${OK}X-A:\t b \t\r\nContent-Length:  4  \r\n\r\ntide`],
    ['no white space', `${OK}Content-Length:4\r\n\r\ntide`],
    ['bytes outside ASCII in a value', `${OK}X-A: \x80\xff\r\n${LENGTH}\r\ntide`],
    ['no value', `${OK}X-A:\r\n${LENGTH}\r\ntide`],
    ['a length with zeros before it', `${OK}Content-Length: 0004\r\n\r\ntide`],
    ['chunks in another case', `${OK}transfer-encoding: CHUNKED\r\n${CHUNKS}`],
    ['chunks that are named twice', `${OK}${CHUNKED}${CHUNKED}${CHUNKS}`],
    ['extensions, zeros and trailers of chunks', `${OK}${CHUNKED}\r\n0004;a="b"\r\ntide\r\n00\r\nX-A: b\r\n\r\n`],
    ['an interim response', `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${OK}${LENGTH}\r\ntide`],
    ['a 100 that nobody asked for', `HTTP/1.1 100 Continue\r\n\r\n${OK}${LENGTH}\r\ntide`],
    ['the name of a prototype', `${OK}__proto__: a\r\nconstructor: b\r\n${LENGTH}\r\ntide`],
  ])('%s: the file is delivered', async (_what, answer) => {
    for (const piece of [answer.length, 7, 1]) {
      expect(await answered(answer, piece), `pieces of ${piece}`).toMatchObject({ status: 200, text: 'tide' })
    }
  })
})

describe('a head that is no HTTP, or whose framing is ambiguous', () => {
  it.each<[string, string]>([
    ['a length and chunks', `${OK}${LENGTH}${CHUNKED}${CHUNKS}`],
    ['chunks and a length', `${OK}${CHUNKED}${LENGTH}${CHUNKS}`],
    ['chunks and a length, one of them folded', `${OK}${LENGTH}Transfer-Encoding:\n chunked\r\n${CHUNKS}`],
    ['chunks and a length, one with white space', `${OK}${LENGTH}Transfer-Encoding : chunked\r\n${CHUNKS}`],
    ['lines that end with LF', 'HTTP/1.1 200 OK\nContent-Length: 4\nX-A: b\n\ntide'],
    ['mixed ends of lines', `HTTP/1.1 200 OK\n${LENGTH}X-A: b\n\r\ntide`],
    ['more white space in the status line', `HTTP/1.1 \t 200  OK \r\n${LENGTH}\r\ntide`],
    ['another case', 'http/1.1 200 ok\r\ncOnTeNt-LENGTH: 4\r\n\r\ntide'],
    ['a higher minor version', `HTTP/1.9 200 OK\r\n${LENGTH}\r\ntide`],
    ['white space before the colon', `${OK}X-A \t: b\r\nContent-Length : 4\r\n\r\ntide`],
    ['folded values', `${OK}X-A: b\r\n c\r\n\td\r\nContent-Length:\r\n 4\r\n\r\ntide`],
    ['a line of white space', `${OK}X-A: b\r\n \t \r\n${LENGTH}\r\ntide`],
    ['a length that is repeated', `${OK}${LENGTH}${LENGTH}\r\ntide`],
    ['a length that is a list of itself', `${OK}Content-Length: 4, 4,04\r\n\r\ntide`],
    ['an identity coding', `${OK}Transfer-Encoding: identity\r\n${LENGTH}\r\ntide`],
    ['an identity coding, and chunks', `${OK}Transfer-Encoding: identity, chunked\r\n${CHUNKS}`],
    ['an identity coding until the end', `${OK}Transfer-Encoding: identity\r\n\r\ntide`],
    ['an interim response with LF', `HTTP/1.1 103 Early Hints\nLink: a\n\n${OK}${LENGTH}\r\ntide`],
    ['a 100 with LF', `HTTP/1.1 100 Continue\n\n\r\n${OK}${LENGTH}\r\ntide`],
    ['two lengths', `${OK}${LENGTH}Content-Length: 5\r\n\r\ntides`],
    ['a list of two lengths', `${OK}Content-Length: 4, 5\r\n\r\ntides`],
    ['a list with nothing', `${OK}Content-Length: 4,\r\n\r\ntide`],
    ['a length with a sign', `${OK}Content-Length: +4\r\n\r\ntide`],
    ['a negative length', `${OK}Content-Length: -4\r\n\r\ntide`],
    ['a hexadecimal length', `${OK}Content-Length: 0x4\r\n\r\ntide`],
    ['a length with a fraction', `${OK}Content-Length: 4.0\r\n\r\ntide`],
    ['an empty length', `${OK}Content-Length:\r\n\r\ntide`],
    ['too long a length', `${OK}Content-Length: 99999999999999999999\r\n\r\ntide`],
    ['a control character in a value', `${OK}X-A: a\x01b\r\n${LENGTH}\r\ntide`],
    ['a delete character in a value', `${OK}X-A: \x7f\r\n${LENGTH}\r\ntide`],
    ['a NUL in a value', `${OK}X-A: a\x00\r\n${LENGTH}\r\ntide`],
    ['a bare CR in a value', `${OK}X-A: a\rX-B: c\r\n${LENGTH}\r\ntide`],
    ['a control character in a folded value', `${OK}X-A: a\r\n \x0bb\r\n${LENGTH}\r\ntide`],
    ['a control character in a length', `${OK}Content-Length: 4\x0b\r\n\r\ntide`],
    ['a control character in a coding', `${OK}Transfer-Encoding: \x0bchunked\r\n${CHUNKS}`],
    ['a NUL in a coding', `${OK}Transfer-Encoding: chunked\x00\r\n${CHUNKS}`],
    ['a coding of 60 KiB of blanks', `${OK}Transfer-Encoding: x${' '.repeat(60_000)}x\r\n${CHUNKS}`],
    ['an unknown coding', `${OK}Transfer-Encoding: xchunked\r\n${CHUNKS}`],
    ['a coding that nobody asked for', `${OK}Transfer-Encoding: gzip\r\n\r\ntide`],
    ['the same, in chunks', `${OK}Transfer-Encoding: gzip, chunked\r\n${CHUNKS}`],
    ['a coding after chunks', `${OK}Transfer-Encoding: chunked, gzip\r\n${CHUNKS}`],
    ['a coding with parameters', `${OK}Transfer-Encoding: chunked;a=b\r\n${CHUNKS}`],
    ['white space before the first field', `${OK} X-A: b\r\n${LENGTH}\r\ntide`],
    ['a line without a colon', `${OK}X-A\r\n${LENGTH}\r\ntide`],
    ['a field without a name', `${OK}: b\r\n${LENGTH}\r\ntide`],
    ['a name with white space', `${OK}X A: b\r\n${LENGTH}\r\ntide`],
    ['a name with a control character', `${OK}Transfer-Encoding\x00: chunked\r\n${LENGTH}${CHUNKS}`],
    ['a name outside ASCII', `${OK}X\xc3\xb6: b\r\n${LENGTH}\r\ntide`],
    ['no status', `HTTP/1.1 OK\r\n${LENGTH}\r\ntide`],
    ['a status of two digits', `HTTP/1.1 99 Odd\r\n${LENGTH}\r\ntide`],
    ['a status of four digits', `HTTP/1.1 2000 OK\r\n${LENGTH}\r\ntide`],
    ['another major version', `HTTP/2.0 200 OK\r\n${LENGTH}\r\ntide`],
    ['another protocol', `ICY 200 OK\r\n${LENGTH}\r\ntide`],
    ['no head', 'tide'],
    ['a head without an end', `${OK}${LENGTH}`],
  ])('%s: nothing is delivered', async (_what, answer) => {
    for (const piece of [answer.length, 7, 1])
      await expect(answered(answer, piece), `pieces of ${piece}`).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })

  it.each<[string, string]>([
    ['no size', `\r\n\r\ntide\r\n0\r\n\r\n`],
    ['a size with a prefix', `\r\n0x4\r\ntide\r\n0\r\n\r\n`],
    ['a negative size', `\r\n-4\r\ntide\r\n0\r\n\r\n`],
    ['a size with white space', `\r\n4 4\r\ntide\r\n0\r\n\r\n`],
    ['a size that overflows', `\r\n10000000000000004\r\ntide\r\n0\r\n\r\n`],
    ['a size that ends with LF', `\r\n4\ntide\n0\n\n`],
    ['more data than its size', `\r\n4\r\ntides\r\n0\r\n\r\n`],
    ['no last one', `\r\n4\r\ntide\r\n`],
  ])('a chunk with %s breaks the transfer', async (_what, chunks) => {
    await expect(answered(OK + CHUNKED + chunks)).rejects.toThrow()
  })

  it.each([
    ['interim heads', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'],
    ['empty lines', '\r\n'],
    ['interim heads of 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('that comes after %s without an end is not waited for', async (_what, text) => {
    const flood = Buffer.from(text.repeat(16_384 / text.length))
    let sent = 0
    const server = await HostileServer.start((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(flood)) sent += flood.length
      }
      socket.on('drain', more).once('data', more)
    })
    const egress = testEgress()
    try {
      const file = testRegistry(egress).file({ type: 'url', url: `http://127.0.0.1:${server.port}/`, method: 'GET' })
      expect(await file.describe(ASKING)).toEqual({ valid: false, reason: 'failed' })
      await eventually(() => server.open.size === 0)
      // what the system had buffered
      expect(sent).toBeLessThan(32 * 1_048_576)
    } finally {
      await egress.close()
      await server.close()
    }
  })

  it('is reported as the failure of a storage that answers, without waiting for more', async () => {
    const server = await HostileServer.start((socket) => socket.resume().write('SSH-2.0-OpenSSH_9.6\r\n'))
    const egress = testEgress()
    try {
      const file = testRegistry(egress).file({ type: 'url', url: `http://127.0.0.1:${server.port}/`, method: 'GET' })
      expect(await file.describe(ASKING)).toEqual({ valid: false, reason: 'failed' })
      await eventually(() => server.open.size === 0)
    } finally {
      await egress.close()
      await server.close()
    }
  })
})

describe('headers', () => {
  const field = (bytes: number) => `X-A: ${'a'.repeat(bytes - 7)}\r\n`
  const head = (bytes: number) => `${OK}${LENGTH}${field(bytes - OK.length - LENGTH.length - 2)}\r\n`
  const many = (count: number) => `${OK}${LENGTH}${field(1_000).repeat(count)}\r\n`

  it.each([
    ['one long header', head(STORAGE_LIMITS.files.responseHead)],
    ['many headers', many(65)],
    ['one of 20 KiB, also after an interim response', `HTTP/1.1 103 Hints\r\n${field(60_000)}\r\n${head(20_000)}`],
  ])('%s: up to 64 KiB are accepted', async (_what, answer) => {
    for (const piece of [answer.length, 1_000])
      expect(await answered(`${answer}tide`, piece)).toMatchObject({ text: 'tide' })
  })

  it.each([
    ['one long header', head(STORAGE_LIMITS.files.responseHead + 1)],
    ['many headers', many(66)],
    ['headers without an end', `${OK}${field(1_000).repeat(100)}`],
    ['a header without an end', `${OK}X-A: ${'a'.repeat(100_000)}`],
  ])('%s: more than 64 KiB are refused', async (_what, answer) => {
    for (const piece of [answer.length, 1_000])
      await expect(answered(`${answer}tide`, piece)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })

  it('leave the connection usable, and a body that looks like a head is untouched', async () => {
    const body = 'HTTP/1.1 200 OK\nX : y\n\n'
    const storage = await RawStorage.start(() => `HTTP/1.1 200\r\nContent-Length:${body.length}\r\n\r\n${body}`)
    const single = downloader({ limits: { ...UNLIMITED.limits, paid: { ...UNLIMITED.limits.paid, maxPerHost: 1 } } })
    try {
      for (let time = 0; time < 3; time++)
        expect(await single.open(`http://127.0.0.1:${storage.port}/`)).toMatchObject({ text: body })
      expect(storage.connections).toBe(1)
    } finally {
      await single.close()
      await storage.close()
    }
  })

  it('that are sent twice alike count once', async () => {
    const twice = { 'content-type': ['text/csv', 'text/csv'], 'last-modified': ['a', 'b'], etag: ['"a"', '"a"'] }
    const storage = await RawStorage.start(() => rawAnswer('200 OK', twice, 'tide'))
    try {
      const { headers } = await download.open(`http://127.0.0.1:${storage.port}/`)
      expect(headers).toEqual({ 'content-type': 'text/csv', 'content-length': '4', etag: '"a"' })
    } finally {
      await storage.close()
    }
  })
})

describe('requests', () => {
  it.each<[string, Record<string, string>, string]>([
    ['accept everything', {}, '*/*'],
    ['accept what the publisher sets', { Accept: 'text/csv' }, 'text/csv'],
  ])('%s', async (_what, headers, accept) => {
    const storage = await RawStorage.start(() => rawAnswer('200 OK', {}, 'tide'))
    try {
      await download.open(`http://127.0.0.1:${storage.port}/`, headers)
      expect(storage.requests[0]?.headers).toMatchObject({ accept, 'accept-encoding': 'identity' })
    } finally {
      await storage.close()
    }
  })
})

describe('a status', () => {
  let started: Awaited<ReturnType<typeof serverAndRegistry>>
  beforeAll(async () => {
    started = await serverAndRegistry()
  })
  afterAll(() => started.close())
  const file = (status: number) => {
    const url = started.server.on('/a', (_request, response) => response.writeHead(status).end('tide'))
    return started.registry.file({ type: 'url', url, method: 'GET' })
  }

  it.each([200, 203, 209, 299])('%i is a success', async (status) => {
    expect(await file(status).describe(ASKING)).toMatchObject({ valid: true, contentLength: 4 })
    const opened = await file(status).open({ ...ASKING, method: 'GET', headers: {} })
    expect([opened.status, String(await opened.body.toArray())]).toEqual([200, 'tide'])
  })

  it.each([201, 202, 204, 205, 207, 208, 226, 300, 404, 500])('%i is none', async (status) => {
    expect(await file(status).describe(ASKING)).toMatchObject({ valid: false, upstreamStatus: status })
    const opened = file(status).open({ ...ASKING, method: 'GET', headers: {} })
    await expect(opened).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })
})
