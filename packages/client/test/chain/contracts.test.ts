import { KNOWN_DEPLOYMENTS } from '@tidegate/protocol/networks'
import { createPublicClient, custom } from 'viem'
import { expect, it } from 'vitest'
import { contractsOf } from '../../src/chain/contracts.js'
import { Moment } from '../../src/chain/moment.js'
import { tokenNamed, tokens } from '../../src/chain/tokens.js'
import type { Context } from '../../src/context.js'

it('uses the known contracts of a public network if the provider names none', async () => {
  const asked: unknown[] = []
  const request = async (call: { method: string; params?: unknown }) => {
    asked.push(call.params)
    if (call.method === 'eth_getBlockByNumber') return { number: '0x1', timestamp: '0x1' }
    throw new Error('not there')
  }
  const moment = await Moment.of(createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }), 137)
  const context = { api: { get: async () => ({}) } } as unknown as Context
  await expect(contractsOf(context, 137, moment)).rejects.toThrow()
  expect(JSON.stringify(asked).toLowerCase()).toContain(
    KNOWN_DEPLOYMENTS.find(({ chainId }) => chainId === 137)?.factory.toLowerCase(),
  )
  await expect(contractsOf(context, 424242, moment)).rejects.toMatchObject({ code: 'NO_CONTRACTS' })
})

it('takes the tokens of a public network from its own list, and those of others from the provider', async () => {
  const USDC = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
  const contracts = { 1: { tokens: { OCEAN: USDC, USDC } }, 424242: { tokens: { USDC, 'a b': USDC, BAD: '0x1' } } }
  const context = { api: { get: async () => ({ contracts }) } } as unknown as Context
  const ocean = KNOWN_DEPLOYMENTS.find(({ chainId }) => chainId === 1)?.oceanToken
  expect([await tokens(context, 1), await tokens(context, 424242)]).toEqual([{ OCEAN: ocean }, { USDC }])
  expect(await tokenNamed(context, 424242, 'usdc')).toBe(USDC)
  const message = 'The list of chain 1 has no token USDC: name it by address. The list has: OCEAN.'
  await expect(tokenNamed(context, 1, 'USDC')).rejects.toMatchObject({ code: 'UNKNOWN_TOKEN', message })
})
