import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StorageRegistry } from '../../src/storage/registry.js'
import { StorageServer } from '../helpers/storage-server.js'
import { ASKING, testEgress, testRegistry } from '../helpers/storage-tools.js'

const WHOLE = 200_000
const FIRST = 100_000

describe('a storage whose rest of a file is not as long as it says', () => {
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

  /** What is handed on of a file that breaks once, and whose rest has another length than its range. */
  async function handedOn(path: string, rest: number): Promise<{ bytes: number; broken: boolean }> {
    const url = server.on(path, ({ headers }, response) => {
      const etag = '"v1"'
      if (headers.range === undefined) {
        response.writeHead(200, { etag, 'content-length': WHOLE })
        return void response.write(Buffer.alloc(FIRST), () => response.destroy())
      }
      const from = Number(/^bytes=(\d+)-/.exec(headers.range)?.[1])
      const range = `bytes ${from}-${WHOLE - 1}/${WHOLE}`
      const length = WHOLE - from + rest
      response.writeHead(206, { etag, 'content-range': range, 'content-length': length }).end(Buffer.alloc(length))
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

  it('control: a rest of the right length completes the file', async () => {
    expect(await handedOn('/right', 0)).toEqual({ bytes: WHOLE, broken: false })
  })

  it('threat 69: a longer rest never gets past the end, where it would be read as another response', async () => {
    const { bytes } = await handedOn('/longer', 5_000)
    expect(bytes).toBeLessThanOrEqual(WHOLE)
  })

  it('a shorter rest does not look like a whole file', async () => {
    expect(await handedOn('/shorter', -5_000)).toMatchObject({ broken: true })
  })
})
