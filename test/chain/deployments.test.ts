import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { KNOWN_DEPLOYMENTS } from '../../src/chain/deployments.js'

const published = createRequire(import.meta.url)('@oceanprotocol/contracts/addresses/address.json') as Record<
  string,
  { chainId: number; startBlock: number; ERC721Factory: string; Ocean?: string }
>

it('knows every network of the published contracts, with the same addresses', () => {
  const expected = Object.entries(published).map(([network, entry]) => ({
    network,
    chainId: entry.chainId,
    factory: entry.ERC721Factory,
    startBlock: entry.startBlock,
    ...(entry.Ocean ? { oceanToken: entry.Ocean } : {}),
  }))
  expect(KNOWN_DEPLOYMENTS).toEqual(expected.sort((a, b) => a.chainId - b.chainId))
})
