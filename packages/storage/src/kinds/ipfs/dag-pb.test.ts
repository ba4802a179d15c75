import { randomBytes } from 'node:crypto'
import { MemoryBlockstore } from 'blockstore-core'
import { exporter } from 'ipfs-unixfs-exporter'
import { importer } from 'ipfs-unixfs-importer'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/helpers/measured.js'
import { cidOf, field, RAW, tree } from '../../../../../test/helpers/unixfs.js'
import { readFileBlock } from './dag-pb.js'

const MIB = 1 << 20
const some = cidOf(Buffer.from('tide'), RAW)

/** Returns the milliseconds of the fastest of several runs, so that other load does not count. */
function took(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const begun = clock()
    work()
    return clock() - begun
  })
  return Math.min(...times)
}

describe('blocks of files on IPFS', () => {
  it('are decoded like in the IPFS library, in every layout of importers', async () => {
    const blocks = new MemoryBlockstore()
    const shapes = [
      { rawLeaves: true, cidVersion: 1 },
      { rawLeaves: false, cidVersion: 0 },
      { rawLeaves: false, cidVersion: 1, leafType: 'raw' },
    ] as const
    let compared = 0
    const compare = async (cid: CID): Promise<void> => {
      if (cid.code === RAW) return
      const parts: Uint8Array[] = []
      for await (const part of blocks.get(cid)) parts.push(part)
      const entry = await exporter(cid, blocks as never)
      if (entry.type !== 'file') throw new Error(entry.type)
      const file = readFileBlock(Buffer.concat(parts))
      expect(Buffer.compare(Buffer.from(file?.own ?? []), Buffer.from(entry.unixfs.data ?? []))).toBe(0)
      const links = (file?.links ?? []).map(({ cid: link, size }) => [CID.decode(link).toString(), size])
      const { Links } = (entry as unknown as { node: { Links: { Hash: CID }[] } }).node
      expect(links).toEqual(Links.map(({ Hash }, at) => [Hash.toString(), Number(entry.unixfs.blockSizes[at])]))
      compared += 1
      for (const { Hash } of Links) await compare(Hash)
    }
    for (const shape of shapes)
      for await (const { cid } of importer([{ path: 'file', content: randomBytes(3 * MIB) }], blocks as never, shape))
        await compare(cid as CID)
    expect(compared).toBeGreaterThan(20)
  })

  it.each<[string, Buffer]>([
    ['names 35,000 others', tree(Array.from({ length: 35_000 }, () => [some, 1] as const))],
    ['has a million sizes', field(1, Buffer.concat([field(1, 2), Buffer.alloc(2 * MIB - 64, Buffer.from([0x20, 1]))]))],
    ['is full of empty links', Buffer.alloc(2 * MIB, Buffer.from([0x12, 0]))],
    ['is full of links of one byte', Buffer.alloc(2 * MIB - 2, Buffer.from([0x12, 2, 0x0a, 0]))],
  ])('of 2 MiB do not block the event loop: one that %s (threat 77)', (_name, block) => {
    expect(block.length).toBeLessThanOrEqual(2 * MIB)
    const read = () => {
      try {
        readFileBlock(block)
      } catch {
        // a refusal is as fast
      }
    }
    expect(took(read)).toBeLessThan(400)
  })

  it.each<[string, Buffer]>([
    ['is cut off', Buffer.from([0x0a, 5, 8])],
    ['has a number without end', Buffer.alloc(40, 0xff)],
    ['has data twice', Buffer.concat([field(1, field(1, 2)), field(1, field(1, 2))])],
    ['has no data', field(2, field(1, some.bytes))],
    ['has more links than sizes', Buffer.concat([field(2, field(1, some.bytes)), field(1, field(1, 2))])],
    ['has a group', Buffer.from([0x0b, 0x0c])],
  ])('are rejected: one that %s', (_name, block) => {
    expect(() => readFileBlock(block)).toThrow()
  })

  it('are rejected if they are a directory', () => {
    expect(readFileBlock(field(1, field(1, 1)))).toBeUndefined()
  })
})
