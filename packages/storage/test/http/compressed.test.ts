import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import { checksumOf } from '../../src/checksum.js'
import type { Egress } from '../../src/egress/egress.js'
import type { StorageRegistry } from '../../src/kinds/registry.js'
import { STORAGE_LIMITS } from '../../src/limits.js'
import type { OpenRequest } from '../../src/storage.js'

/** Half of it is compressible. */
const FILE = Buffer.concat([randomBytes(200_000), Buffer.alloc(200_000, 'tide ')])
const MIB = 1_048_576

type Encode = (bytes: Buffer) => Buffer
const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?: Encode }

const CODINGS: [name: string, header: string, encode: Encode][] = [
  ['gzip', 'gzip', (bytes) => zlib.gzipSync(bytes)],
  ['gzip by its old name', 'X-GZIP', (bytes) => zlib.gzipSync(bytes)],
  [
    'gzip of two members',
    'gzip',
    (b) => Buffer.concat([zlib.gzipSync(b.subarray(0, 9)), zlib.gzipSync(b.subarray(9))]),
  ],
  ['deflate as zlib', 'deflate', (bytes) => zlib.deflateSync(bytes)],
  ['deflate without its envelope', 'deflate', (bytes) => zlib.deflateRawSync(bytes)],
  ['br', 'br', (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ['two codings', 'deflate, gzip', (bytes) => zlib.gzipSync(zlib.deflateSync(bytes))],
  ...(zstdCompressSync ? [['zstd', 'zstd', zstdCompressSync] as [string, string, Encode]] : []),
]

if (!zstdCompressSync)
  console.warn(
    `SKIPPED: decoding of zstd. Node ${process.versions.node} has none (22.15 and 23.8 have), so it is tested that such a response is refused.`,
  )

describe('a storage that compresses unasked', () => {
  let server: StorageServer
  let egress: Egress
  let registry: StorageRegistry
  beforeAll(async () => {
    server = await StorageServer.start()
    egress = testEgress()
    registry = testRegistry(egress)
  })
  afterAll(() => egress.close())

  let path = 0
  function served(answer: (response: ServerResponse, range?: string) => unknown) {
    path += 1
    const url = server.on(`/${path}`, (request, response) => void answer(response, request.headers.range))
    const file = registry.file({ type: 'url', url, method: 'GET' })
    const open = (headers: OpenRequest['headers'] = {}, method: OpenRequest['method'] = 'GET') =>
      file.open({ ...ASKING, method, headers })
    return { file, open, path: `/${path}` }
  }
  const body = async ({ body }: { body: NodeJS.ReadableStream }) => {
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }
  const none = () => egress.decoderMemory('paid') === 0 && egress.inFlight('paid') === 0

  it.each(CODINGS)('%s is decoded, and its content-length dropped', async (_name, coding, encode) => {
    const encoded = encode(FILE)
    const headers = { 'content-encoding': coding, 'accept-ranges': 'bytes', etag: '"v1"', 'content-type': 'text/csv' }
    const { open, file } = served((response) =>
      response.writeHead(200, { ...headers, 'content-length': encoded.length }).end(encoded),
    )
    const opened = await open()
    // the entity tag becomes weak, since the bytes differ
    expect([opened.status, opened.headers]).toEqual([200, { 'content-type': 'text/csv', etag: 'W/"v1"' }])
    expect((await body(opened)).equals(FILE)).toBe(true)
    const head = await open({}, 'HEAD')
    head.body.destroy()
    expect(head.headers).toEqual(opened.headers)
    // its length is unknown until it is decoded
    expect(await file.describe(ASKING)).toEqual({ valid: true, contentType: 'text/csv' })
    const checksum = createHash('sha256').update(FILE).digest('hex')
    expect(await checksumOf(file, MIB, () => undefined, ASKING)).toEqual({ checksum, length: FILE.length })
    expect(await checksumOf(file, FILE.length, () => undefined, ASKING)).toBeUndefined()
    await eventually(none)
  })

  // the beginning of a frame, as every encoder writes it
  const ZSTD = Buffer.from('28b52ffd0458290000', 'hex')
  if (!zstdCompressSync)
    it('with zstd is a failed storage, where Node cannot decode it', async () => {
      const { open, file } = served((response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end(ZSTD))
      await expect(open()).rejects.toMatchObject({ code: 'STORAGE_REFUSED', reason: 'unsupported' })
      expect(await file.describe(ASKING)).toEqual({ valid: false, reason: 'unsupported', upstreamStatus: 200 })
      await eventually(none)
    })

  it.each(CODINGS)('%s in chunks that ends later than its last byte is decoded', async (_, coding, encode) => {
    const encoded = encode(FILE)
    const { open } = served(async (response) => {
      response.writeHead(200, { 'content-encoding': coding })
      for (const piece of [[0, 1], [1, 2], [2, 70_000], [70_000]]) {
        response.write(encoded.subarray(...(piece as [number])))
        await new Promise(setImmediate)
      }
      response.end()
    })
    expect((await body(await open())).equals(FILE)).toBe(true)
  })

  it.each(CODINGS)('%s of an empty file is decoded, and so is an empty body', async (_name, coding, encode) => {
    const coded = served((response) => response.writeHead(200, { 'content-encoding': coding }).end(encode(Buffer.of())))
    expect(await body(await coded.open())).toHaveLength(0)
    const bare = served((response) =>
      response.writeHead(200, { 'content-encoding': coding, 'content-length': 0 }).end(),
    )
    expect(await body(await bare.open())).toHaveLength(0)
    await eventually(none)
  })

  const BROKEN: [string, (encoded: Buffer) => Buffer][] = [
    ['ends early', (encoded) => encoded.subarray(0, -5)],
    ['has other bytes in the middle', (encoded) => Buffer.concat([encoded.subarray(0, 150_000), Buffer.alloc(99_999)])],
    ['goes on after its end', (encoded) => Buffer.concat([encoded, Buffer.from('HTTP/1.1 200 OK')])],
  ]
  describe.each(CODINGS)('%s', (_name, coding, encode) => {
    it.each(BROKEN)('that %s never completes', async (_case, damage) => {
      const { open } = served((response) =>
        response.writeHead(200, { 'content-encoding': coding }).end(damage(encode(FILE))),
      )
      await expect(open().then(body)).rejects.toThrow()
      await eventually(none)
    })

    it('that ends with its connection never completes', async () => {
      const { open } = served((response) => {
        response.writeHead(200, { 'content-encoding': coding })
        response.write(encode(FILE).subarray(0, 100_000), () => response.socket?.resetAndDestroy())
      })
      await expect(open().then(body)).rejects.toThrow()
      await eventually(none)
    })

    it('that is something else is refused before any byte is sent', async () => {
      const { open } = served((response) =>
        response.writeHead(200, { 'content-encoding': coding }).end(Buffer.alloc(999, 0xff)),
      )
      await expect(open()).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
      await eventually(none)
    })
  })

  it.each(['compress', 'gzip, compress', 'constructor', 'gzip, gzip, gzip, gzip'])('%s is refused', async (coding) => {
    const { open, file } = served((response) => response.writeHead(200, { 'content-encoding': coding }).end('tide'))
    await expect(open()).rejects.toMatchObject({ code: 'STORAGE_REFUSED', reason: 'unsupported' })
    expect(await file.describe(ASKING)).toEqual({ valid: false, reason: 'unsupported', upstreamStatus: 200 })
  })

  it('a range of encoded bytes is not a range of the file: the whole file is sent instead', async () => {
    const encoded = zlib.gzipSync(FILE)
    const { open, path } = served((response, range) => {
      const headers = { 'content-encoding': 'gzip', etag: '"v1"' }
      if (!range) return response.writeHead(200, headers).end(encoded)
      const total = { 'content-range': `bytes 0-9/${encoded.length}`, 'content-length': 10 }
      return response.writeHead(206, { ...headers, ...total }).end(encoded.subarray(0, 10))
    })
    const opened = await open({ range: 'bytes=0-9' })
    expect([opened.status, opened.headers]).toEqual([200, { etag: 'W/"v1"' }])
    expect((await body(opened)).equals(FILE)).toBe(true)
    expect(server.seen(path).map(({ headers }) => headers.range)).toEqual(['bytes=0-9', undefined])
  })

  it('a decompression bomb is subject to back-pressure, and is aborted when its reader stops', async () => {
    const zeros = zlib.gzipSync(Buffer.alloc(64 * MIB), { level: 9 })
    const { open } = served((response) =>
      Readable.from(forEver(zeros)).pipe(response.writeHead(200, { 'content-encoding': 'gzip' })),
    )
    const opened = await open()
    const chunks = opened.body[Symbol.asyncIterator]()
    let read = 0
    const before = process.memoryUsage().rss
    while (read < 256 * MIB) read += ((await chunks.next()).value as Buffer).length
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB)
    expect(opened.body.readableLength).toBeLessThanOrEqual(2 * STORAGE_LIMITS.decoding.chunk)
    opened.body.destroy()
    await eventually(none)
  })

  it('an endless body that decodes to nothing is broken', async () => {
    const empty = zlib.gzipSync(Buffer.of())
    const many = Buffer.concat(Array(10_000).fill(empty))
    const { open } = served((response) =>
      Readable.from(forEver(many)).pipe(response.writeHead(200, { 'content-encoding': 'gzip' })),
    )
    await expect(open()).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    await eventually(none)
  })

  it('the memory of decoders is limited for each budget', async () => {
    const encoded = zlib.brotliCompressSync(Buffer.alloc(2 * MIB), {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
    })
    const { file } = served((response) => {
      response.writeHead(200, { 'content-encoding': 'br' }).write(encoded)
    })
    const controller = new AbortController()
    const asking = { signal: controller.signal, method: 'GET', headers: {} } as const
    const open = (budget: 'paid' | 'anonymous') => file.open({ ...asking, budget })
    const opened = []
    const fill = async () => {
      for (;;) opened.push(await open('anonymous'))
    }
    await expect(fill()).rejects.toMatchObject({ code: 'STORAGE_BUSY' })
    expect(opened.length).toBeGreaterThan(4)
    // requests without an order do not use the memory budget of downloads
    opened.push(await open('paid'))
    controller.abort()
    await eventually(() => none() && egress.decoderMemory('anonymous') === 0 && egress.inFlight('anonymous') === 0)
  })
})

function* forEver(piece: Buffer): Generator<Buffer> {
  for (;;) yield piece
}
