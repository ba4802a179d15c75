import { KNOWN_DEPLOYMENTS } from '@tidegate/protocol/networks'
import { createPublicClient, custom } from 'viem'
import { expect, it } from 'vitest'
import { contractsOf } from '../../src/chain/contracts.js'
import type { Context } from '../../src/context.js'

it('uses the known contracts of a public network if the provider names none', async () => {
  const asked: unknown[] = []
  const request = async (call: { params?: unknown }) => {
    asked.push(call.params)
    throw new Error('not there')
  }
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const context = { api: { get: async () => ({}) }, chain: async () => client } as unknown as Context
  await expect(contractsOf(context, 137)).rejects.toThrow()
  expect(JSON.stringify(asked).toLowerCase()).toContain(
    KNOWN_DEPLOYMENTS.find(({ chainId }) => chainId === 137)?.factory.toLowerCase(),
  )
  await expect(contractsOf(context, 424242)).rejects.toMatchObject({ code: 'NO_CONTRACTS' })
})
