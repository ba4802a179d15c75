import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, downloadUrl } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { ChainNodes } from '../../../chain/src/nodes/nodes.js'
import { validateResponse } from '../../../chain/src/rpc/validated-transport.js'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const ADDRESS = `0x${'12'.repeat(20)}`
const LOG = {
  ...{ address: ADDRESS, topics: [hash('1')], data: '0x00', blockNumber: '0x5', blockHash: hash('5') },
  ...{ transactionHash: hash('7'), transactionIndex: '0x0', logIndex: '0x0', removed: false, blockTimestamp: '0x1' },
}
const RECEIPT = { status: '0x1', transactionHash: hash('7'), blockHash: hash('5'), blockNumber: '0x5', logs: [LOG] }
const HEADER = { hash: hash('5'), number: '0x5', timestamp: '0x65f00000', transactions: [hash('7')] }
const FILTER = { fromBlock: '0x4', toBlock: '0x6', address: ADDRESS, topics: [[hash('1'), hash('2')]] }
const second = { ...LOG, logIndex: '0x1' }
const WHOLE: [string, string[]] = ['eth_getTransactionReceipt', [hash('7')]]
const OTHER = { ...RECEIPT, transactionHash: hash('8'), logs: [{ ...LOG, transactionHash: hash('8') }] }

describe('the answer of a node', () => {
  it.each<[string, unknown[], unknown]>([
    ['eth_getTransactionReceipt', [hash('7')], RECEIPT],
    ['eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, status: '0x0', logs: [] }],
    ['eth_getTransactionReceipt', [hash('7')], null],
    ['eth_getBlockByNumber', ['0x5', false], HEADER],
    ['eth_getBlockByNumber', ['0x5', false], null],
    ['eth_getBlockByNumber', ['latest', false], { ...HEADER, baseFeePerGas: '0x1' }],
    ['eth_getBlockByNumber', ['pending', false], { ...HEADER, hash: null, number: null }],
    ['eth_getBlockByHash', [hash('5'), false], HEADER],
    ['eth_getBlockReceipts', [hash('5')], [RECEIPT]],
    ['eth_getLogs', [FILTER], [LOG, second, { ...LOG, blockNumber: '0x6', blockHash: hash('6') }]],
    ['eth_getLogs', [{ blockHash: hash('5'), topics: [hash('1')] }], [{ ...LOG, blockTimestamp: undefined }]],
    ['eth_getLogs', [FILTER], []],
    ['eth_blockNumber', [], '0x0'],
    ['eth_chainId', [], '0x2324'],
    ['eth_call', [], '0x'],
    ['eth_call', [], '0xABcd'],
    ['eth_of_another_kind', [], { any: 'thing' }],
  ])('is accepted in the right form: %s', (method, params, said) => {
    expect(() => validateResponse(method, params, said)).not.toThrow()
  })

  it.each<[string, string, unknown[], unknown]>([
    ['status', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, status: undefined }],
    ['status', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, status: '0x2' }],
    ['status', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, status: 1 }],
    ['status', 'eth_getTransactionReceipt', [hash('7')], undefined],
    ['status', 'eth_getTransactionReceipt', [hash('7')], 'yes'],
    ['transactionHash', 'eth_getTransactionReceipt', [hash('8')], RECEIPT],
    ['blockNumber', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, blockNumber: null }],
    ['blockNumber', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, blockNumber: `0x${'f'.repeat(20)}` }],
    ['blockHash', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, blockHash: '0x5' }],
    ['logs', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, logs: {} }],
    ['data of a log', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, logs: [{ ...LOG, data: '0x0' }] }],
    ['blockHash of a log', 'eth_getTransactionReceipt', [hash('7')], { ...RECEIPT, blockHash: hash('6') }],
    ['hash', 'eth_getBlockByNumber', ['0x5', false], { ...HEADER, hash: undefined }],
    ['hash', 'eth_getBlockByNumber', ['0x5', false], []],
    ['number', 'eth_getBlockByNumber', ['0x6', false], HEADER],
    ['timestamp', 'eth_getBlockByNumber', ['0x5', false], { ...HEADER, timestamp: '0xfffffffffffff' }],
    ['hash', 'eth_getBlockByHash', [hash('6'), false], HEADER],
    ['transactions', 'eth_getBlockByHash', [hash('5'), false], { ...HEADER, transactions: [{}] }],
    ['list', 'eth_getLogs', [FILTER], null],
    ['list', 'eth_getLogs', [FILTER], { 0: LOG }],
    ['address of a log', 'eth_getLogs', [FILTER], [null]],
    ['address of a log', 'eth_getLogs', [FILTER], [{ ...LOG, address: `0x${'13'.repeat(20)}` }]],
    ['topic of a log', 'eth_getLogs', [FILTER], [{ ...LOG, topics: [hash('3')] }]],
    ['topic of a log', 'eth_getLogs', [FILTER], [{ ...LOG, topics: [] }]],
    ['topic of a log', 'eth_getLogs', [FILTER], [{ ...LOG, topics: Array(5).fill(hash('1')) }]],
    ['data of a log', 'eth_getLogs', [FILTER], [{ ...LOG, data: '0xzz' }]],
    ['data of a log', 'eth_getLogs', [FILTER], [{ ...LOG, data: '0x00zz00' }]],
    // whose low bytes are digits
    ['data of a log', 'eth_getLogs', [FILTER], [{ ...LOG, data: '0x\u0130\u0131' }]],
    ['data of a log', 'eth_getLogs', [FILTER], [{ ...LOG, data: 'ab' }]],
    ['data of a log', 'eth_getLogs', [FILTER], [{ ...LOG, data: '0x\u00b0\u00b1' }]],
    ['blockNumber of a log', 'eth_getLogs', [FILTER], [{ ...LOG, blockNumber: '0x7' }]],
    ['blockNumber of a log', 'eth_getLogs', [FILTER], [{ ...LOG, blockNumber: '0x6' }, LOG]],
    ['blockHash of a log', 'eth_getLogs', [FILTER], [LOG, { ...second, blockHash: hash('6') }]],
    ['blockTimestamp of a log', 'eth_getLogs', [FILTER], [LOG, { ...second, blockTimestamp: '0x2' }]],
    ['log: another one has its index', 'eth_getLogs', [FILTER], [LOG, second, { ...LOG, data: '0x01' }]],
    ['log: another one has its index', 'eth_getLogs', [FILTER], [LOG, { ...LOG, topics: [hash('2')] }]],
    ['log: another one has its index', 'eth_getLogs', [FILTER], [LOG, { ...LOG, transactionHash: hash('8') }]],
    ['logIndex of a log', 'eth_getLogs', [FILTER], [{ ...LOG, transactionIndex: '0x1' }, second]],
    ['log: another one has its index', ...WHOLE, { ...RECEIPT, logs: [LOG, { ...LOG, data: '0x01' }] }],
    ['blockNumber of a log', ...WHOLE, { ...RECEIPT, logs: [{ ...LOG, blockNumber: '0x6' }] }],
    ['blockHash', 'eth_getBlockReceipts', [hash('6')], [RECEIPT]],
    ['blockNumber', 'eth_getBlockReceipts', ['0x5'], [RECEIPT, { ...OTHER, blockNumber: '0x6', logs: [] }]],
    ['blockHash', 'eth_getBlockReceipts', ['0x5'], [RECEIPT, { ...OTHER, blockHash: hash('6'), logs: [] }]],
    ['log: another one has its index', 'eth_getBlockReceipts', [hash('5')], [RECEIPT, OTHER]],
    ['status', 'eth_getBlockReceipts', [hash('5')], [RECEIPT, { ...RECEIPT, status: '0x0' }]],
    ['logs', 'eth_getBlockReceipts', [hash('5')], [RECEIPT, { ...RECEIPT, logs: [second] }]],
    ['logs', 'eth_getBlockReceipts', [hash('5')], [{ ...RECEIPT, logs: [] }, RECEIPT]],
    ['blockHash of a log', 'eth_getLogs', [{ blockHash: hash('6') }], [LOG]],
    ['blockTimestamp of a log', 'eth_getLogs', [FILTER], [{ ...LOG, blockTimestamp: 'now' }]],
    ['logIndex of a log', 'eth_getLogs', [FILTER], [{ ...LOG, logIndex: null }]],
    ['log: it was removed', 'eth_getLogs', [FILTER], [{ ...LOG, removed: true }]],
    ['number', 'eth_blockNumber', [], 5],
    ['number', 'eth_blockNumber', [], '0x'],
    ['number', 'eth_blockNumber', [], `0x${'f'.repeat(14)}`],
    ['hex', 'eth_call', [], null],
    ['hex', 'eth_call', [], '0xabc'],
  ])('is rejected with a wrong %s (%s, threat 82)', (field, method, params, said) => {
    expect(() => validateResponse(method, params, said)).toThrow(expect.objectContaining({ method, field }))
  })
})

describe('a node whose answers are malformed', () => {
  const proxies: RpcProxy[] = []
  let world: World
  beforeAll(async () => {
    world = await World.start({ ORDER_WAIT: '0' }, async (rpcUrl) => {
      for (let at = 0; at < 2; at++) proxies.push(await RpcProxy.before(rpcUrl))
      return proxies.map(({ url }) => url)
    })
  })
  afterAll(async () => {
    for (const proxy of proxies) proxy.close()
  })

  const bought = async () => {
    const { asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')))
    return async () => ask(await downloadUrl(world.network.providerUrl, asset, txId, buyer))
  }
  const without = (field: string) => (method: string, truth: unknown) =>
    method === 'eth_getTransactionReceipt' && truth ? { ...truth, [field]: undefined } : truth

  it.each([
    'status',
    'blockNumber',
    'blockHash',
    'logs',
  ])('cannot make an order fail: a receipt without %s is rejected and the next node asked (threat 82)', async (field) => {
    const download = await bought()
    const [liar] = proxies as [RpcProxy]
    liar.lie = without(field)
    liar.forget()
    try {
      const answer = await download()
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).toBe('tide')
      expect(liar.calls).toContain('eth_getTransactionReceipt')
    } finally {
      liar.lie = (_, truth) => truth
    }
    // it recovers with its next probe
    await eventually(async () => {
      liar.forget()
      await world.local.app.context.chains.get(world.network.chainId)?.nodes.ask((client) => client.getGasPrice())
      return liar.calls.includes('eth_gasPrice')
    })
  })

  it('makes the request fail with a retriable error when there is no other node (threat 82)', async () => {
    const download = await bought()
    for (const proxy of proxies) proxy.lie = without('status')
    expect((await download()).json).toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    for (const proxy of proxies) proxy.lie = (_, truth) => truth
    await eventually(async () => (await download()).status === 200)
  })

  it('is avoided like a failing one, and the log says why, with its host (threat 82)', async () => {
    const lines: object[] = []
    const note = (fields: object) => void lines.push(fields)
    const log = { debug: note, info: note, warn: note, error: note }
    // the service of the other tests asks for blocks as well
    const own = await Promise.all([1, 2].map(() => RpcProxy.before(world.network.rpcUrl)))
    const urls = own.map(({ url }) => new URL(url))
    const nodes = new ChainNodes(world.network.chainId, urls, { timeout: 10_000, agreement: 1, log })
    const [liar] = own as [RpcProxy]
    liar.lie = (method, truth) => (method === 'eth_getBlockByNumber' ? { ...(truth as object), hash: null } : truth)
    // not hedged: a node that is slow for once would bring the liar back
    const block = () => nodes.ask((client) => client.getBlock({ blockNumber: 1n }), { unhedged: true })
    expect((await block()).number).toBe(1n)
    liar.forget()
    expect((await block()).number).toBe(1n)
    // probes in the background ask for the number of the last block
    expect(liar.calls).not.toContain('eth_getBlockByNumber')
    const reason = 'answers eth_getBlockByNumber with a wrong hash'
    expect(lines).toEqual([expect.objectContaining({ node: urls[0]?.host, reason })])
    expect(JSON.stringify(lines)).not.toContain('hunter2')
    for (const proxy of own) proxy.close()
  })
})
