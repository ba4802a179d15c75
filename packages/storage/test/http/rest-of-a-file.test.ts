import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StorageServer } from '../../../../test/helpers/storage-server.js'
import { ASKING, serverAndRegistry } from '../../../../test/helpers/storage-tools.js'
import type { StorageRegistry } from '../../src/kinds/registry.js'

const WHOLE = 200_000
const FIRST = 100_000

describe('resuming a transfer when the rest of the file is wrong', () => {
  let server: StorageServer
  let registry: StorageRegistry
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ server, registry, close } = await serverAndRegistry())
  })
  afterAll(() => close())

  interface Rest {
    /** Bytes by which the rest is longer than its range. */
    longer?: number
    /** Overrides of the correct headers; undefined omits one. */
    headers?: Record<string, string | undefined>
    /** Headers of the first response. */
    begun?: Record<string, string>
  }

  /** What a consumer receives of a file that breaks once and is resumed with this rest. */
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

  it('a longer rest is cut off, so that its last bytes are not read as another response (threat 69)', async () => {
    const { bytes } = await handedOn('/longer', { longer: 5_000 })
    expect(bytes).toBeLessThanOrEqual(WHOLE)
  })

  it('a shorter rest does not look like a complete file', async () => {
    expect(await handedOn('/shorter', { longer: -5_000 })).toMatchObject({ broken: true })
  })

  it.each<[string, Rest]>([
    ['that has another entity tag', { headers: { etag: '"v2"' } }],
    ['that no longer has one', { headers: { etag: undefined } }],
    ['that has a weak one', { headers: { etag: 'W/"v1"' } }],
    [
      'that was changed at another time',
      { begun: { 'last-modified': MODIFIED }, headers: { 'last-modified': 'Sun, 22 Nov 2026 07:28:00 GMT' } },
    ],
    ['that is of a longer file', { headers: { 'content-range': `bytes ${FIRST}-${WHOLE - 1}/${WHOLE + 1}` } }],
    ['that is of a file without a known end', { headers: { 'content-range': `bytes ${FIRST}-${WHOLE - 1}/*` } }],
    ['that is another range', { headers: { 'content-range': `bytes 0-${WHOLE - FIRST - 1}/${WHOLE}` } }],
    ['that has two ranges', { headers: { 'content-range': `bytes ${FIRST}-${WHOLE - 1}/${WHOLE}, bytes 0-1/2` } }],
  ])('a rest %s belongs to another file, and not a byte of it is sent (threat 70)', async (name, rest) => {
    expect(await handedOn(`/other-${name.length}`, rest)).toEqual({ bytes: FIRST, broken: true })
  })
})
