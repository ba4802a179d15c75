import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IpfsGateway } from '../../../test/helpers/ipfs-gateway.js'
import { ASKING, testEgress, testRegistry } from '../../../test/helpers/storage-tools.js'
import { BlockCache, type BlockCacheOptions, type CacheEvent } from '../src/cache/block-cache.js'

const MIB = 1 << 20

let folder: string
let events: Partial<Record<CacheEvent, number>>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-cache-'))
  events = {}
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function cache(changed: Partial<BlockCacheOptions> = {}): BlockCache {
  const onEvent = (event: CacheEvent, count: number) => {
    events[event] = (events[event] ?? 0) + count
  }
  return new BlockCache({ folder, size: 16 * MIB, writers: 1, shards: 1, onEvent, ...changed })
}

/** Each block is hashed once: a test looks for the files of its blocks again and again. */
const hashes = new WeakMap<Uint8Array, Buffer>()
function hashOf(block: Uint8Array): Buffer {
  const known = hashes.get(block)
  if (known) return known
  const hash = Buffer.concat([Buffer.from('1220', 'hex'), createHash('sha256').update(block).digest()])
  hashes.set(block, hash)
  return hash
}
const get = (from: BlockCache, block: Uint8Array) =>
  from.get(hashOf(block), async (bytes) => hashOf(bytes).equals(hashOf(block)))

/** The files of all blocks. */
const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
const bytesOnDisk = () => files().reduce((sum, path) => sum + statSync(path).size, 0)
const pathOf = (block: Uint8Array) => files().find((path) => path.endsWith(hashOf(block).toString('hex'))) as string

describe('the cache of blocks', () => {
  it('returns what was stored, also to another process and after a restart', async () => {
    const [one, block] = [cache(), randomBytes(100_000)]
    expect(await get(one, block)).toBeUndefined()
    one.put(hashOf(block), block)
    await one.settled()
    expect(block.equals((await get(cache(), block)) as Buffer)).toBe(true)
    expect(events).toEqual({ miss: 1, stored: 1, hit: 1 })
    // nobody else on this machine may read what was paid for
    expect(statSync(pathOf(block)).mode & 0o077).toBe(0)
  })

  it.each<[string, (path: string) => void]>([
    [
      'a flipped bit',
      (path) =>
        writeFileSync(
          path,
          readFileSync(path).map((byte, at) => (at === 7 ? byte ^ 1 : byte)),
        ),
    ],
    ['a part of it', (path) => writeFileSync(path, readFileSync(path).subarray(0, 50))],
    ['nothing', (path) => writeFileSync(path, '')],
    ['far too much', (path) => writeFileSync(path, Buffer.alloc(5 * MIB))],
  ])('a file that holds %s is removed, and the block is not there', async (_name, harm) => {
    const [one, block] = [cache(), randomBytes(100_000)]
    one.put(hashOf(block), block)
    await one.settled()
    harm(pathOf(block))
    expect(await get(one, block)).toBeUndefined()
    expect([events.corrupt, files()]).toEqual([1, []])
    one.put(hashOf(block), block)
    await one.settled()
    expect(await get(one, block)).toBeDefined()
  })

  it('never holds more than its size, and evicts what was used least recently', async () => {
    const one = cache()
    const blocks = Array.from({ length: 10 }, () => randomBytes(MIB))
    for (const block of blocks) one.put(hashOf(block), block)
    await one.settled()
    // as if all but two had been used an hour ago
    const long = Date.now() / 1000 - 3600
    for (const block of blocks) utimesSync(pathOf(block), long, long)
    for (const block of blocks.slice(3, 5)) await get(one, block)
    for (let more = 0; more < 30; more++) {
      const block = randomBytes(MIB)
      one.put(hashOf(block), block)
      await one.settled()
      expect(bytesOnDisk()).toBeLessThanOrEqual(16 * MIB)
      const left = blocks.filter((old) => pathOf(old))
      const used = blocks.slice(3, 5)
      if (left.some((old) => !used.includes(old))) expect(used.every((one) => left.includes(one))).toBe(true)
    }
    expect(events.evicted).toBeGreaterThan(20)
    expect(bytesOnDisk()).toBeGreaterThan(8 * MIB)
  })

  it('a disk that fails keeps nothing, is left alone for a while, and harms nobody', async () => {
    writeFileSync(join(folder, 'blocks'), 'in the way')
    const [one, block] = [cache(), randomBytes(1000)]
    one.put(hashOf(block), block)
    await one.settled()
    one.put(hashOf(block), block)
    expect(await get(one, block)).toBeUndefined()
    expect(events).toEqual({ failed: 1, skipped: 1, miss: 1 })
  })

  it('a disk that is too slow makes no queue without end', async () => {
    const one = cache({ size: 2 ** 30, shards: 64 })
    for (let at = 0; at < 40; at++) {
      const block = randomBytes(MIB)
      one.put(hashOf(block), block)
    }
    expect(events.skipped).toBe(8)
    await one.settled()
    expect(events.stored).toBe(32)
  })

  it('killed processes leave complete blocks, and together they keep to the size', async () => {
    const size = 24 * MIB
    const writers = [1, 2].map(() =>
      spawn(process.execPath, ['--import', 'tsx', 'packages/storage/test/cache-writer.ts', folder, String(size), '2'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    try {
      await Promise.all(writers.map(({ stdout }) => once(stdout as NonNullable<ChildProcess['stdout']>, 'data')))
      for (let look = 0; look < 50; look++) {
        expect(bytesOnDiskWhileUsed()).toBeLessThanOrEqual(size)
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      for (const writer of writers) {
        const exited = once(writer, 'exit')
        writer.kill('SIGKILL')
        await exited
      }
    }
    const complete = files().filter((path) => !path.endsWith('.tmp'))
    expect(complete.length).toBeGreaterThan(20)
    for (const path of complete) expect(path.endsWith(hashOf(readFileSync(path)).toString('hex'))).toBe(true)
    // what a killed process left behind is removed after a while
    const left = join(folder, 'blocks', '00', 'left.1.tmp')
    writeFileSync(left, randomBytes(MIB))
    utimesSync(left, 1, 1)
    const [one, block] = [cache({ size }), randomBytes(MIB)]
    one.put(hashOf(block), block)
    await one.settled()
    expect(files()).not.toContain(left)
  })

  /** Like bytesOnDisk, while other processes remove files. */
  function bytesOnDiskWhileUsed(): number {
    return files().reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
  }
})

describe('files on IPFS with a cache', () => {
  const content = randomBytes(5 * MIB + 99)

  /** A gateway with the file, and a reader of it that counts what was fetched. */
  async function begun(blockCache: BlockCache) {
    const [gateway, egress] = [await IpfsGateway.start(), testEgress()]
    const { cid, blocks } = await gateway.add(content)
    const registry = testRegistry(egress, {
      gateways: { ipfs: [gateway.origin], filecoin: [gateway.origin], arweave: [] },
      blockCache,
    })
    async function read(range?: string, file: object = { type: 'ipfs', hash: cid }): Promise<Buffer> {
      const headers = range ? { range } : {}
      const { body } = await registry.file(file).open({ ...ASKING, method: 'GET', headers })
      const bytes = Buffer.concat(await body.toArray())
      await blockCache.settled()
      return bytes
    }
    const close = async () => {
      await egress.close()
      await gateway.close()
    }
    return { gateway, registry, cid, blocks, read, close }
  }

  it('a second download asks no gateway, nor do ranges, HEAD, and the same content by another kind', async () => {
    const { gateway, registry, cid, read, close } = await begun(cache({ size: 2 ** 30 }))
    expect((await read()).equals(content)).toBe(true)
    gateway.down = true
    const before = gateway.requests
    expect((await read()).equals(content)).toBe(true)
    expect((await read('bytes=1000000-2000000')).equals(content.subarray(1_000_000, 2_000_001))).toBe(true)
    expect((await read(undefined, { type: 'filecoin', cid })).equals(content)).toBe(true)
    const head = await registry.file({ type: 'ipfs', hash: cid }).open({ ...ASKING, method: 'HEAD', headers: {} })
    expect(head.headers['content-length']).toBe(String(content.length))
    expect(gateway.requests).toBe(before)
    await close()
  })

  it('a broken block is fetched alone, and a lost rest by one CAR from there', async () => {
    const { gateway, blocks, read, close } = await begun(cache({ size: 2 ** 30 }))
    await read()
    const stored = files()
    const broken = stored.find((path) => path.endsWith(digestOf(blocks[6] as string))) as string
    writeFileSync(broken, 'nonsense')
    Object.assign(gateway, { cars: 0, singles: 0 })
    expect((await read()).equals(content)).toBe(true)
    expect([gateway.cars, gateway.singles, events.corrupt]).toEqual([0, 1, 1])
    // the last ten leaves are gone
    for (const cid of blocks.slice(10, 20)) rmSync(stored.find((path) => path.endsWith(digestOf(cid))) as string)
    gateway.asked.length = 0
    expect((await read()).equals(content)).toBe(true)
    expect(gateway.cars).toBe(1)
    expect(gateway.asked[0]?.search).toContain(`&entity-bytes=${10 * 262_144}:`)
    await close()
  })

  it('a request without an order neither fills the cache nor shows what is in it', async () => {
    const { gateway, registry, cid, read, close } = await begun(cache({ size: 2 ** 30 }))
    const file = registry.file({ type: 'ipfs', hash: cid })
    const anonymous = { ...ASKING, budget: 'anonymous' } as const
    await file.describe(anonymous)
    expect(events).toEqual({})
    await read()
    const before = gateway.requests
    await file.describe(anonymous)
    expect(gateway.requests).toBe(before + 1)
    await close()
  })

  it('a folder that cannot be used does not harm a download', async () => {
    mkdirSync(join(folder, 'blocks'))
    for (let at = 0; at < 64; at++) writeFileSync(join(folder, 'blocks', at.toString(16).padStart(2, '0')), '')
    const { read, close } = await begun(cache({ size: 2 ** 30, shards: 64 }))
    expect((await read()).equals(content)).toBe(true)
    expect((await read()).equals(content)).toBe(true)
    expect(events.failed).toBeGreaterThan(0)
    expect(events.stored).toBeUndefined()
    await close()
  })
})

/** The hash of a CID in hex, as files of the cache end. */
function digestOf(cid: string): string {
  return Buffer.from(CID.parse(cid).multihash.bytes).toString('hex')
}
