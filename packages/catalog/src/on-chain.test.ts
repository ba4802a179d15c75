import type { Chains } from '@tidegate/chain'
import type { Address, Offer, SoldAsset } from '@tidegate/protocol'
import { expect, it } from 'vitest'
import { OnChainReader } from './on-chain.js'

const DATATOKEN: Address = '0x1111111111111111111111111111111111111111'
const TOKEN: Address = '0x2222222222222222222222222222222222222222'

it('reads nothing again from the chain when a price changes, and tells the new one', async () => {
  let asked = 0
  const nodes = {
    ask: async () => {
      asked += 1
      return { price: { value: '1', tokenAddress: TOKEN, tokenSymbol: 'TIDE' } }
    },
  }
  const reader = new OnChainReader(new Map([[1, { nodes }]]) as unknown as Chains, 60_000)
  const priceAt = async (price: string) => {
    const offers = new Map<Address, Partial<Offer>[]>([[DATATOKEN, [{ price, token: TOKEN }]]])
    const asset = {
      chainId: 1,
      nft: { address: TOKEN },
      metadata: { did: 'did:op:1' },
      datatokens: [{ address: DATATOKEN }],
      offers,
    }
    return (await reader.of({ asset, ddo: {}, services: [] } as unknown as SoldAsset)).price
  }
  expect(await priceAt('1')).toEqual({ value: '1', tokenAddress: TOKEN, tokenSymbol: 'TIDE' })
  expect(await priceAt('2.5')).toMatchObject({ value: '2.5', tokenSymbol: 'TIDE' })
  expect(asked).toBe(1)
})
