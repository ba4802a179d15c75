import { createHash, randomBytes } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { IpfsGateway } from '../../../../test/helpers/ipfs-gateway.js'
import { askJson, downloadParams } from '../../../../test/helpers/requests.js'
import { sized } from '../../../../test/helpers/sizes.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { cidOf, DAG_PB, leaf, RAW, tree } from '../../../../test/helpers/unixfs.js'
import { World } from '../../../../test/helpers/world.js'

const MIB = 1 << 20
/** Bytes of padding that leave room for the rest of a block of 2 MiB. */
const PADDING = 2 * MIB - 65_536

/** Large blocks before those of one byte: without them thousands more are fetched. */
const LARGE = sized(11, 0)

/** Bytes that a range may cost: the fixed overhead, what was in flight when it was cut off, and buffers. */
const BOUND = 12 * MIB

describe('the cost of a file on IPFS', () => {
  let world: World
  let hostile: StorageServer
  let honest: IpfsGateway
  /** The number of requests to the hostile gateway. */
  let asked = 0

  beforeAll(async () => {
    hostile = await StorageServer.start()
    honest = await IpfsGateway.start()
    world = await World.start({
      IPFS_GATEWAY: `${hostile.origin},${honest.origin}`,
      RATE_LIMIT_BYTES: String(1 << 30),
      ANONYMOUS_BYTES: String(20 * MIB),
    })
  })

  function put(block: Buffer, codec = DAG_PB, given = block): CID {
    const cid = cidOf(block, codec)
    hostile.on(`/ipfs/${cid}`, (_request, response) => {
      asked += 1
      response.end(given)
    })
    return cid
  }

  async function download(hash: string, headers: Record<string, string> = {}) {
    const asset = await world.publish({ files: [{ type: 'ipfs', hash }] })
    const buyer = await world.somebody()
    const params = await downloadParams(asset, await world.order(asset, buyer), buyer)
    asked = 0
    const before = await usedBytes()
    const response = await fetch(`${world.network.providerUrl}/api/services/download?${params}`, { headers })
    const body = await response.arrayBuffer().then(
      (bytes) => Buffer.from(bytes),
      () => 'broken' as const,
    )
    const cost = async () => (await usedBytes()) - before
    return { status: response.status, headers: response.headers, body, cost }
  }

  const usedBytes = async () =>
    (await world.local.app.context.store.usage.used('bytes 127.0.0.1', 60_000, Date.now())).used

  it('400 bytes in 400 padded leaves: aborted at the fixed overhead, which counts against budgets (threat 56)', async () => {
    const one = put(leaf(Buffer.from('x'), PADDING))
    const root = put(tree(Array.from({ length: 400 }, () => [one, 1] as const)))
    const { status, body, cost } = await download(root.toString(), { range: 'bytes=0-399' })
    expect([206, 502]).toContain(status)
    if (status === 206) expect(body).toBe('broken')
    // the bytes that the service has read count against the budget of the address
    await eventually(async () => (await cost()) > 4 * MIB)
    expect(await cost()).toBeLessThanOrEqual(BOUND)
    expect(asked).toBeLessThanOrEqual(16)
  })

  it('400 bytes below thirty padded blocks: aborted as well (threat 56)', async () => {
    let root = put(Buffer.alloc(400, 'a'), RAW)
    for (let level = 0; level < 30; level++) root = put(tree([[root, 400]], PADDING))
    const { status, cost } = await download(root.toString(), { range: 'bytes=100-199' })
    expect(status).toBe(502)
    await eventually(async () => (await cost()) > 4 * MIB)
    expect(await cost()).toBeLessThanOrEqual(BOUND)
    expect(asked).toBeLessThanOrEqual(16)
  })

  it('one byte per block in a file that claims gigabytes: aborted after few bytes and few requests (threat 56)', async () => {
    const one = put(Buffer.from('y'), RAW)
    let [root, size] = [put(tree(Array.from({ length: 3000 }, () => [one, 1] as const))), 3000]
    for (let level = 0; level < 2; level++) {
      root = put(tree(Array.from({ length: 1000 }, () => [root, size] as const)))
      size *= 1000
    }
    // what few large blocks cost is not left for thousands of small ones
    const large = put(leaf(Buffer.from('x'), PADDING))
    root = put(tree([...Array.from({ length: LARGE }, () => [large, 1] as const), [root, size]]))
    const { status, body } = await download(root.toString())
    expect([status, body]).toEqual([200, 'broken'])
    expect(asked).toBeLessThanOrEqual((BOUND - LARGE * PADDING) / 1024 + 16 * 1024)
  })

  it('blocks with wrong sizes, and a gateway that sends more than asked for: cut off (threat 56)', async () => {
    const long = put(Buffer.alloc(2 * MIB, 'b'), RAW)
    const lying = put(tree([[long, 10]]))
    expect((await download(lying.toString())).status).toBe(502)
    const short = Buffer.alloc(10, 'c')
    const flooded = put(tree([[put(short, RAW, Buffer.alloc(64 * MIB)), 10]]))
    const { status, cost } = await download(flooded.toString())
    expect(status).toBe(502)
    await eventually(async () => (await cost()) > 0)
    expect(await cost()).toBeLessThanOrEqual(MIB)
  })

  it('control: a range of a large file needs only the blocks of that range, and the whole file is complete (threat 56)', async () => {
    const content = randomBytes(14 * MIB)
    const { cid } = await honest.add(content)
    const before = honest.requests
    const from = 9 * MIB + 17
    const part = await download(cid, { range: `bytes=${from}-${from + 399}` })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes ${from}-${from + 399}/${content.length}`,
    ])
    expect(Buffer.compare(part.body as Buffer, content.subarray(from, from + 400))).toBe(0)
    expect(honest.requests - before).toBeLessThanOrEqual(3)
    const whole = await download(cid)
    const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(sum(whole.body as Buffer)).toBe(sum(content))
    // blocks of 600 bytes are small, but legitimate
    const small = randomBytes(600)
    const leaves = Array.from({ length: 1000 }, () => [put(small, RAW), small.length] as const)
    const many = await download(put(tree(leaves)).toString())
    expect((many.body as Buffer).length).toBe(1000 * 600)
  })

  it('describing a file counts the blocks that it reads against the budget of the address (threat 56)', async () => {
    const roots = Array.from({ length: 14 }, (_, at) => put(tree([[put(Buffer.from([at]), RAW), 1]], PADDING - at)))
    const answers = []
    for (const root of roots)
      answers.push(
        await askJson(`${world.network.providerUrl}/api/services/fileinfo`, { type: 'ipfs', hash: root.toString() }),
      )
    expect(answers[0]?.json).toMatchObject([{ valid: true, contentLength: '1' }])
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(11)
    expect([answers.at(-1)?.status, answers.at(-1)?.json.code]).toEqual([429, 'RATE_LIMITED'])
  })
})
