import { truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { BufferPool, FileBody } from '../src/file-body.js'

const PIECE = 10_000

describe('a file as a stream', () => {
  let folder: string
  const bodies: FileBody[] = []
  beforeAll(() => {
    folder = newFolder()
  })
  afterEach(async () => {
    await eventually(() => bodies.every((body) => body.closed))
    bodies.length = 0
  })

  const bodyOf = async (content: Buffer, pool: BufferPool, { start = 0, end = content.length - 1 } = {}) => {
    const path = join(folder, `file-${bodies.length}`)
    writeFileSync(path, content)
    const body = new FileBody(await open(path), start, end, pool)
    bodies.push(body)
    return { body, path }
  }
  const all = async (body: FileBody, each: (chunk: Buffer) => void = () => undefined) => {
    const chunks: Buffer[] = []
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk))
      each(chunk)
    }
    return Buffer.concat(chunks)
  }
  const mixed = Buffer.from(Array.from({ length: 95_001 }, (_, at) => (at * 7919) % 251))

  it('has exactly the bytes that were asked for', async () => {
    const pool = new BufferPool(PIECE, 2)
    for (const [start, end] of [
      [0, 95_000],
      [0, 0],
      [9_999, 10_000],
      [95_000, 95_000],
      [123, 20_122],
    ] as const) {
      const { body } = await bodyOf(mixed, pool, { start, end })
      expect((await all(body, (chunk) => body.recycle(chunk))).equals(mixed.subarray(start, end + 1))).toBe(true)
    }
  })

  it('uses memory again that comes back, and no other', async () => {
    const pool = new BufferPool(PIECE, 2)
    const memory = new Set<ArrayBufferLike>()
    const { body } = await bodyOf(mixed, pool)
    await all(body, (chunk) => {
      memory.add(chunk.buffer)
      body.recycle(chunk)
    })
    expect(memory.size).toBeLessThan(5)
    const { body: keeping } = await bodyOf(mixed, pool)
    const kept: Buffer[] = []
    await all(keeping, (chunk) => {
      kept.push(chunk)
      // half of a chunk, one of another stream, and nobody's
      for (const foreign of [chunk.subarray(0, 100), Buffer.from(chunk.buffer), Buffer.alloc(PIECE)])
        keeping.recycle(foreign)
      body.recycle(chunk)
    })
    expect(Buffer.concat(kept).equals(mixed)).toBe(true)
  })

  it('gives no memory out twice that comes back twice', async () => {
    const pool = new BufferPool(PIECE, 4)
    const { body } = await bodyOf(mixed, pool)
    await all(body, (chunk) => {
      body.recycle(chunk)
      body.recycle(chunk)
    })
    const taken = Array.from({ length: 4 }, () => pool.take(PIECE))
    expect(new Set(taken).size).toBe(4)
  })

  it('ends early if the file does, and fails if it cannot be read', async () => {
    const { body, path } = await bodyOf(mixed, new BufferPool(PIECE, 2))
    truncateSync(path, 25_000)
    expect((await all(body)).length).toBe(25_000)
    const handle = await open(folder)
    const broken = new FileBody(handle, 0, 10, new BufferPool(PIECE, 2))
    bodies.push(broken)
    await expect(all(broken)).rejects.toThrow('EISDIR')
  })
})
