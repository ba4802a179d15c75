import { zeroHash } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.js'
import { RpcProxy } from '../../../test/helpers/rpc-proxy.js'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '../../dev-network/src/anvil.js'
import { CHAIN_LIMITS } from '../src/limits.js'
import { ChainNodes } from '../src/nodes/nodes.js'

/** Several nodes of one chain, some of them faulty. */
describe('chain nodes', () => {
  let anvil: Anvil
  let proxies: RpcProxy[]
  let lines: object[]
  beforeAll(async () => {
    anvil = await startAnvil({ port: 0 })
  })
  afterAll(async () => {
    for (const proxy of proxies) proxy.close()
    await anvil.stop()
  })
  beforeEach(async () => {
    proxies?.forEach((proxy) => {
      proxy.close()
    })
    proxies = await Promise.all([0, 1, 2].map(() => RpcProxy.before(anvil.rpcUrl)))
    lines = []
  })

  function nodes({ timeout = 60_000, agreement = 1, chainId = DEV_CHAIN_ID, count = 3 } = {}): ChainNodes {
    // the lines of this test alone: requests left over from another may still fail
    const own = lines
    const note = (fields: object) => void own.push(fields)
    const log = { debug: note, info: note, warn: note, error: note }
    const urls = proxies.slice(0, count).map(({ url }) => new URL(url))
    return new ChainNodes(chainId, urls, { timeout, agreement, log })
  }
  const posts = () => proxies.map((proxy) => proxy.posts)
  /** What the log says about one node. */
  const linesAbout = (proxy: RpcProxy | undefined) =>
    lines.filter((line) => (line as { node: string }).node === new URL((proxy as RpcProxy).url).host)
  const gasPrice = (of: ChainNodes) => of.ask((client) => client.getGasPrice())
  /** Asks one node after the other, and no second one because the first is slow, as all are on a busy machine. */
  const inTurn = (of: ChainNodes) => of.ask((client) => client.getGasPrice(), { unhedged: true })

  it('are asked in order, with concurrent calls in one batch', async () => {
    const asked = nodes()
    await asked.ask((client) => Promise.all([client.getGasPrice(), client.getBlockNumber()]), { unhedged: true })
    // the first head is believed with its block
    expect(posts()).toEqual([2, 0, 0])
    expect(proxies[0]?.calls).toEqual(['eth_gasPrice', 'eth_blockNumber', 'eth_chainId', 'eth_getBlockByNumber'])
    await inTurn(asked)
    expect(proxies[0]?.calls.filter((method) => method === 'eth_chainId')).toHaveLength(1)
  })

  it('write one line about a node that fails at each request and passes each probe', async () => {
    const asked = nodes({ count: 2 })
    const [first] = proxies as [RpcProxy]
    first.lie = (method, truth) => (method === 'eth_gasPrice' ? 'none' : truth)
    // asked again as soon as a probe has succeeded
    for (let failed = 0; failed < 4; ) {
      const before = first.calls.filter((method) => method === 'eth_gasPrice').length
      await inTurn(asked)
      failed += first.calls.filter((method) => method === 'eth_gasPrice').length - before
      await new Promise(setImmediate)
    }
    expect(linesAbout(first)).toEqual([expect.objectContaining({ reason: expect.stringMatching(/eth_gasPrice/) })])
  })

  it.each([
    ['is dead', (proxy: RpcProxy) => void Object.assign(proxy, { down: true })],
    ['does not answer', (proxy: RpcProxy) => void Object.assign(proxy, { silent: true })],
    [
      'begins an answer and does not end it (threat 73)',
      (proxy: RpcProxy) => void Object.assign(proxy, { stalls: true }),
    ],
    ['says 429', (proxy: RpcProxy) => void Object.assign(proxy, { refuseEvery: 1 })],
    [
      'is on another chain',
      (proxy: RpcProxy) =>
        void Object.assign(proxy, {
          lie: (method: string, truth: unknown) => (method === 'eth_chainId' ? '0x1' : truth),
        }),
    ],
  ])('fail over when one %s, and avoid that one for a while', async (_name, spoil) => {
    spoil(proxies[0] as RpcProxy)
    const asked = nodes()
    for (let at = 0; at < 10; at++) expect(await gasPrice(asked)).toBeGreaterThan(0n)
    // it may have been probed meanwhile, and these probes fail as well
    expect(proxies[0]?.posts).toBeLessThan(10)
    expect(linesAbout(proxies[0])[0]).toMatchObject({ chainId: DEV_CHAIN_ID, reason: expect.any(String) })
    expect(linesAbout(proxies[0]).length).toBeLessThanOrEqual(3)
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })

  it('are used again when they have recovered', async () => {
    const [first] = proxies as [RpcProxy]
    first.down = true
    const asked = nodes()
    await gasPrice(asked)
    first.down = false
    await eventually(async () => {
      await gasPrice(asked)
      return first.posts > 1
    })
  })

  it('meet the deadline when every node begins its answer and never ends it (threat 73)', async () => {
    for (const proxy of proxies) proxy.stalls = true
    await expect(gasPrice(nodes({ timeout: 2000 }))).rejects.toMatchObject({ code: 'CHAIN_NOT_READY' })
    expect(lines).toHaveLength(3)
    expect(lines).toMatchObject(lines.map(() => ({ reason: 'did not answer in time' })))
  })

  it('cost no time once they are known to be dead, and are probed in the background (threat 76)', async () => {
    const [first, second] = proxies as [RpcProxy, RpcProxy]
    first.silent = true
    // a silent node is asked again when the request to it has timed out
    const asked = nodes({ timeout: 2000 })
    await gasPrice(asked)
    second.forget()
    first.forget()
    await eventually(async () => {
      await gasPrice(asked)
      return first.posts >= 1
    })
    expect(first.calls).not.toContain('eth_gasPrice')
    first.silent = false
    await eventually(async () => {
      await gasPrice(asked)
      return first.calls.includes('eth_gasPrice')
    })
  })

  it('are hedged when one is slow, and the faster one is preferred afterwards (threat 76)', async () => {
    const [slow] = proxies as [RpcProxy]
    slow.delay = 600_000
    const asked = nodes()
    expect(await gasPrice(asked)).toBeGreaterThan(0n)
    expect(linesAbout(slow)).toMatchObject([{ reason: 'is slower than the next node' }])
    slow.forget()
    for (let time = 0; time < 10; time++) await gasPrice(asked)
    expect(slow.calls).not.toContain('eth_gasPrice')
  })

  it('are given their full time when there is only one, or when the request is large', async () => {
    // longer than it takes until other requests are hedged
    for (const proxy of proxies) proxy.delay = 1200
    expect(await gasPrice(nodes({ count: 1 }))).toBeGreaterThan(0n)
    expect(posts()).toEqual([1, 0, 0])
    expect(await inTurn(nodes())).toBeGreaterThan(0n)
    expect(posts()).toEqual([2, 0, 0])
    expect(lines).toEqual([])
  })

  it('answer other calls of a batch when the response of one is too long (threat 36)', async () => {
    const [first] = proxies as [RpcProxy]
    first.lie = (method, truth) =>
      method === 'eth_getTransactionReceipt' ? 'a'.repeat(CHAIN_LIMITS.chain.response) : truth
    const asked = nodes({ count: 1 })
    const long = asked.ask((client) => client.getTransactionReceipt({ hash: zeroHash }))
    const price = gasPrice(asked)
    await expect(long).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    expect(await price).toBeGreaterThan(0n)
    // the node still counts as healthy
    expect(lines).toEqual([])
  })

  it('are skipped when they lag behind', async () => {
    const asked = nodes()
    const answers = [undefined, undefined, 'found']
    expect(await asked.ask(async () => answers.shift(), { accept: (found) => found !== undefined })).toBe('found')
    expect(await asked.ask(async () => undefined, { accept: (found) => found !== undefined })).toBeUndefined()
  })

  it('are believed only when the configured number of them agree', async () => {
    const liar = proxies[0] as RpcProxy
    liar.lie = (method, truth) => (method === 'eth_gasPrice' ? '0x1' : truth)
    const essence = (price: bigint) => price
    const ask = (of: ChainNodes) => of.ask((client) => client.getGasPrice(), { agreeOn: essence, unhedged: true })
    expect(await ask(nodes())).toBe(1n)
    expect(await ask(nodes({ agreement: 2 }))).toBeGreaterThan(1n)
    await expect(ask(nodes({ agreement: 2, count: 2 }))).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
  })

  it('yield one fixed error when all fail, are probed one request at a time, and recover', async () => {
    const asked = nodes()
    await gasPrice(asked)
    for (const proxy of proxies) proxy.down = true
    const sum = () => posts().reduce((one, other) => one + other)
    const failure = { code: 'CHAIN_UNAVAILABLE', message: 'The blockchain node did not answer.' }
    await eventually(async () => {
      const before = sum()
      const all = await Promise.allSettled(Array.from({ length: 20 }, () => gasPrice(asked)))
      for (const one of all) expect(one).toMatchObject({ reason: failure })
      return sum() - before <= proxies.length
    })
    for (const proxy of proxies) proxy.down = false
    await eventually(async () => (await gasPrice(asked).catch(() => 0n)) > 0n)
  })

  it('are not ready until a node has answered, and merely unavailable when none answers afterwards', async () => {
    for (const proxy of proxies) proxy.down = true
    const asked = nodes()
    await expect(gasPrice(asked)).rejects.toMatchObject({ code: 'CHAIN_NOT_READY' })
    for (const proxy of proxies) proxy.down = false
    await eventually(async () => (await gasPrice(asked).catch(() => 0n)) > 0n)
    for (const proxy of proxies) proxy.down = true
    await expect(gasPrice(asked)).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
  })

  it('do not count as failed when a contract reverts', async () => {
    const asked = nodes()
    const abi = [
      { type: 'function', name: 'x', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' },
    ] as const
    const address = `0x${'12'.repeat(20)}` as const
    const call = asked.ask((client) => client.readContract({ address, abi, functionName: 'x' }), { unhedged: true })
    await expect(call).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    expect(posts()).toEqual([1, 0, 0])
    expect(lines).toEqual([])
  })
})
