import { zeroHash } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/bounds.js'
import { ChainNodes } from '../../src/chain/nodes.js'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '../../src/dev/anvil.js'
import { eventually } from '../helpers/eventually.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'

/** Several nodes of one chain, some of which are not what they should be. */
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

  // half of the time-out is when the next one is asked as well, which a crowded machine must not need
  function nodes({ timeout = 2000, agreement = 1, chainId = DEV_CHAIN_ID, count = 3 } = {}): ChainNodes {
    // of this one alone: what was left behind of another test may still fail
    const own = lines
    const note = (fields: object) => void own.push(fields)
    const log = { debug: note, info: note, warn: note, error: note }
    const urls = proxies.slice(0, count).map(({ url }) => new URL(url))
    return new ChainNodes(chainId, urls, { timeout, agreement, log })
  }
  const posts = () => proxies.map((proxy) => proxy.posts)
  const gasPrice = (of: ChainNodes) => of.ask((client) => client.getGasPrice())

  it('asks the first, in one request for all that is asked at once', async () => {
    const asked = nodes()
    await asked.ask((client) => Promise.all([client.getGasPrice(), client.getBlockNumber()]))
    expect(posts()).toEqual([1, 0, 0])
    expect(proxies[0]?.calls.sort()).toEqual(['eth_blockNumber', 'eth_chainId', 'eth_gasPrice'])
    await gasPrice(asked)
    expect(proxies[0]?.calls.filter((method) => method === 'eth_chainId')).toHaveLength(1)
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
  ])('goes to the next where one %s, and leaves that one alone for a while', async (_name, spoil) => {
    spoil(proxies[0] as RpcProxy)
    const asked = nodes()
    for (let at = 0; at < 10; at++) expect(await gasPrice(asked)).toBeGreaterThan(0n)
    expect(proxies[0]?.posts).toBe(1)
    expect(lines).toMatchObject([{ chainId: DEV_CHAIN_ID, reason: expect.any(String) }])
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })

  it('comes back to a node that has recovered', async () => {
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

  it('is in time where all nodes begin their answers and do not end them (threat 73)', async () => {
    for (const proxy of proxies) proxy.stalls = true
    await expect(gasPrice(nodes())).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    expect(lines).toHaveLength(3)
    expect(lines).toMatchObject(lines.map(() => ({ reason: 'did not answer in time' })))
  })

  it('takes no time for a node that fails for ever, once it is known, and looks for it in the background (threat 76)', async () => {
    const [first, second] = proxies as [RpcProxy, RpcProxy]
    first.silent = true
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

  it('has the next one answer where one is slow, and asks that one first from then on (threat 76)', async () => {
    const [slow] = proxies as [RpcProxy]
    slow.delay = 60_000
    const asked = nodes({ timeout: 10_000 })
    expect(await gasPrice(asked)).toBeGreaterThan(0n)
    expect(lines).toMatchObject([{ reason: 'is slower than the next' }])
    slow.forget()
    for (let time = 0; time < 10; time++) await gasPrice(asked)
    expect(slow.calls).not.toContain('eth_gasPrice')
  })

  it('waits for one slow node where there is no other, and for all where the question is large', async () => {
    for (const proxy of proxies) proxy.delay = 300
    expect(await gasPrice(nodes({ timeout: 400, count: 1 }))).toBeGreaterThan(0n)
    expect(posts()).toEqual([1, 0, 0])
    const price = await nodes({ timeout: 400 }).ask((client) => client.getGasPrice(), { patient: true })
    expect(price).toBeGreaterThan(0n)
    expect(posts()).toEqual([2, 0, 0])
    expect(lines).toEqual([])
  })

  it('does not let the long answer of one question take those of others with it (threat 36)', async () => {
    const [first] = proxies as [RpcProxy]
    first.lie = (method, truth) => (method === 'eth_getTransactionReceipt' ? 'a'.repeat(BOUNDS.chain.answer) : truth)
    const asked = nodes({ timeout: 5000, count: 1 })
    const long = asked.ask((client) => client.getTransactionReceipt({ hash: zeroHash }))
    const price = gasPrice(asked)
    await expect(long).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    expect(await price).toBeGreaterThan(0n)
    // and the node is as good as before
    expect(lines).toEqual([])
  })

  it('asks the others where the answer is that of a node which lags behind', async () => {
    const asked = nodes()
    const answers = [undefined, undefined, 'found']
    expect(await asked.ask(async () => answers.shift(), { accept: (found) => found !== undefined })).toBe('found')
    expect(await asked.ask(async () => undefined, { accept: (found) => found !== undefined })).toBeUndefined()
  })

  it('believes what as many nodes say as were asked to agree, and nothing else', async () => {
    const liar = proxies[0] as RpcProxy
    liar.lie = (method, truth) => (method === 'eth_gasPrice' ? '0x1' : truth)
    const essence = (price: bigint) => price
    const ask = (of: ChainNodes) => of.ask((client) => client.getGasPrice(), { essence })
    expect(await ask(nodes())).toBe(1n)
    expect(await ask(nodes({ agreement: 2 }))).toBeGreaterThan(1n)
    await expect(ask(nodes({ agreement: 2, count: 2 }))).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
  })

  it('fails in fixed words when all fail, asks each for one request at a time, and recovers by itself', async () => {
    for (const proxy of proxies) proxy.down = true
    const asked = nodes()
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

  it('takes a refusal of the contract as an answer, not as a failure of the node', async () => {
    const asked = nodes()
    const abi = [
      { type: 'function', name: 'x', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' },
    ] as const
    const address = `0x${'12'.repeat(20)}` as const
    const call = asked.ask((client) => client.readContract({ address, abi, functionName: 'x' }))
    await expect(call).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    expect(posts()).toEqual([1, 0, 0])
    expect(lines).toEqual([])
  })
})
