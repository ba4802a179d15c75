import fc from 'fast-check'
import { toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { measured } from '../../../../test/helpers/measured.js'
import { ask, downloadUrl, served } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { MalformedResponse, validateResponse } from '../../../chain/src/rpc/validated-transport.js'

const word = (value: number) => toHex(value, { size: 32 })
const ADDRESS = `0x${'ab'.repeat(20)}`

/** The logs of a chain in order: a few in each block. */
const chainLogs = (blocks: number, perBlock: number, data = '0x00') =>
  Array.from({ length: blocks * perBlock }, (_, at) => {
    const [block, index] = [Math.floor(at / perBlock) + 1, at % perBlock]
    return {
      ...{ address: ADDRESS, topics: [word(at)], data, blockNumber: toHex(block), blockHash: word(1000 + block) },
      ...{ transactionHash: word(2_000_000 + at), transactionIndex: toHex(index), logIndex: toHex(index) },
      ...{ removed: false, blockTimestamp: toHex(block) },
    }
  })
type Log = ReturnType<typeof chainLogs>[number]

const given = (logs: unknown) => validateResponse('eth_getLogs', [{}], logs)
/** Exact copies as other clients write them. */
const copies = fc.constantFrom<(log: Log) => object>(
  (log) => log,
  (log) => ({ ...log, address: log.address.toUpperCase().replace('0X', '0x'), removed: undefined }),
  ({ blockTimestamp: _, ...log }) => log,
)

describe('logs that an address merges from the answers of several nodes', () => {
  it('are put in order, and each counts once', () => {
    const merged = fc.tuple(fc.array(fc.tuple(fc.nat(29), copies), { maxLength: 30 }), fc.infiniteStream(fc.nat()))
    fc.assert(
      fc.property(merged, ([more, places]) => {
        const logs = chainLogs(10, 3)
        const all = [...logs.map((log) => [log, places.next().value] as const)]
        for (const [at, copy] of more) all.push([copy(logs[at] as Log) as Log, places.next().value])
        const { result, repeated } = given(all.sort(([, a], [, b]) => a - b).map(([log]) => log))
        expect(repeated).toBe(more.length)
        expect((result as Log[]).map(({ topics }) => topics)).toEqual(logs.map(({ topics }) => topics))
      }),
    )
  })

  it('are refused if any of them contradicts another one, wherever it stands', () => {
    const spoilt = fc.constantFrom<Partial<Log>>(
      { data: '0x01' },
      { address: `0x${'cd'.repeat(20)}` },
      { transactionHash: word(7) },
      { transactionIndex: '0x63' },
      { topics: [] },
      { blockHash: word(8) },
      { blockNumber: '0x63' },
      { blockTimestamp: '0x63' },
    )
    fc.assert(
      fc.property(fc.nat(29), fc.nat(30), spoilt, (at, place, changed) => {
        const logs = chainLogs(10, 3)
        logs.splice(place, 0, { ...(logs[at] as Log), ...changed })
        expect(() => given(logs)).toThrow(MalformedResponse)
      }),
    )
  })

  it('cost little, in order, in reverse and repeated, also where a node gives as many as fit', async () => {
    const logs = chainLogs(4000, 5)
    for (const all of [logs, logs.toReversed(), [...logs, ...logs]]) {
      const { result, took } = await measured(() => given(all))
      expect(result.result).toHaveLength(logs.length)
      expect(took).toBeLessThan(1000)
    }
  })
})

describe('a node that gives every log twice and out of order', () => {
  let world: World
  let node: RpcProxy
  const twice = (logs: unknown[]) => [...logs.toReversed(), ...logs]
  beforeAll(async () => {
    ;({ world, proxy: node } = await World.behindProxy({ METRICS_PORT: '0', ORDER_WAIT: '0' }))
    node.lie = (method, truth) => {
      if (method === 'eth_getLogs' && Array.isArray(truth)) return twice(truth)
      const { logs } = Object(truth) as { logs?: unknown[] }
      return method === 'eth_getTransactionReceipt' && logs ? { ...(truth as object), logs: twice(logs) } : truth
    }
  })
  afterAll(() => node.close())

  it('is served from as from any other, and the metrics count what was dropped (threat 82)', async () => {
    const { asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')))
    await served(world.network.providerUrl, asset)
    const answer = await ask(await downloadUrl(world.network.providerUrl, asset, txId, buyer))
    expect(answer.text).toBe('tide')
    const metrics = await (await fetch(`${world.local.app.metricsUrl}/metrics`)).text()
    const [, count] =
      /^tidegate_chain_repeated_logs_total\{chain="\d+",node="127\.0\.0\.1:\d+"\} (\d+)$/m.exec(metrics) ?? []
    expect(Number(count)).toBeGreaterThan(0)
  })
})
