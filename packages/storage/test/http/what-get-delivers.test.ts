import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ASKING, serverAndRegistry } from '../../../../test/helpers/storage-tools.js'
import { checksumOf } from '../../src/checksum.js'
import { STORAGE_LIMITS } from '../../src/limits.js'
import type { StoredFile } from '../../src/storage.js'

const FILE = Buffer.alloc(200_000, 'tide ')
const SMALL = Buffer.from('hour,height\n0,1.2\n')
const MIB = 1_048_576

type Serve = (request: IncomingMessage, response: ServerResponse) => unknown
const bytes = async (file: StoredFile) => {
  const { status, headers, body } = await file.open({ ...ASKING, method: 'GET', headers: {} })
  return { status, headers, content: Buffer.concat(await body.toArray()) }
}

describe('a file is what GET delivers', () => {
  let started: Awaited<ReturnType<typeof serverAndRegistry>>
  beforeAll(async () => {
    started = await serverAndRegistry()
  })
  afterAll(() => started.close())

  let count = 0
  function served(serve: Serve, method: 'GET' | 'POST' = 'GET') {
    const path = `/${++count}.csv`
    const url = started.server.on(path, (request, response) => void serve(request, response))
    return { file: started.registry.file({ type: 'url', url, method }), path }
  }
  const whole = (content: Buffer, response: ServerResponse, headers: Record<string, string | number> = {}) =>
    response.writeHead(200, { 'content-type': 'text/csv', 'content-length': content.length, ...headers }).end(content)

  /** Answers GET honestly, and HEAD and ranges as a case wants. */
  const except =
    (head: Serve, range: Serve = (_request, response) => response.writeHead(416).end()): Serve =>
    (request, response) => {
      if (request.method === 'HEAD') return head(request, response)
      if (request.headers.range) return range(request, response)
      return whole(FILE, response)
    }
  const status =
    (code: number): Serve =>
    (_request, response) =>
      response.writeHead(code, { 'content-length': 0 }).end()
  const length =
    (bytes: number): Serve =>
    (_request, response) =>
      response.writeHead(200, { 'content-length': bytes }).end()
  const hang: Serve = () => undefined

  it.each<[string, Serve]>([
    ['control: everything is honest', except(length(FILE.length), (_request, response) => whole(FILE, response))],
    ['HEAD hangs', except(hang)],
    ['HEAD and ranges hang', except(hang, hang)],
    ['HEAD says 0 bytes', except(length(0))],
    ['HEAD says fewer bytes', except(length(7))],
    ['HEAD says more bytes', except(length(10 * MIB))],
    ['HEAD is refused with 403', except(status(403), status(403))],
    ['HEAD is refused with 405, ranges with 501', except(status(405), status(501))],
    ['HEAD fails with 500', except(status(500))],
    ['HEAD resets the connection', except((request) => request.socket.destroy())],
  ])('%s: it is described with its size, and delivered, also by HEAD', async (_case, serve) => {
    const { file } = served(serve)
    expect(await file.describe(ASKING)).toMatchObject({ valid: true, contentLength: FILE.length })
    const { headers, body } = await file.open({ ...ASKING, method: 'HEAD', headers: {} })
    expect([headers['content-length'], await body.toArray()]).toEqual([String(FILE.length), []])
    expect((await bytes(file)).content.equals(FILE)).toBe(true)
    expect(await checksumOf(file, MIB, () => undefined, ASKING)).toMatchObject({ length: FILE.length })
  })

  const part = (range: string, content: Buffer, headers = {}): Serve => {
    return (_request, response) =>
      response.writeHead(206, { 'content-range': range, 'content-length': content.length, ...headers }).end(content)
  }

  it('a 206 to a plain GET is the file if it provably holds all of it', async () => {
    const { file } = served(part(`bytes 0-${SMALL.length - 1}/${SMALL.length}`, SMALL))
    expect(await file.describe(ASKING)).toMatchObject({ valid: true, contentLength: SMALL.length })
    const { status, headers, content } = await bytes(file)
    expect([status, headers['content-range'], content]).toEqual([200, undefined, SMALL])
  })

  it.each<[string, Serve]>([
    ['a part', part('bytes 0-17/40', SMALL)],
    ['a part of an unknown whole', part('bytes 0-17/*', SMALL)],
    ['the end', part('bytes 1-18/19', SMALL)],
    ['a part without a range', part('', SMALL)],
    ['a part with fewer bytes than its range', part('bytes 0-19/20', SMALL)],
    [
      '404, although HEAD is fine',
      (request, response) => (request.method === 'HEAD' ? length(9) : status(404))(request, response),
    ],
    [
      '403, although HEAD and ranges are fine',
      (request, response) =>
        request.method === 'HEAD' || request.headers.range
          ? part('bytes 0-0/18', SMALL.subarray(0, 1))(request, response)
          : status(403)(request, response),
    ],
    ['416 to no range', status(416)],
    ['304 to no condition', status(304)],
    [
      'fewer bytes than announced',
      (_request, response) =>
        response.writeHead(200, { 'content-length': 1000 }).write(SMALL, () => response.socket?.end()),
    ],
  ])('%s is neither valid nor delivered', async (_case, serve) => {
    const { file } = served(serve)
    expect(await file.describe(ASKING)).toMatchObject({ valid: false, reason: expect.any(String) })
    await expect(bytes(file)).rejects.toThrow()
  })
  it('that sends nothing but headers is not valid at the deadline', async () => {
    const { file } = served((_request, response) => response.writeHead(200, { 'content-length': 9 }).flushHeaders())
    const gone = new AbortController()
    const described = file.describe({ ...ASKING, signal: gone.signal })
    await eventually(() => started.server.seen(`/${count}.csv`).length === 1)
    gone.abort()
    expect(await described).toEqual({ valid: false, reason: 'timeout' })
  })

  const chunked = (content: Buffer, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/csv' }).write(content)
    response.end()
  }

  it('a short file without a length is counted', async () => {
    const { file, path } = served((_request, response) => chunked(SMALL, response))
    expect(await file.describe(ASKING)).toMatchObject({ valid: true, contentLength: SMALL.length })
    expect(started.server.seen(path)).toHaveLength(1)
  })

  it.each<[string, number | undefined, string, object?]>([
    ['told by a range', FILE.length, `bytes 0-0/${FILE.length}`],
    ['unknown if the range contradicts GET', undefined, 'bytes 0-0/7'],
    ['unknown if it is that of another version', undefined, `bytes 0-0/${FILE.length}`, { etag: '"other"' }],
    ['unknown if the range does not tell it', undefined, 'bytes 0-0/*'],
  ])('the size of a long file without one is %s', async (_case, contentLength, range, headers = {}) => {
    const { file } = served((request, response) =>
      request.headers.range ? part(range, FILE.subarray(0, 1), headers)(request, response) : chunked(FILE, response),
    )
    expect((await file.describe(ASKING)).contentLength).toBe(contentLength)
  })

  it('one connection is closed early, and a POST is sent once', async () => {
    let written = 0
    const endless: Serve = (_request, response) => {
      response.writeHead(200, { 'content-length': 1024 * MIB })
      const more = () => {
        while (!response.destroyed && response.write(FILE)) written += FILE.length
      }
      response.on('drain', more)
      more()
    }
    for (const method of ['GET', 'POST'] as const) {
      const { file, path } = served(endless, method)
      let fetched = 0
      const context = {
        ...ASKING,
        fetched: (bytes: number) => {
          fetched += bytes
        },
      }
      expect(await file.describe(context)).toMatchObject({ valid: true, contentLength: 1024 * MIB })
      await eventually(() => started.server.seen(path)[0]?.aborted === true)
      expect(started.server.seen(path)).toHaveLength(1)
      expect(fetched).toBeLessThanOrEqual(4 * STORAGE_LIMITS.describing.sample)
    }
    expect(written).toBeLessThan(64 * MIB)
  })
})
