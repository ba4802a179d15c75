import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Block, carOf, depthFirst } from '../../../../test/helpers/cars.js'
import { type AnswerCar, sendCar } from '../../../../test/helpers/ipfs-gateway.js'
import { ASKING } from '../../../../test/helpers/storage-tools.js'
import { bufferOf, CarGateways, CONTENT, distinct, fixed, foreign, MIB, TYPE } from './car-gateways.js'

describe('files on IPFS by CAR', () => {
  const rig = CarGateways.forTests()
  const { first, second, file, read, isWhole, answers, withBlocks } = rig

  it('one request brings a whole file, and not much more than its bytes', async () => {
    await isWhole()
    expect([first().requests, first().cars, second().requests]).toEqual([1, 1, 0])
    expect(first().asked[0]?.search).toBe('?format=car&dag-scope=entity')
    expect(first().asked[0]?.accept).toMatch(/^application\/vnd\.ipld\.car; version=1; order=dfs; dups=y\b/)
    expect(rig.fetched).toBeLessThanOrEqual(1.1 * CONTENT.length)
    // the connection is kept for the next file
    expect(rig.egress.inFlight('paid')).toBe(0)
  })

  it.each([
    ['bytes=1000000-1999999', '1000000:1999999', 1_000_000, 2_000_000],
    ['bytes=3000000-', '3000000:*', 3_000_000, CONTENT.length],
    ['bytes=-70000', '-70000:*', CONTENT.length - 70_000, CONTENT.length],
    ['bytes=-99999999', '-99999999:*', 0, CONTENT.length],
    ['bytes=0-99999999', '0:99999999', 0, CONTENT.length],
    ['bytes=5-4', null, 0, CONTENT.length],
  ])('a range is one request as well: %s', async (range, entityBytes, start, end) => {
    expect((await read(file(), range)).equals(CONTENT.subarray(start, end))).toBe(true)
    expect(first().requests).toBe(1)
    expect(new URLSearchParams(first().asked[0]?.search).get('entity-bytes')).toBe(entityBytes)
    // both ends lie within blocks of 256 KiB
    expect(rig.fetched).toBeLessThanOrEqual(1.1 * (end - start) + 2 * 262_144 + 4096)
  })

  it('a range outside of the file is unsatisfiable', async () => {
    const ask = { ...ASKING, method: 'GET', headers: { range: `bytes=${CONTENT.length}-` } } as const
    const { status, headers } = await file().open(ask)
    expect([status, headers['content-range']]).toEqual([416, `bytes */${CONTENT.length}`])
    // a gateway may also say so with 400, which does not mean that it makes no CARs
    answers((_asked, response) => void response.writeHead(400).end())
    const stored = file()
    expect((await stored.open(ask)).status).toBe(416)
    Object.assign(first(), { answerCar: sendCar, cars: 0 })
    await isWhole(stored)
    expect(first().cars).toBe(1)
  })

  it.each<[string, object]>([
    ['leaves of 1 MiB', { chunker: fixed(MIB) }],
    ['leaves in dag-pb', { rawLeaves: false, cidVersion: 0 }],
    ['several levels', { chunker: fixed(10_000) }],
  ])('every layout: %s', async (_name, options) => {
    const content = randomBytes(4 * MIB + 1)
    const { cid: hash } = await first().add(content, 'file', options)
    expect((await read(file(hash))).equals(content)).toBe(true)
    expect((await read(file(hash), 'bytes=1234567-2345678')).equals(content.subarray(1_234_567, 2_345_679))).toBe(true)
    expect(first().requests).toBe(2)
  })

  it.each(['dups=y', 'dups=n', ''])('blocks that occur many times, from a gateway that says %j', async (parameters) => {
    const content = Buffer.concat([Buffer.alloc(2 * MIB), randomBytes(MIB), Buffer.alloc(2 * MIB)])
    const { cid: hash } = await first().add(content)
    answers(async (asked, response) => {
      const blocks = parameters === 'dups=n' ? distinct(asked.blocks) : asked.blocks
      await sendCar({ ...asked, blocks }, response, parameters)
    })
    expect((await read(file(hash))).equals(content)).toBe(true)
    expect(first().requests).toBe(1)
    expect(rig.fetched).toBeLessThanOrEqual(1.1 * content.length)
  })

  describe('a gateway that makes no CARs', () => {
    it.each<[string, AnswerCar]>([
      ['406', (_asked, response) => void response.writeHead(406).end()],
      ['400', (_asked, response) => void response.writeHead(400).end('unsupported format')],
      ['501', (_asked, response) => void response.writeHead(501).end()],
      ['a page', (_asked, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
      [
        'the file',
        (_asked, response) => void response.writeHead(200, { 'content-length': CONTENT.length }).end(CONTENT),
      ],
      [
        'a CAR of version 2',
        (_asked, response) =>
          void response.writeHead(200, { 'content-type': 'application/vnd.ipld.car; version=2' }).end('x'),
      ],
    ])('that answers with %s is asked for single blocks, and not for CARs for a while', async (_name, answer) => {
      answers(answer)
      const stored = file(rig.cid, [first().origin])
      await isWhole(stored)
      expect([first().cars, first().singles]).toEqual([1, rig.blocks.length])
      await isWhole(stored)
      expect(first().cars).toBe(1)
      expect(rig.fetched).toBeLessThanOrEqual(2.2 * CONTENT.length + 2 * MIB)
    })

    it('is skipped if another one makes them', async () => {
      answers((_asked, response) => void response.writeHead(406).end())
      await isWhole()
      expect([first().requests, second().requests, second().cars]).toEqual([1, 1, 1])
    })
  })

  describe('a CAR that breaks is continued', () => {
    it.each<[string, (sent: Buffer, response: ServerResponse) => void]>([
      ['by a reset', (sent, response) => void response.write(sent, () => response.destroy())],
      ['with an end that looks regular', (sent, response) => void response.end(sent)],
      [
        'and goes on with nonsense',
        (sent, response) => void response.end(Buffer.concat([sent, Buffer.alloc(99, 255)])),
      ],
      ['with empty sections', (sent, response) => void response.end(Buffer.concat([sent, Buffer.alloc(99)]))],
    ])('%s: at the next gateway', async (_name, end) => {
      answers(async ({ root, blocks: honest }, response) => {
        const car = await bufferOf(carOf(root, honest))
        response.writeHead(200, TYPE)
        end(car.subarray(0, 2 * MIB), response)
      })
      await isWhole()
      expect([first().cars, second().cars, first().singles + second().singles]).toEqual([1, 1, 0])
      const [, rest] = /entity-bytes=(\d+):/.exec(second().asked[0]?.search ?? '') ?? []
      expect(Number(rest)).toBeGreaterThanOrEqual(MIB)
      expect(rig.fetched).toBeLessThanOrEqual(1.1 * CONTENT.length + 262_144)
    })

    it('when a block is wrong: at the next gateway, which is asked for no byte twice', async () => {
      first().lies.add(rig.blocks.at(-4) as string)
      await isWhole()
      expect([first().cars, second().cars, first().singles + second().singles]).toEqual([1, 1, 0])
    })

    it('when no gateway has it all: by single blocks, each from the gateway that has it', async () => {
      const [at, other] = [rig.blocks[3] as string, rig.blocks[8] as string]
      first().lies.add(at)
      second().lies.add(other)
      await isWhole()
      first().lies.add(other)
      await expect(read()).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    })

    it('again and again: a few times, then single blocks', async () => {
      let breaks = 0
      answers(async ({ root, blocks: honest }, response) => {
        breaks += 1
        const car = await bufferOf(carOf(root, honest))
        response.writeHead(200, TYPE).end(car.subarray(0, 300_000))
      })
      await isWhole(file(rig.cid, [first().origin]))
      expect(breaks).toBeLessThanOrEqual(7)
      expect(first().singles).toBeGreaterThan(0)
    })
  })

  describe('blocks in any order', () => {
    it.each<[string, (honest: Block[]) => Block[]]>([
      ['the leaves backwards', ([root, ...leaves]) => [root as Block, ...leaves.reverse()]],
      ['some of them twice', (honest) => honest.flatMap((block, at) => (at === 5 ? [block, block] : [block]))],
      ['a few foreign ones among them', (honest) => honest.flatMap((block) => [foreign(100), block])],
    ])('%s: one request', async (_name, change) => {
      withBlocks(change)
      await isWhole()
      expect(second().requests).toBe(0)
    })

    it.each<[string, (honest: Block[]) => Block[]]>([
      ['the root last', (honest) => [...honest].reverse()],
      ['foreign ones', (honest) => honest.flatMap((block) => [foreign(100_000), block])],
      ['none', () => []],
    ])('%s: given up at once, and the next gateway is asked', async (_name, change) => {
      withBlocks(change)
      await isWhole()
      expect([first().requests, second().requests]).toEqual([1, 1])
      expect(rig.fetched).toBeLessThanOrEqual(1.1 * CONTENT.length + MIB)
    })

    it('a block that is missing is rig.fetched alone, once enough of the others have come', async () => {
      const content = randomBytes(20 * MIB)
      const { cid: hash } = await first().add(content)
      withBlocks((honest) => honest.filter((_block, at) => at !== 5))
      expect((await read(file(hash, [first().origin]))).equals(content)).toBe(true)
      expect([first().cars, first().singles]).toEqual([1, 1])
      expect(rig.fetched).toBeLessThanOrEqual(1.1 * content.length)
    })

    it('the whole file instead of a range: given up after a few blocks', async () => {
      const content = randomBytes(20 * MIB)
      for (const gateway of [first(), second()]) await gateway.add(content)
      const { cid: hash } = await first().add(Buffer.concat([content, Buffer.alloc(1)]))
      await second().add(Buffer.concat([content, Buffer.alloc(1)]))
      withBlocks((_honest, { root }) => depthFirst(root, first().get, { from: 0, to: content.length }))
      const range = `bytes=${15 * MIB}-${16 * MIB}`
      expect((await read(file(hash), range)).equals(content.subarray(15 * MIB, 16 * MIB + 1))).toBe(true)
      expect([first().requests, second().cars]).toEqual([1, 1])
      expect(rig.fetched).toBeLessThanOrEqual(4 * MIB)
    })
  })
})
