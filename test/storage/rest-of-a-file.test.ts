import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StorageRegistry } from '../../src/storage/registry.js'
import { StorageServer } from '../helpers/storage-server.js'
import { ASKING, testEgress, testRegistry } from '../helpers/storage-tools.js'

const WHOLE = 200_000
const FIRST = 100_000

describe('a storage whose rest of a file is not what it says', () => {
  let server: StorageServer
  let registry: StorageRegistry
  const egress = testEgress({ stallTimeout: 500 })
  beforeAll(async () => {
    server = await StorageServer.start()
    registry = testRegistry(egress)
  })
  afterAll(async () => {
    await egress.close()
    await server.close()
  })

  interface Rest {
    /** Bytes by which it is longer than its range. */
    longer?: number
    /** Headers in place of the right ones; undefined leaves one out. */
    headers?: Record<string, string | undefined>
    /** Headers of the beginning. */
    begun?: Record<string, string>
  }

  /** What is handed on of a file that breaks once, and then goes on with such a rest. */
  async function handedOn(path: string, rest: Rest): Promise<{ bytes: number; broken: boolean }> {
    const begun = rest.begun ?? { etag: '"v1"' }
    const url = server.on(path, ({ headers }, response) => {
      if (headers.range === undefined) {
        response.writeHead(200, { ...begun, 'content-length': WHOLE })
        return void response.write(Buffer.alloc(FIRST), () => response.destroy())
      }
      const from = Number(/^bytes=(\d+)-/.exec(headers.range)?.[1])
      const length = WHOLE - from + (rest.longer ?? 0)
      const described = { ...begun, 'content-range': `bytes ${from}-${WHOLE - 1}/${WHOLE}`, ...rest.headers }
      for (const [name, value] of Object.entries(described)) if (value !== undefined) response.setHeader(name, value)
      if (rest.longer !== undefined) response.setHeader('content-length', length)
      response.writeHead(206).end(Buffer.alloc(length))
    })
    const { body } = await registry
      .file({ type: 'url', url, method: 'GET' })
      .open({ ...ASKING, method: 'GET', headers: {} })
    let bytes = 0
    try {
      for await (const chunk of body) bytes += (chunk as Buffer).length
      return { bytes, broken: false }
    } catch {
      return { bytes, broken: true }
    }
  }

  const MODIFIED = 'Sat, 21 Nov 2026 07:28:00 GMT'

  it.each<[string, Rest]>([
    ['of the right length', { longer: 0 }],
    ['in chunks', {}],
    ['under the time of its last change', { begun: { 'last-modified': MODIFIED } }],
    [
      'that does not repeat that time',
      { begun: { 'last-modified': MODIFIED }, headers: { 'last-modified': undefined } },
    ],
    [
      'whose entity tag alone is repeated',
      { begun: { etag: '"v1"', 'last-modified': MODIFIED }, headers: { 'last-modified': undefined } },
    ],
  ])('control: a rest %s completes the file', async (name, rest) => {
    expect(await handedOn(`/right-${name.length}`, rest)).toEqual({ bytes: WHOLE, broken: false })
  })

  it('threat 69: a longer rest never gets past the end, where it would be read as another response', async () => {
    const { bytes } = await handedOn('/longer', { longer: 5_000 })
    expect(bytes).toBeLessThanOrEqual(WHOLE)
  })

  it('a shorter rest does not look like a whole file', async () => {
    expect(await handedOn('/shorter', { longer: -5_000 })).toMatchObject({ broken: true })
  })

  it.each<[string, Rest]>([
    ['that has another entity tag', { headers: { etag: '"v2"' } }],
    ['that has none any more', { headers: { etag: undefined } }],
    ['that has a weak one', { headers: { etag: 'W/"v1"' } }],
    [
      'that was changed at another time',
      { begun: { 'last-modified': MODIFIED }, headers: { 'last-modified': 'Sun, 22 Nov 2026 07:28:00 GMT' } },
    ],
    ['that is of a longer file', { headers: { 'content-range': `bytes ${FIRST}-${WHOLE - 1}/${WHOLE + 1}` } }],
    ['that is of a file without a known end', { headers: { 'content-range': `bytes ${FIRST}-${WHOLE - 1}/*` } }],
    ['that is another range', { headers: { 'content-range': `bytes 0-${WHOLE - FIRST - 1}/${WHOLE}` } }],
    ['that has two ranges', { headers: { 'content-range': `bytes ${FIRST}-${WHOLE - 1}/${WHOLE}, bytes 0-1/2` } }],
  ])('threat 70: a rest %s is of another file, and not a byte of it is handed on', async (name, rest) => {
    expect(await handedOn(`/other-${name.length}`, rest)).toEqual({ bytes: FIRST, broken: true })
  })
})
