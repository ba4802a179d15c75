import { readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { carOf } from '../../../../test/helpers/cars.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { CarRequest } from '../../../../test/helpers/ipfs-gateway.js'
import { HELD, measured } from '../../../../test/helpers/measured.js'
import { ASKING, testEgress } from '../../../../test/helpers/storage-tools.js'
import { cidOf, RAW, tree, varint } from '../../../../test/helpers/unixfs.js'
import { bufferOf, CarGateways, CONTENT, carBlock, flood, foreign, MIB, TYPE } from './car-gateways.js'

describe('hostile gateways of IPFS', () => {
  const rig = CarGateways.forTests()
  const { first, second, file, read, isWhole, answers } = rig

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
    rig.fetched = 0
    const { grown, held } = await measured(() => isWhole())
    expect(rig.fetched).toBeLessThanOrEqual(1.1 * CONTENT.length + 4 * MIB)
    expect(grown).toBeLessThan(128)
    expect(held).toBeLessThan(HELD)
    await eventually(async () => rig.egress.inFlight('paid') === 0 && descriptors() <= before + 2)
  })

  it('a gateway that falls silent within a CAR: after the stall time-out, the next one goes on', async () => {
    await rig.egress.close()
    rig.egress = testEgress({ stallTimeout: 1000 })
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
    await eventually(async () => closed && rig.egress.inFlight('paid') === 0)
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
    expect(rig.fetched).toBeLessThanOrEqual(12 * MIB)
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
    expect(rig.fetched).toBeLessThanOrEqual(12 * MIB)
  })
})
