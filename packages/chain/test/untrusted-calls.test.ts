import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answering, ENDLESS, GAS, placed, zeros } from '../../../test/helpers/raw-contracts.js'
import { RpcProxy } from '../../../test/helpers/rpc-proxy.js'
import { COMMON_LIMITS } from '../../common/src/limits.js'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '../../dev-network/src/anvil.js'
import { ChainNodes } from '../src/nodes/nodes.js'
import type { CallUntrusted } from '../src/untrusted-calls.js'
import { untrustedView } from '../src/untrusted-calls.js'

const WORD = `0x${'00'.repeat(31)}2a` as const
const MEGABYTE = 1_048_576

/** Calls through a real node to contracts that anybody may have deployed. */
describe("calls to another account's contract", () => {
  let anvil: Anvil
  let proxy: RpcProxy
  let nodes: ChainNodes
  const rpc = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    return ((await (await fetch(anvil.rpcUrl, { method: 'POST', headers, body })).json()) as { result: unknown }).result
  }
  const put = (code: `0x${string}`) => placed(rpc, code)

  beforeAll(async () => {
    anvil = await startAnvil({ port: 0 })
    proxy = await RpcProxy.before(anvil.rpcUrl)
    nodes = new ChainNodes(DEV_CHAIN_ID, [new URL(proxy.url)], { timeout: 60_000, agreement: 1 })
  })
  afterAll(() => anvil.stop())

  const call = async (code: `0x${string}`, limit: number = COMMON_LIMITS.contract.result) => {
    const to = await put(code)
    return nodes.ask((_client, foreign) => foreign({ to, data: '0x12345678', limit }))
  }

  it("return the contract's answer, up to the limit", async () => {
    expect(await call(answering(WORD))).toBe(WORD)
    expect(await call(answering(WORD), 32)).toBe(WORD)
    expect(await call(answering(WORD), 31)).toBeUndefined()
    const long = `0x${'ab'.repeat(COMMON_LIMITS.contract.result)}` as const
    expect(await call(answering(long))).toBe(long)
    expect(await call(answering(`${long}ab`))).toBeUndefined()
  })

  it('have a gas limit (threat 36)', async () => {
    const left = Number(await call(GAS))
    expect(left).toBeLessThan(COMMON_LIMITS.contract.gas)
    expect(left).toBeGreaterThan(COMMON_LIMITS.contract.gas - 100_000)
  })

  it.each([
    ['never ends', ENDLESS],
    ['answers a megabyte', zeros(MEGABYTE)],
    ['reverts with a megabyte', zeros(MEGABYTE, true)],
    ['answers 4 GB', zeros(2 ** 32 - 1)],
    ['reverts', '0x60006000fd'],
    ['is no code', '0xfe'],
  ] as const)('one that %s has no answer, and the node is as good as before (threat 36)', async (_name, code) => {
    expect(await call(code)).toBeUndefined()
    expect(await nodes.ask((client) => client.getBlockNumber())).toBe(0n)
    expect(await call(answering(WORD))).toBe(WORD)
  })

  it('do not fail because of an oversized answer in the same batch (threat 36)', async () => {
    const bombs = await Promise.all(Array.from({ length: 12 }, () => put(zeros(MEGABYTE))))
    const one = await put(answering(WORD))
    const ask = (to: `0x${string}`) => nodes.ask((_client, foreign) => foreign({ to, data: '0x', limit: 32 }))
    const [block, word, ...others] = await Promise.all([
      nodes.ask((client) => client.getBlockNumber()),
      ask(one),
      ...bombs.map(ask),
    ])
    expect([block, word]).toEqual([0n, WORD])
    expect(others).toEqual(bombs.map(() => undefined))
  })

  it('distinguish a failing node from a failing contract', async () => {
    const to = await put(answering(WORD))
    const call = { to, data: '0x', limit: 32 } as const
    const ask = () => nodes.ask((_client, foreign) => foreign(call))
    for (const nonsense of [null, 42, {}, 'x']) {
      proxy.lie = (method, truth) => (method === 'eth_call' ? nonsense : truth)
      await expect(ask()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    }
    proxy.lie = (_method, truth) => truth
    // a node that is alone is waited for
    const impatient = new ChainNodes(DEV_CHAIN_ID, [new URL(proxy.url)], { timeout: 1000, agreement: 1 })
    await impatient.ask((client) => client.getBlockNumber())
    proxy.refuseEvery = 1
    await expect(impatient.ask((_client, foreign) => foreign(call))).rejects.toMatchObject({
      code: 'CHAIN_UNAVAILABLE',
    })
    proxy.refuseEvery = 0
    expect(await ask()).toBe(WORD)
  })

  it('leave out a view whose answer is too long or of the wrong type (threat 49)', async () => {
    const view = async (code: `0x${string}`) => {
      const to = await put(code)
      const read = (foreign: CallUntrusted) => untrustedView(foreign, to, 'symbol', [], COMMON_LIMITS.contract.symbol)
      return nodes.ask((_client, foreign) => read(foreign))
    }
    const symbol = (length: number) => {
      const words = [32, length].map((value) => value.toString(16).padStart(64, '0')).join('')
      return answering(`0x${words}${'41'.repeat(Math.ceil(length / 32) * 32)}`)
    }
    expect(await view(symbol(5))).toBe('AAAAA')
    expect(await view(symbol(COMMON_LIMITS.contract.symbol - 64))).toHaveLength(COMMON_LIMITS.contract.symbol - 64)
    expect(await view(symbol(COMMON_LIMITS.contract.symbol))).toBeUndefined()
    expect(await view(symbol(200_000))).toBeUndefined()
    expect(await view(answering(`0x${'ff'.repeat(64)}`))).toBeUndefined()
    expect(await view('0x00')).toBeUndefined()
  })
})
