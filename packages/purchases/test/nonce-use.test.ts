import { expect, it } from 'vitest'
import { transactionWith } from '../src/chain/nonce-use.js'
import { ACCOUNT, TOKEN } from './simulation/ledger.js'
import { hashOf } from './simulation/network.js'

it('the user of a nonce is found also in a block that is long final', async () => {
  const hash = hashOf('withdrawal')
  const client = {
    getTransactionCount: async ({ blockNumber }: { blockNumber: bigint }) => (blockNumber >= 500n ? 8 : 7),
    getBlock: async ({ blockNumber }: { blockNumber: bigint }) => ({
      hash: hashOf(`${blockNumber}`),
      transactions: blockNumber === 500n ? [{ hash, nonce: 7, from: ACCOUNT, to: TOKEN, input: '0x' }] : [],
    }),
  }
  const nodes = { ask: (step: (one: typeof client) => Promise<unknown>) => step(client) }
  for (const final of [510, 3_000, 90_000])
    expect(await transactionWith({ nodes } as never, ACCOUNT, 7, final)).toEqual({ hash, to: TOKEN, data: '0x' })
  expect(await transactionWith({ nodes } as never, ACCOUNT, 8, 3_000)).toBeUndefined()
})
