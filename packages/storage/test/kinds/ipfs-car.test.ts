import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Block, carOf, depthFirst } from '../../../../test/helpers/cars.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type AnswerCar, type CarRequest, IpfsGateway, sendCar } from '../../../../test/helpers/ipfs-gateway.js'
import { HELD, measured } from '../../../../test/helpers/measured.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import { cidOf, RAW, tree, varint } from '../../../../test/helpers/unixfs.js'
import type { StoredFile } from '../../src/storage.js'

const MIB = 1 << 20
const CONTENT = randomBytes(3 * MIB + 12_345)
const TYPE = { 'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=y' }

describe('files on IPFS by CAR', () => {
  let [one, two]: IpfsGateway[] = []
  let cid: string
  let blocks: string[]
  let fetched = 0
  let egress: ReturnType<typeof testEgress>

  beforeAll(async () => {
    ;[one, two] = [await IpfsGateway.start(), await IpfsGateway.start()]
    for (const gateway of gateways()) ({ cid, blocks } = await gateway.add(CONTENT))
  })
  beforeEach(async () => {
    await egress?.close()
    egress = testEgress()
    for (const gateway of gateways()) {
      Object.assign(gateway, { answerCar: sendCar, cars: 0, singles: 0, requests: 0, down: false })
      gateway.lies.clear()
      gateway.asked.length = 0
    }
    fetched = 0
  })
  afterAll(async () => {
    await egress.close()
    for (const gateway of gateways()) await gateway.close()
  })

  const gateways = () => [one, two] as IpfsGateway[]
  const first = () => one as IpfsGateway
  const second = () => two as IpfsGateway

  function file(hash = cid, urls = gateways().map(({ origin }) => origin)): StoredFile {
    return testRegistry(egress, { gateways: { ipfs: urls, filecoin: [], arweave: [] } }).file({ type: 'ipfs', hash })
  }

  async function read(stored = file(), range?: string): Promise<Buffer> {
    const count = (bytes: number) => {
      fetched += bytes
    }
    const { body } = await stored.open({ ...ASKING, fetched: count, method: 'GET', headers: range ? { range } : {} })
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  const isWhole = async (stored?: StoredFile) => expect((await read(stored)).equals(CONTENT)).toBe(true)
  const answers = (answer: AnswerCar) => Object.assign(first(), { answerCar: answer })

  /** Answers with other blocks than the honest ones, in a CAR that the library writes. */
  const withBlocks = (change: (blocks: Block[], asked: CarRequest) => Iterable<Block> | AsyncIterable<Block>) =>
    answers(async (asked, response) => {
      const honest: Block[] = []
      for await (const block of asked.blocks) honest.push(block)
      await sendCar({ ...asked, blocks: change(honest, asked) as AsyncIterable<Block> }, response)
    })

  it('one request brings a whole file, and not much more than its bytes', async () => {
    await isWhole()
    expect([first().requests, first().cars, second().requests]).toEqual([1, 1, 0])
    expect(first().asked[0]?.search).toBe('?format=car&dag-scope=entity')
    expect(first().asked[0]?.accept).toMatch(/^application\/vnd\.ipld\.car; version=1; order=dfs; dups=y\b/)
    expect(fetched).toBeLessThanOrEqual(1.1 * CONTENT.length)
    // the connection is kept for the next file
    expect(egress.inFlight('paid')).toBe(0)
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
    expect(fetched).toBeLessThanOrEqual(1.1 * (end - start) + 2 * 262_144 + 4096)
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
    expect(fetched).toBeLessThanOrEqual(1.1 * content.length)
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
      const stored = file(cid, [first().origin])
      await isWhole(stored)
      expect([first().cars, first().singles]).toEqual([1, blocks.length])
      await isWhole(stored)
      expect(first().cars).toBe(1)
      expect(fetched).toBeLessThanOrEqual(2.2 * CONTENT.length + 2 * MIB)
    })

    it('is passed over where another one makes them', async () => {
      answers((_asked, response) => void response.writeHead(406).end())
      await isWhole()
      expect([first().requests, second().requests, second().cars]).toEqual([1, 1, 1])
    })
  })

  describe('a CAR that breaks is taken up where it broke', () => {
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
      expect(fetched).toBeLessThanOrEqual(1.1 * CONTENT.length + 262_144)
    })

    it('when a block is wrong: at the next gateway, which is asked for no byte twice', async () => {
      first().lies.add(blocks.at(-4) as string)
      await isWhole()
      expect([first().cars, second().cars, first().singles + second().singles]).toEqual([1, 1, 0])
    })

    it('when no gateway has it all: by single blocks, where each block comes from the gateway that has it', async () => {
      const [at, other] = [blocks[3] as string, blocks[8] as string]
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
      await isWhole(file(cid, [first().origin]))
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
      expect(fetched).toBeLessThanOrEqual(1.1 * CONTENT.length + MIB)
    })

    it('a block that is missing is fetched alone, once enough of the others have come', async () => {
      const content = randomBytes(20 * MIB)
      const { cid: hash } = await first().add(content)
      withBlocks((honest) => honest.filter((_block, at) => at !== 5))
      expect((await read(file(hash, [first().origin]))).equals(content)).toBe(true)
      expect([first().cars, first().singles]).toEqual([1, 1])
      expect(fetched).toBeLessThanOrEqual(1.1 * content.length)
    })

    it('the whole file instead of a range: given up after a few blocks', async () => {
      const content = randomBytes(20 * MIB)
      for (const gateway of gateways()) await gateway.add(content)
      const { cid: hash } = await first().add(Buffer.concat([content, Buffer.alloc(1)]))
      await second().add(Buffer.concat([content, Buffer.alloc(1)]))
      withBlocks((_honest, { root }) => depthFirst(root, first().get, { from: 0, to: content.length }))
      const range = `bytes=${15 * MIB}-${16 * MIB}`
      expect((await read(file(hash), range)).equals(content.subarray(15 * MIB, 16 * MIB + 1))).toBe(true)
      expect([first().requests, second().cars]).toEqual([1, 1])
      expect(fetched).toBeLessThanOrEqual(4 * MIB)
    })
  })

  describe('hostile gateways', () => {
    const header = Buffer.concat([varint(12), Buffer.from('empty header')])
    const section = (cid: Uint8Array, length: number) => Buffer.concat([varint(cid.length + length), cid])

    it.each<[string, (response: ServerResponse, asked: CarRequest) => void]>([
      ['a header of 2 GiB', (response) => flood(response, varint(2 ** 31))],
      ['a length that never ends', (response) => flood(response, Buffer.alloc(0), Buffer.alloc(65_536, 255))],
      ['a root of 2 GiB', (response, { root }) => flood(response, header, undefined, section(root.bytes, 2 ** 31))],
      [
        'a foreign block of 2 GiB',
        (response) => flood(response, header, undefined, section(foreign(9).cid.bytes, 2 ** 31)),
      ],
      [
        'a CID with a hash of a megabyte',
        (response) =>
          flood(response, header, undefined, Buffer.concat([varint(2 ** 20), Buffer.from('01701280804000', 'hex')])),
      ],
      ['foreign blocks for ever', (response) => flood(response, header, carBlock(foreign(1000)))],
      ['tiny foreign blocks for ever', (response) => flood(response, header, carBlock(foreign(0)))],
      [
        'the root for ever',
        (response, { root }) =>
          void first()
            .get(root)
            .then((bytes) => flood(response, header, carBlock({ cid: root, bytes }))),
      ],
    ])('%s: given up, with little memory, and the next gateway delivers', async (_name, hostile) => {
      answers((asked, response) => hostile(response.writeHead(200, TYPE), asked))
      const descriptors = () => readdirSync('/proc/self/fd').length
      await isWhole()
      const before = descriptors()
      fetched = 0
      const { grown, held } = await measured(() => isWhole())
      expect(fetched).toBeLessThanOrEqual(1.1 * CONTENT.length + 4 * MIB)
      expect(grown).toBeLessThan(128)
      expect(held).toBeLessThan(HELD)
      await eventually(async () => egress.inFlight('paid') === 0 && descriptors() <= before + 2)
    })

    it('a gateway that falls silent within a CAR: after the stall time-out, the next one goes on', async () => {
      await egress.close()
      egress = testEgress({ stallTimeout: 1000 })
      answers(async ({ root, blocks: honest }, response) => {
        const car = await bufferOf(carOf(root, honest))
        response.writeHead(200, TYPE).write(car.subarray(0, MIB))
      })
      await isWhole()
      expect([first().cars, second().cars]).toEqual([1, 1])
    })

    it('a reader who leaves ends the CAR', async () => {
      let closed = false
      answers(({ root, blocks: honest }, response) => {
        response.once('close', () => (closed = true)).writeHead(200, TYPE)
        void bufferOf(carOf(root, honest)).then((car) => response.write(car.subarray(0, MIB)))
      })
      const { body } = await file().open({ ...ASKING, method: 'GET', headers: {} })
      await body[Symbol.asyncIterator]().next()
      body.destroy()
      await eventually(async () => closed && egress.inFlight('paid') === 0)
    })

    it('a file of one byte per block costs no more by CAR than by single blocks (threat 56)', async () => {
      const leaf = Buffer.from('y')
      let [root, size] = [cidOf(leaf, RAW), 1]
      await first().put(root, leaf)
      for (let level = 0; level < 3; level++) {
        const block = tree(Array.from({ length: 1000 }, () => [root, size] as const))
        ;[root, size] = [cidOf(block), size * 1000]
        await first().put(root, block)
      }
      await expect(read(file(root.toString(), [first().origin]))).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
      expect(fetched).toBeLessThanOrEqual(12 * MIB)
    })

    it('blocks that are padded to 2 MiB around 400 bytes are aborted at the fixed overhead (threat 56)', async () => {
      let root = cidOf(Buffer.alloc(400, 'a'), RAW)
      await first().put(root, Buffer.alloc(400, 'a'))
      for (let level = 0; level < 30; level++) {
        const block = tree([[root, 400]], 2 * MIB - 65_536)
        root = cidOf(block)
        await first().put(root, block)
      }
      await expect(read(file(root.toString(), [first().origin]))).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
      expect(fetched).toBeLessThanOrEqual(12 * MIB)
    })
  })
})

function fixed(size: number) {
  return async function* chunks(source: AsyncIterable<Uint8Array>) {
    const whole = await bufferOf(source)
    for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
  }
}

async function bufferOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

async function* distinct(blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
  const sent = new Set<string>()
  for await (const block of blocks) if (sent.size < sent.add(block.cid.toString()).size) yield block
}

/** A block of its own that no file contains. */
function foreign(length: number): Block {
  const bytes = randomBytes(length)
  return { cid: cidOf(bytes, RAW), bytes }
}

function carBlock({ cid, bytes }: Block): Buffer {
  return Buffer.concat([varint(cid.bytes.length + bytes.length), cid.bytes, bytes])
}

/** Sends a beginning, and then one piece again and again for as long as somebody reads. */
function flood(
  response: ServerResponse,
  head: Buffer,
  piece: Buffer = Buffer.alloc(65_536),
  next = Buffer.alloc(0),
): void {
  response.write(Buffer.concat([head, next]))
  const many = Buffer.concat(Array.from({ length: Math.ceil(65_536 / piece.length) }, () => piece))
  const more = () => {
    while (!response.destroyed && response.write(many));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}
