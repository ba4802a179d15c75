import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createPublicClient, custom, getAddress } from 'viem'
import { expect, it } from 'vitest'
import type { Context } from '../context.js'
import { contractsOf } from './contracts.js'
import { KNOWN_NETWORKS } from './known-networks.js'

it('public networks are those of the published contracts', () => {
  const file = createRequire(import.meta.url).resolve('@oceanprotocol/contracts/addresses/address.json')
  const listed = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, never>>)
  for (const [chainId, { ERC721Factory, Ocean }] of Object.entries(KNOWN_NETWORKS)) {
    const own = listed.find((network) => String(network.chainId) === chainId) as Record<string, string> | undefined
    expect(getAddress(own?.ERC721Factory as string)).toBe(getAddress(ERC721Factory))
    if (Ocean) expect(getAddress(own?.Ocean as string)).toBe(getAddress(Ocean))
  }
  const published = listed.filter(({ chainId, ERC721Factory }) => chainId && ERC721Factory && chainId !== 8996)
  expect(Object.keys(KNOWN_NETWORKS)).toHaveLength(new Set(published.map(({ chainId }) => chainId)).size)
})

it('of a provider that tells no contracts, those of a public network are asked', async () => {
  const asked: unknown[] = []
  const request = async (call: { params?: unknown }) => {
    asked.push(call.params)
    throw new Error('not there')
  }
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const context = { api: { get: async () => ({}) }, chain: async () => client } as unknown as Context
  await expect(contractsOf(context, 137)).rejects.toThrow()
  expect(JSON.stringify(asked).toLowerCase()).toContain(KNOWN_NETWORKS[137]?.ERC721Factory)
  await expect(contractsOf(context, 424242)).rejects.toMatchObject({ code: 'NO_CONTRACTS' })
})
