import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UNLIMITED } from '../../../../test/helpers/policy.js'
import type { StorageServer } from '../../../../test/helpers/storage-server.js'
import { ASKING, serverAndRegistry, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import type { StorageRegistry } from '../../src/kinds/registry.js'

const CONTENT = randomBytes(1_000_000)

describe('a storage that breaks in the middle', () => {
  let server: StorageServer
  let registry: StorageRegistry
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ server, registry, close } = await serverAndRegistry())
  })
  afterAll(() => close())

  /** A file that breaks after every 300 kB. */
  function breaking(
    path: string,
    headers: () => Record<string, string>,
    ranges = true,
    end = (r: ServerResponse) => void r.destroy(),
  ) {
    return server.on(path, (request, response) => {
      const range = ranges ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') : null
      const described = headers()
      const same =
        !request.headers['if-range'] || request.headers['if-range'] === (described.etag ?? described['last-modified'])
      const from = range && same ? Number(range[1]) : 0
      const to = range?.[2] && same ? Number(range[2]) : CONTENT.length - 1
      const status = range && same ? 206 : 200
      const extra = status === 206 ? { 'content-range': `bytes ${from}-${to}/${CONTENT.length}` } : {}
      response.writeHead(status, { ...described, ...extra, 'content-length': to - from + 1 })
      const part = CONTENT.subarray(from, Math.min(to + 1, from + 300_000))
      if (from + part.length > to) return void response.end(part)
      response.write(part, () => end(response))
    })
  }

  async function fetched(url: string, headers: Record<string, string> = {}, from = registry): Promise<Buffer> {
    const { body } = await from.file({ type: 'url', url, method: 'GET' }).open({ ...ASKING, method: 'GET', headers })
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  it.each([
    ['etag', { etag: '"v1"' }],
    ['last-modified', { 'last-modified': 'Sat, 21 Nov 2026 07:28:00 GMT' }],
  ])('is resumed at the exact byte with its %s', async (name, headers) => {
    const url = breaking(`/file-${name}`, () => headers)
    expect((await fetched(url)).equals(CONTENT)).toBe(true)
    expect((await fetched(url, { range: 'bytes=100000-799999' })).equals(CONTENT.subarray(100_000, 800_000))).toBe(true)
    expect(
      server
        .seen(`/file-${name}`)
        .slice(0, 4)
        .map(({ headers: seen }) => seen.range),
    ).toEqual([undefined, 'bytes=300000-999999', 'bytes=600000-999999', 'bytes=900000-999999'])
  })

  it('is resumed after a stall', async () => {
    const impatient = testEgress({ stallTimeout: 500 })
    const stalls = () => undefined
    const url = breaking('/stall', () => ({ etag: '"v1"' }), true, stalls)
    expect((await fetched(url, {}, testRegistry(impatient))).equals(CONTENT)).toBe(true)
    await impatient.close()
  })

  it.each([
    ['it has no validator', () => ({}), true],
    ['its validator is weak', () => ({ etag: 'W/"v1"' }), true],
    ['it does not do ranges', () => ({ etag: '"v1"' }), false],
    [
      'it has become another file',
      (() => {
        let version = 0
        return () => ({ etag: `"v${version++}"` })
      })(),
      true,
    ],
  ])('breaks the download visibly when %s', async (name, headers, ranges) => {
    await expect(
      fetched(breaking(`/${encodeURIComponent(name)}`, headers as () => Record<string, string>, ranges)),
    ).rejects.toThrow()
  })

  it('is retried a few times when the connection was reset before a response', async () => {
    let asked = 0
    let resets = 2
    const url = server.on('/reset', ({ socket }, response) => {
      asked += 1
      if (asked <= resets) socket.resetAndDestroy()
      else response.end('tide')
    })
    const one = testEgress({ limits: { ...UNLIMITED.limits, paid: { ...UNLIMITED.limits.paid, maxPerHost: 1 } } })
    const file = testRegistry(one).file({ type: 'url', url, method: 'GET' })
    const { body } = await file.open({ ...ASKING, method: 'GET', headers: {} })
    expect(Buffer.concat(await body.toArray()).toString()).toBe('tide')
    expect(asked).toBe(3)
    resets = Number.POSITIVE_INFINITY
    await expect(file.open({ ...ASKING, method: 'GET', headers: {} })).rejects.toMatchObject({
      code: 'STORAGE_REFUSED',
    })
    expect(asked).toBe(6)
    await one.close()
  })

  it('does not resume a body that nobody reads', async () => {
    const url = server.on('/unread', (_request, response) => response.write('tide'))
    const one = testEgress()
    const { body } = await one.request({ ...ASKING, url, method: 'GET', headers: {} })
    await one.close()
    await expect.poll(() => body.destroyed).toBe(true)
  })

  it('is retried if an idle keep-alive connection was closed while being reused, and only then', async () => {
    let answered = 0
    const url = server.on('/idle', ({ socket }, response) => {
      answered += 1
      if (answered === 2 || answered > 3) socket.destroy()
      else response.end('tide')
    })
    const one = testEgress({ limits: { ...UNLIMITED.limits, paid: { ...UNLIMITED.limits.paid, maxPerHost: 1 } } })
    const fetched = async () => {
      const file = testRegistry(one).file({ type: 'url', url, method: 'GET' })
      const { body } = await file.open({ ...ASKING, method: 'GET', headers: {} })
      return Buffer.concat(await body.toArray()).toString()
    }
    expect([await fetched(), await fetched(), answered]).toEqual(['tide', 'tide', 3])
    await expect(fetched()).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    expect(answered).toBe(5)
    await one.close()
  })
})
