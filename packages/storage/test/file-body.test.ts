import { once } from 'node:events'
import { truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { seeded } from '../../../test/helpers/recorded-disk.js'
import { pump } from '../../provider/src/http/files/pump.js'
import { BufferPool, FileBody } from '../src/file-body.js'

const PIECE = 10_000
const random = seeded(7)

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

  it('reaches every client unmixed, while others take nothing for a while or leave in the middle', async () => {
    // more than the buffers of both ends of a connection hold
    const size = 16_000_000
    const pool = new BufferPool(65_536, 4)
    // no two places are alike
    const contents = [1, 2, 3].map((number) =>
      Buffer.from(Uint32Array.from({ length: size / 4 }, (_, at) => number * 0x1000000 + at).buffer),
    )
    const paths = contents.map((content, at) => {
      const path = join(folder, `number-${at}`)
      writeFileSync(path, content)
      return path
    })
    const responses: ServerResponse[] = []
    const server = createServer(async (request, raw) => {
      responses.push(raw)
      const body = new FileBody(await open(paths[Number(request.url?.slice(1))] as string), 0, size - 1, pool)
      bodies.push(body)
      raw.writeHead(200, { 'content-length': size })
      const lifetime = { onEnd: (done: () => void) => raw.once('close', done) }
      const opened = { status: 200 as const, headers: { 'content-length': String(size) }, body }
      pump(opened, { raw, request: { lifetime } } as unknown as FastifyReply)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = async (number: number, until = size, after?: Promise<unknown>) => {
      const asked = get({ port, host: '127.0.0.1', path: `/${number}`, agent: false })
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      await after
      let [received, wrong] = [0, 0]
      for await (const chunk of answer) {
        if (!chunk.equals((contents[number] as Buffer).subarray(received, received + chunk.length))) wrong += 1
        received += chunk.length
        if (received >= until) break
      }
      expect(wrong).toBe(0)
      return received
    }
    for (let round = 0; round < 3; round++) {
      responses.length = 0
      let resume = () => {}
      const resumed = new Promise<void>((resolve) => {
        resume = resolve
      })
      const slow = [client(0, size, resumed), client(2, size, resumed)]
      let looks = 0
      await eventually(() => {
        looks = responses.filter(({ writableNeedDrain }) => writableNeedDrain).length === 2 ? looks + 1 : 0
        return looks === 3
      })
      await Promise.all([client(1), client(0, random() * size), client(2)])
      resume()
      expect(await Promise.all(slow)).toEqual([size, size])
    }
    server.closeAllConnections()
    server.close()
  })
})
