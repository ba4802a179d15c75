import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { cidOf, RAW, varint } from '../../../../test/helpers/unixfs.js'
import { bytesOf, hasherFor } from '../../src/kinds/ipfs/blocks.js'
import { CarReader } from '../../src/kinds/ipfs/car-reader.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

const LONG = 300_000
const HEADER = Buffer.concat([varint(4), Buffer.alloc(4)])
const long = randomBytes(LONG)
const short = randomBytes(STORAGE_LIMITS.ipfs.copied - 1)

const section = (block: Buffer) => {
  const { bytes } = cidOf(block, RAW)
  return Buffer.concat([varint(bytes.length + block.length), bytes, block])
}
const car = Buffer.concat([HEADER, section(long), section(short), section(long)])

/** Splits bytes, each part in memory of its own as the system hands them over. */
function split(bytes: Buffer, size: number): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(Buffer.from(new Uint8Array(bytes.subarray(at, at + size))))
  return parts
}

async function blocksIn(body: Readable) {
  const reader = new CarReader(body)
  await reader.header()
  const blocks: { pieces: Uint8Array[]; length: number; isRight: boolean }[] = []
  for (let head = await reader.section(); head; head = await reader.section()) {
    const { length, multihash } = head
    const hasher = hasherFor(Digest.decode(multihash))
    const pieces = await reader.read(length, hasher)
    blocks.push({ pieces, length, isRight: hasher?.matches() ?? false })
  }
  return blocks
}

describe('a CAR', () => {
  it.each([1, 7, 1000, 4000, 5000, 65_536, car.length])('is read in pieces of %i bytes', async (size) => {
    const blocks = await blocksIn(Readable.from(split(car, size)))
    expect(blocks.map(({ isRight }) => isRight)).toEqual([true, true, true])
    expect(blocks.map((block) => Buffer.from(bytesOf(block)).equals(block.length === LONG ? long : short))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('has long blocks in the pieces in which they arrive, which are not copied', async () => {
    const parts = split(car, 65_536)
    const [block] = await blocksIn(Readable.from(parts))
    expect(block?.pieces.length).toBeGreaterThan(4)
    const arrived = new Set(parts.map(({ buffer }) => buffer))
    expect(block?.pieces.every(({ buffer }) => arrived.has(buffer as ArrayBuffer))).toBe(true)
  })

  it('has short blocks, and those in many short pieces, in one piece that retains nothing else', async () => {
    const ofLarge = await blocksIn(Readable.from([car]))
    const ofSmall = await blocksIn(Readable.from(split(car, 100)))
    for (const { pieces, length } of [ofLarge[1], ...ofSmall] as typeof ofSmall) {
      expect(pieces).toHaveLength(1)
      expect(pieces[0]?.buffer.byteLength).toBe(length)
    }
  })

  it('that is changed in one byte does not match', async () => {
    const changed = Buffer.from(car)
    changed[HEADER.length + 200_000] = (changed[HEADER.length + 200_000] as number) ^ 1
    expect((await blocksIn(Readable.from(split(changed, 5000)))).map(({ isRight }) => isRight)).toEqual([
      false,
      true,
      true,
    ])
  })

  it('is read no further ahead than a little', async () => {
    const body = new PassThrough({ highWaterMark: 1024 })
    const reader = new CarReader(body)
    let written = 0
    for (const part of split(Buffer.concat([car, ...Array.from({ length: 20 }, () => section(long))]), 16_384)) {
      written += part.length
      if (!body.write(part)) await new Promise((resolve) => setImmediate(resolve))
      if (body.writableNeedDrain) break
    }
    await reader.header()
    expect(written).toBeLessThan(400_000)
  })

  it.each([
    ['ends', (body: PassThrough) => body.end()],
    ['breaks', (body: PassThrough) => body.destroy(new Error('reset'))],
    ['is discarded', (body: PassThrough) => body.destroy()],
  ])('that %s within a block is an error, also for who waits already', async (_, end) => {
    for (const isWaiting of [false, true]) {
      const body = new PassThrough()
      const reader = new CarReader(body)
      body.write(car.subarray(0, 100_000))
      await reader.header()
      const { length = 0 } = (await reader.section()) ?? {}
      if (!isWaiting) end(body)
      const read = reader.read(length, undefined)
      if (isWaiting) setImmediate(() => end(body))
      await expect(read).rejects.toThrow()
    }
  })
})
