import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ASKING, serverAndRegistry } from '../../../../test/helpers/storage-tools.js'
import { checksumOf } from '../../src/checksum.js'
import type { OpenedFile, OpenRequest } from '../../src/storage.js'

/** Half of it is compressible, and each form of it is longer than what one read brings. */
const PLAIN = Buffer.concat([randomBytes(200_000), Buffer.alloc(200_000, 'tide ')])
const GZ = zlib.gzipSync(PLAIN)
const MIB = 1_048_576
const ETAG = '"v1"'

interface Served {
  path: string
  type?: string
  coding: string
  body: Buffer
  disposition?: string
}

describe('a file that is declared as compressed', () => {
  let started: Awaited<ReturnType<typeof serverAndRegistry>>
  beforeAll(async () => {
    started = await serverAndRegistry()
  })
  afterAll(() => started.close())

  let count = 0
  /** Serves coded bytes with HEAD and ranges, as static file servers do. */
  function served({ path, type = 'text/csv', coding, body, disposition }: Served) {
    const url = started.server.on(`/${++count}${path}`, (request, response: ServerResponse) => {
      const headers = {
        'content-type': type,
        'content-encoding': coding,
        etag: ETAG,
        ...(disposition ? { 'content-disposition': disposition } : {}),
      }
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
      if (!range) return response.writeHead(200, { ...headers, 'content-length': body.length }).end(body)
      const [start, end] = [Number(range[1]), Math.min(Number(range[2]), body.length - 1)]
      const part = { 'content-range': `bytes ${start}-${end}/${body.length}`, 'content-length': end - start + 1 }
      return response.writeHead(206, { ...headers, ...part }).end(body.subarray(start, end + 1))
    })
    const file = started.registry.file({ type: 'url', url })
    const open = (headers: OpenRequest['headers'] = {}, method: OpenRequest['method'] = 'GET') =>
      file.open({ ...ASKING, method, headers })
    return { file, open }
  }
  const bytes = async ({ body }: OpenedFile) => Buffer.concat(await body.toArray())

  const STORED: [string, Served, name: string | undefined, type: string][] = [
    ['by its name', { path: '/tides.csv.gz', coding: 'gzip', body: GZ }, 'tides.csv.gz', 'application/gzip'],
    [
      'by x-gzip',
      { path: '/tides.tar.gz', type: 'application/x-tar', coding: 'x-gzip', body: GZ },
      'tides.tar.gz',
      'application/gzip',
    ],
    [
      'by name and type',
      { path: '/tides.tgz', type: 'application/x-gzip', coding: 'GZIP', body: GZ },
      'tides.tgz',
      'application/x-gzip',
    ],
    [
      'by its type',
      { path: '/tides.csv', type: 'application/gzip', coding: 'gzip', body: GZ },
      'tides.csv.gz',
      'application/gzip',
    ],
    [
      'by its type, without a name',
      { path: '/tides', type: 'application/gzip; a=b', coding: 'gzip', body: GZ },
      undefined,
      'application/gzip; a=b',
    ],
    [
      'by Content-Disposition',
      {
        path: '/tides',
        type: 'application/octet-stream',
        coding: 'gzip',
        body: GZ,
        disposition: 'attachment; filename="a.svgz"',
      },
      'a.svgz',
      'application/gzip',
    ],
    [
      'and cut short',
      { path: '/tides.csv.gz', coding: 'gzip', body: GZ.subarray(0, -9) },
      'tides.csv.gz',
      'application/gzip',
    ],
    [
      'with bzip2',
      { path: '/a.tar.bz2', coding: 'x-bzip2', body: Buffer.from('BZh91AY&SY and so on') },
      'a.tar.bz2',
      'application/x-bzip2',
    ],
    [
      'with compress',
      { path: '/a.tar.Z', coding: 'x-compress', body: Buffer.from('1f9d900000000000', 'hex') },
      'a.tar.Z',
      'application/x-compress',
    ],
    [
      'with zstd',
      { path: '/a.tar.zst', coding: 'zstd', body: Buffer.from('28b52ffd0458290000', 'hex') },
      'a.tar.zst',
      'application/zstd',
    ],
  ]
  it.each(STORED)('twice, %s: keeps its bytes, by every request', async (_case, what, name, type) => {
    const { file, open } = served(what)
    const opened = await open()
    expect([opened.status, opened.name, opened.headers]).toEqual([
      200,
      name,
      { 'content-type': type, 'content-length': String(what.body.length), etag: ETAG },
    ])
    expect((await bytes(opened)).equals(what.body)).toBe(true)
    expect((await open({}, 'HEAD')).headers).toEqual(opened.headers)
    const part = await open({ range: 'bytes=2-5' })
    expect([part.status, part.name, part.headers['content-range']]).toEqual([
      206,
      opened.name,
      `bytes 2-5/${what.body.length}`,
    ])
    expect(part.headers['content-type']).toBe(type)
    expect((await bytes(part)).equals(what.body.subarray(2, 6))).toBe(true)
    expect(await file.describe(ASKING)).toMatchObject({
      valid: true,
      contentLength: what.body.length,
      contentType: type.split(';')[0],
    })
    expect(await checksumOf(file, MIB, () => undefined, ASKING)).toMatchObject({ length: what.body.length })
  })

  const DECODED: [string, Served, Buffer][] = [
    ['control: by its coding alone', { path: '/tides.csv', coding: 'gzip', body: GZ }, PLAIN],
    ['by its coding alone, as x-gzip', { path: '/tides.csv', coding: 'x-gzip', body: GZ }, PLAIN],
    ['as an archive of another format', { path: '/a.zip', type: 'application/zip', coding: 'gzip', body: GZ }, PLAIN],
    ['twice, and is compressed twice', { path: '/tides.csv.gz', coding: 'gzip', body: zlib.gzipSync(GZ) }, GZ],
  ]
  it.each(DECODED)('%s: is decoded, by every request', async (_case, what, plain) => {
    const { file, open } = served(what)
    const opened = await open()
    expect([opened.status, opened.headers]).toEqual([
      200,
      { 'content-type': what.type ?? 'text/csv', etag: `W/${ETAG}` },
    ])
    expect((await bytes(opened)).equals(plain)).toBe(true)
    expect((await open({}, 'HEAD')).headers).toEqual(opened.headers)
    const part = await open({ range: 'bytes=2-5' })
    expect([part.status, (await bytes(part)).equals(plain)]).toEqual([200, true])
    expect(await file.describe(ASKING)).toMatchObject({ valid: true })
    expect(await checksumOf(file, MIB, () => undefined, ASKING)).toMatchObject({ length: plain.length })
  })

  const text = Buffer.from('hour,height\n0,1.2\n')
  const LIES: [string, Served][] = [
    ['plain bytes', { path: '/tides.csv', coding: 'gzip', body: text }],
    ['plain bytes of a .gz', { path: '/tides.csv.gz', coding: 'gzip', body: text }],
    [
      'plain bytes of type application/gzip',
      { path: '/tides', type: 'application/gzip', coding: 'x-gzip', body: text },
    ],
    ['plain bytes of a .Z', { path: '/tides.Z', coding: 'compress', body: text }],
    ['another coding', { path: '/tides.csv', coding: 'gzip', body: zlib.deflateSync(text) }],
    ['a short file that is cut off', { path: '/tides.csv', coding: 'gzip', body: zlib.gzipSync(text).subarray(0, -9) }],
    [
      'a short file with more behind it',
      { path: '/tides.csv', coding: 'gzip', body: Buffer.concat([zlib.gzipSync(text), text]) },
    ],
  ]
  it.each(LIES)('falsely, with %s: is never valid nor delivered', async (_case, what) => {
    const { file, open } = served(what)
    expect(await file.describe(ASKING)).toMatchObject({ valid: false, reason: expect.any(String) })
    await expect(open().then(bytes)).rejects.toThrow()
  })

  it('twice: is resumed when its transfer breaks', async () => {
    const server = createServer((request, response) => {
      const headers = { 'content-encoding': 'gzip', etag: ETAG, 'content-type': 'application/gzip' }
      const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const rest = { 'content-range': `bytes ${start}-${GZ.length - 1}/${GZ.length}` }
      response.writeHead(start ? 206 : 200, { ...headers, ...(start ? rest : {}), 'content-length': GZ.length - start })
      if (start) return void response.end(GZ.subarray(start))
      response.write(GZ.subarray(0, 100_000), () => response.socket?.end())
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const file = started.registry.file({ type: 'url', url: `http://127.0.0.1:${port}/tides.csv.gz` })
    expect((await bytes(await file.open({ ...ASKING, method: 'GET', headers: {} }))).equals(GZ)).toBe(true)
    server.close()
    server.closeAllConnections()
  })
})
