import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Block } from '../../../../test/helpers/cars.js'
import { type AnswerCar, type CarRequest, IpfsGateway, sendCar } from '../../../../test/helpers/ipfs-gateway.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import { cidOf, RAW, varint } from '../../../../test/helpers/unixfs.js'
import type { StoredFile } from '../../src/storage.js'

export const MIB = 1 << 20
export const CONTENT = randomBytes(3 * MIB + 12_345)
export const TYPE = { 'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=y' }

/** Two gateways that hold CONTENT, and a reader of files behind them. */
export class CarGateways {
  egress = testEgress()
  /** Bytes that the storage has fetched. */
  fetched = 0
  cid = ''
  blocks: string[] = []
  private gateways: IpfsGateway[] = []

  /** Starts both for the tests of a `describe`. */
  static forTests(): CarGateways {
    const rig = new CarGateways()
    beforeAll(async () => {
      rig.gateways = [await IpfsGateway.start(), await IpfsGateway.start()]
      for (const gateway of rig.gateways) Object.assign(rig, await gateway.add(CONTENT))
    })
    beforeEach(() => rig.reset())
    afterAll(async () => {
      await rig.egress.close()
      for (const gateway of rig.gateways) await gateway.close()
    })
    return rig
  }

  first = () => this.gateways[0] as IpfsGateway
  second = () => this.gateways[1] as IpfsGateway
  origins = () => this.gateways.map(({ origin }) => origin)

  file = (hash = this.cid, ipfs = this.origins()): StoredFile =>
    testRegistry(this.egress, { gateways: { ipfs, filecoin: [], arweave: [] } }).file({ type: 'ipfs', hash })

  read = async (stored = this.file(), range?: string): Promise<Buffer> => {
    const fetched = (bytes: number) => {
      this.fetched += bytes
    }
    const { body } = await stored.open({ ...ASKING, fetched, method: 'GET', headers: range ? { range } : {} })
    return bufferOf(body)
  }

  isWhole = async (stored?: StoredFile) => expect((await this.read(stored)).equals(CONTENT)).toBe(true)
  answers = (answer: AnswerCar) => Object.assign(this.first(), { answerCar: answer })

  /** Answers with other blocks than the honest ones, in a CAR that the library writes. */
  withBlocks = (change: (blocks: Block[], asked: CarRequest) => Iterable<Block> | AsyncIterable<Block>) =>
    this.answers(async (asked, response) => {
      const honest: Block[] = []
      for await (const block of asked.blocks) honest.push(block)
      await sendCar({ ...asked, blocks: change(honest, asked) as AsyncIterable<Block> }, response)
    })

  private async reset(): Promise<void> {
    await this.egress.close()
    this.egress = testEgress()
    for (const gateway of this.gateways) {
      Object.assign(gateway, { answerCar: sendCar, cars: 0, singles: 0, requests: 0, down: false })
      gateway.lies.clear()
      gateway.asked.length = 0
    }
    this.fetched = 0
  }
}

export function fixed(size: number) {
  return async function* chunks(source: AsyncIterable<Uint8Array>) {
    const whole = await bufferOf(source)
    for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
  }
}

export async function bufferOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

export async function* distinct(blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
  const sent = new Set<string>()
  for await (const block of blocks) if (sent.size < sent.add(block.cid.toString()).size) yield block
}

/** A block of its own that no file contains. */
export function foreign(length: number): Block {
  const bytes = randomBytes(length)
  return { cid: cidOf(bytes, RAW), bytes }
}

export function carBlock({ cid, bytes }: Block): Buffer {
  return Buffer.concat([varint(cid.bytes.length + bytes.length), cid.bytes, bytes])
}

/** Sends a beginning, and then one piece again and again for as long as somebody reads. */
export function flood(
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
