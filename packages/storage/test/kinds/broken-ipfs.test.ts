import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { heldBy } from '../../../../test/helpers/measured.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import { cidOf, DAG_PB, field, RAW, tree } from '../../../../test/helpers/unixfs.js'
import { checksumOf } from '../../src/checksum.js'
import type { StoredFile } from '../../src/storage.js'

const LEAF = Buffer.from('0123456789')

// a failure below the second level used to be an unhandled rejection, which would fail this process
describe('IPFS trees that are broken below the root (threat 49)', () => {
  let gateway: StorageServer
  const egress = testEgress()
  beforeAll(async () => {
    gateway = await StorageServer.start()
  })
  afterAll(() => egress.close())

  function put(block: Uint8Array, codec = DAG_PB): CID {
    const cid = cidOf(block, codec)
    gateway.on(`/ipfs/${cid}`, (_request, response) => void response.end(block))
    return cid
  }

  /** A file whose tree reaches a block through `levels` other blocks. */
  function above(cid: CID, levels = 3, size = LEAF.length): StoredFile {
    let root = cid
    for (let level = 0; level < levels; level++) root = put(tree([[root, size]]))
    const gateways = { ipfs: [gateway.origin], filecoin: [], arweave: [] }
    return testRegistry(egress, { gateways }).file({ type: 'ipfs', hash: root.toString() })
  }

  async function read(file: StoredFile, signal = ASKING.signal): Promise<string> {
    const { body } = await file.open({ ...ASKING, method: 'GET', headers: {}, signal })
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  }

  it('control: an intact tree is read, also by range', async () => {
    const leaf = put(LEAF, RAW)
    const file = above(put(tree([[leaf, 10], [leaf, 10], [leaf, 10]])), 2, 30) // biome-ignore format: one line
    expect(await read(file)).toBe('0123456789'.repeat(3))
    const { body, headers } = await file.open({ ...ASKING, method: 'GET', headers: { range: 'bytes=8-20' } })
    expect(headers['content-range']).toBe('bytes 8-20/30')
    expect(Buffer.concat(await body.toArray()).toString()).toBe('8901234567890')
  })

  it.each<[string, () => CID]>([
    ['missing', () => cidOf(Buffer.from('nowhere'), RAW)],
    ['no protocol buffer', () => put(Buffer.from('ffffffff', 'hex'))],
    ['no data', () => put(Buffer.alloc(0))],
    ['no UnixFS', () => put(field(1, Buffer.from('ffffff', 'hex')))],
    ['a directory', () => put(field(1, field(1, 1)))],
    ['of another codec', () => put(LEAF, 0x71)],
    ['longer than its parent says', () => put(Buffer.alloc(11), RAW)],
    ['shorter than its parent says', () => put(Buffer.alloc(9), RAW)],
  ])('a block that is %s breaks the transfer, and yields no checksum', async (_name, block) => {
    const file = above(block())
    await expect(read(file)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    expect(await checksumOf(file, 1000, () => undefined, { ...ASKING })).toBeUndefined()
  })

  it('a reader who stops aborts the transfer', async () => {
    const leaf = cidOf(Buffer.from('slow'), RAW)
    let asked = 0
    gateway.on(`/ipfs/${leaf}`, () => {
      asked += 1
    })
    const gone = new AbortController()
    const reading = read(above(leaf), gone.signal)
    reading.catch(() => undefined)
    await eventually(async () => asked === 1)
    gone.abort()
    await expect(reading).rejects.toThrow()
    await eventually(async () => egress.inFlight('paid') === 0)
  })

  it('a block with tens of thousands of links does not block the event loop', async () => {
    const inline = CID.createV1(RAW, Digest.create(0, Buffer.from('x')))
    const file = above(put(tree(Array.from({ length: 50_000 }, () => [inline, 1] as const))), 1, 50_000)
    let length = 0
    const held = await heldBy(async () => {
      length = (await read(file)).length
    })
    expect(length).toBe(50_000)
    expect(held).toBeLessThan(1000)
  })
})
