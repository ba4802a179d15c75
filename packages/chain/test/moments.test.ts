import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { balancedNode } from '../../../test/helpers/balanced-node.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { withLimits } from '../../../test/helpers/limits.js'
import { answering } from '../../../test/helpers/raw-contracts.js'
import type { Refusal } from '../../../test/helpers/refusals.js'
import { forwardTo, RpcProxy } from '../../../test/helpers/rpc-proxy.js'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '../../dev-network/src/anvil.js'
import type { Chain } from '../src/chains.js'
import { CHAIN_LIMITS } from '../src/limits.js'
import { ChainNodes } from '../src/nodes/nodes.js'
import { Receipts, requestReceipt } from '../src/receipts.js'

const WORD: Hex = `0x${'00'.repeat(31)}2a`
/** Every second call is answered from half a second ago. */
const HALF = [0, 500]

/** Unknown blocks and states, in the words of nodes. */
const UNKNOWN: Record<string, Refusal> = {
  geth: { code: -32000, message: 'header not found' },
  'geth, of a pruned state': { code: -32000, message: 'missing trie node 0a0b (path ) state 0x0c is not available' },
  erigon: { code: -32000, message: 'block with number 0x10 is not available: cannot find header' },
  Nethermind: { code: -32002, message: 'No state available for block 16 (0x0a)' },
  Besu: { code: -32000, message: 'World state unavailable' },
  reth: { code: -32001, message: 'block not found: 0x10' },
  anvil: { code: -32602, message: 'BlockOutOfRangeError: block height is 15 but requested was 16' },
  Avalanche: { code: -32000, message: 'cannot query unfinalized data' },
  Filecoin: { code: 1, message: "bad tipset height: requested a future epoch (beyond 'latest')" },
  zkSync: { code: -32602, message: "Block with such an ID doesn't exist yet" },
  'a node of unknown words': { code: -32099, message: 'sorry' },
}

describe('an address whose answers are of different moments', () => {
  withLimits(CHAIN_LIMITS, ({ moments }) => {
    moments.pauses = [25, 50, 100, 200, 400]
  })
  let anvil: Anvil
  let mining: NodeJS.Timeout
  let forward: ReturnType<typeof forwardTo>
  const rpc = async (method: string, params: unknown[] = []) => (await forward(method, params)).result
  beforeAll(async () => {
    anvil = await startAnvil({ port: 0 })
    forward = forwardTo(anvil.rpcUrl)
    await rpc('anvil_mine', ['0x20'])
    mining = setInterval(() => void rpc('evm_mine').catch(() => undefined), 200)
  })
  afterAll(async () => {
    clearInterval(mining)
    await anvil.stop()
  })
  const nodesOf = (urls: string[], agreement = 1) =>
    new ChainNodes(
      DEV_CHAIN_ID,
      urls.map((url) => new URL(url)),
      { timeout: 60_000, agreement },
    )
  const call = (nodes: ChainNodes, to: Hex, since = 0) =>
    nodes.ask((_client, foreign) => foreign({ to, data: '0x', limit: 32 }), {
      since,
      accept: (answer) => answer !== '0x',
    })
  const height = async () => Number(await rpc('eth_blockNumber'))

  it.each([
    1, 2, 3,
  ])('shows no head that is older than a former one, and is named with seed %i (threat 128)', async (seed) => {
    const node = await balancedNode(anvil.rpcUrl, { lags: { blocks: HALF }, seed })
    const nodes = nodesOf([node.url])
    let last = 0n
    await eventually(async () => {
      const head = await nodes.ask((client) => client.getBlockNumber())
      expect(head).toBeGreaterThanOrEqual(last)
      last = head
      return nodes.health[0]?.limits.includes('mixes answers of different moments')
    })
    expect(nodes.health).toMatchObject([{ answers: true }])
  })

  it.each([
    1, 2, 3,
  ])('knows a contract of the block that a decision depends on with seed %i (threat 128)', async (seed) => {
    const node = await balancedNode(anvil.rpcUrl, { lags: { blocks: HALF, state: HALF }, seed })
    const nodes = nodesOf([node.url])
    for (let time = 0; time < 3; time++) {
      const to = await deployed()
      expect(await call(nodes, to, await height())).toBe(WORD)
    }
  })

  it('is asked again for a contract that a newer node of it may know, once it is known to mix (threat 128)', async () => {
    const node = await balancedNode(anvil.rpcUrl, { lags: { blocks: HALF, state: HALF }, seed: 4 })
    const nodes = nodesOf([node.url])
    await eventually(async () => {
      await nodes.ask((client) => client.getBlockNumber())
      return nodes.health[0]?.limits.length === 1
    })
    for (let time = 0; time < 5; time++) expect(await call(nodes, await deployed())).toBe(WORD)
  })

  it.each(
    Object.entries(UNKNOWN),
  )('is not believed when it lacks the block, in the words of %s (threat 128)', async (_name, refusal) => {
    const proxies = await Promise.all([0, 1].map(() => RpcProxy.before(anvil.rpcUrl)))
    const [behind] = proxies as [RpcProxy]
    const to = await deployed()
    const head = await height()
    behind.refuse = (method, [, block]) =>
      method === 'eth_call' && (block === 'latest' ? false : Number(block) >= head) ? refusal : undefined
    expect(await call(nodesOf(proxies.map(({ url }) => url)), to)).toBe(WORD)
    await expect(call(nodesOf([behind.url]), to)).rejects.toMatchObject({
      code: 'CHAIN_UNAVAILABLE',
      message: expect.stringContaining('is behind'),
    })
  })

  it.each([
    { code: 3, message: 'execution reverted: header not found', data: '0x08c379a0' },
    { code: -32000, message: 'execution reverted: block not found' },
    { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' },
    { code: -32000, message: 'invalid opcode: opcode 0xfe not defined' },
  ])('control: a contract that reverts has no answer, whatever it says ($message)', async (refusal) => {
    const proxy = await RpcProxy.before(anvil.rpcUrl)
    proxy.refuse = (method) => (method === 'eth_call' ? refusal : undefined)
    proxy.forget()
    expect(await call(nodesOf([proxy.url]), await deployed())).toBeUndefined()
    expect(proxy.calls.filter((method) => method === 'eth_call')).toHaveLength(1)
  })

  it.each([-32602, -32601, -32000])('works without block numbers in calls, which is named (%i)', async (code) => {
    const proxy = await RpcProxy.before(anvil.rpcUrl)
    proxy.refuse = (method, [, block]) =>
      method === 'eth_call' && block !== 'latest' ? { code, message: 'only the tag latest is supported' } : undefined
    const nodes = nodesOf([proxy.url])
    const to = await deployed()
    expect(await call(nodes, to)).toBe(WORD)
    expect(nodes.health[0]?.limits).toEqual([
      'takes no block numbers in calls: the calls of a decision may be of different moments',
    ])
    proxy.forget()
    expect(await call(nodes, to)).toBe(WORD)
    expect(proxy.calls.filter((method) => method === 'eth_call')).toHaveLength(1)
  })

  it('is asked at one block by a quorum, which a false head and an old one do not move (threat 128)', async () => {
    const proxies = await Promise.all([0, 1, 2].map(() => RpcProxy.before(anvil.rpcUrl)))
    const [high, low] = proxies as [RpcProxy, RpcProxy]
    const nodes = nodesOf(
      proxies.map(({ url }) => url),
      2,
    )
    const blocks = new Set<unknown>()
    for (const proxy of proxies) proxy.refuse = (method, [, block]) => void (method === 'eth_call' && blocks.add(block))
    const ask = (to: Hex) =>
      nodes.ask((_client, foreign) => foreign({ to, data: '0x', limit: 32 }), { agreeOn: (answer) => answer })
    expect(await ask(await deployed())).toBe(WORD)
    expect(blocks.size).toBe(1)
    high.lie = (method, truth) => (method === 'eth_blockNumber' ? '0xffffff' : truth)
    expect(await ask(await deployed())).toBe(WORD)
    high.lie = (_method, truth) => truth
    low.lagsAt = 1
    expect(await ask(await deployed())).toBe(WORD)
  })

  it('a head whose block a node cannot give is no head, and is named (threat 128)', async () => {
    const proxies = await Promise.all([0, 1].map(() => RpcProxy.before(anvil.rpcUrl)))
    const [liar] = proxies as [RpcProxy]
    liar.lie = (method, truth) => (method === 'eth_blockNumber' ? '0xffffff' : truth)
    const nodes = nodesOf(proxies.map(({ url }) => url))
    const heads = await nodes.askAll((client) => client.getBlockNumber())
    expect(heads).toHaveLength(1)
    expect(Number(heads[0])).toBeLessThan(0xffffff)
    expect(nodes.health[0]?.limits).toEqual(['names a head whose block it does not have'])
    liar.lie = (_method, truth) => truth
    expect(await nodes.askAll((client) => client.getBlockNumber())).toHaveLength(2)
    expect(nodes.health[0]?.limits).toEqual([])
  })

  it('a chain that was restarted lower is followed after a minute without its former head (threat 128)', async () => {
    const proxy = await RpcProxy.before(anvil.rpcUrl)
    const nodes = nodesOf([proxy.url])
    const head = () => nodes.ask((client) => client.getBlockNumber())
    await head()
    proxy.lagsAt = 3
    await expect(head()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000)
    expect(await head()).toBe(3n)
    // it never came back, so it mixes nothing
    expect(nodes.health[0]?.limits).toEqual([])
    vi.restoreAllMocks()
  })

  it.each([
    1, 2, 3,
  ])('a receipt is found once its block is, with its confirmations with seed %i (threat 128)', async (seed) => {
    const node = await balancedNode(anvil.rpcUrl, { lags: { blocks: HALF, receipts: HALF }, seed })
    const chain = { chainId: DEV_CHAIN_ID, nodes: nodesOf([node.url]) } as Chain
    const txId = await sent()
    const found = await new Receipts(0).find(chain, txId, 60_000, new AbortController().signal)
    expect(found?.receipt.transactionHash).toBe(txId)
    expect(Number(found?.head)).toBeGreaterThanOrEqual(Number(found?.receipt.blockNumber))
  })

  it('a receipt of a block that the chain has replaced is none (threat 128)', async () => {
    const proxy = await RpcProxy.before(anvil.rpcUrl)
    const chain = { chainId: DEV_CHAIN_ID, nodes: nodesOf([proxy.url]) } as Chain
    const txId = await sent()
    const orphaned = `0x${'ab'.repeat(32)}`
    proxy.lie = (method, truth) =>
      method === 'eth_getTransactionReceipt' ? { ...(truth as object), blockHash: orphaned, logs: [] } : truth
    expect(await requestReceipt(chain, txId)).toBeUndefined()
    proxy.lie = (_method, truth) => truth
    expect((await requestReceipt(chain, txId))?.receipt.status).toBe('success')
  })

  /** Deploys a contract that answers one word, in a new block. Returns its address. */
  async function deployed(): Promise<Hex> {
    const runtime = answering(WORD).slice(2)
    const size = (runtime.length / 2).toString(16).padStart(4, '0')
    const { contractAddress } = await receiptOf(await sent({ data: `0x61${size}80600a3d393df3${runtime}` }))
    return contractAddress
  }

  async function sent(fields: object = { to: `0x${'12'.repeat(20)}` }): Promise<Hex> {
    const [from] = (await rpc('eth_accounts')) as [Hex]
    const txId = (await rpc('eth_sendTransaction', [{ from, ...fields }])) as Hex
    await receiptOf(txId)
    return txId
  }

  async function receiptOf(txId: Hex): Promise<{ contractAddress: Hex }> {
    let receipt: unknown
    await eventually(async () => {
      receipt = await rpc('eth_getTransactionReceipt', [txId])
      return receipt
    })
    return receipt as { contractAddress: Hex }
  }
})
