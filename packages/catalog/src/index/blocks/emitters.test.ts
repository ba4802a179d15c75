import { type Address, type RpcLog, toHex } from 'viem'
import { expect, it } from 'vitest'
import { chainLog } from '../../../../../test/helpers/chain-log.js'
import type { Chain } from '../../../../chain/src/chains.js'
import { Emitters } from './emitters.js'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [FACTORY, DATATOKEN, EXCHANGE, STRANGER] = ['1', '2', '3', '4'].map(address) as [
  Address,
  Address,
  Address,
  Address,
]
const chain = { chainId: 1, deployment: { factory: FACTORY } } as unknown as Chain
const exchangeId = toHex(1, { size: 32 })

const log = (emitter: Address, eventName: string, args: Record<string, unknown>, block = 1) =>
  chainLog(
    { address: emitter, eventName, args },
    { block, blockHash: exchangeId, time: 1, transactionHash: exchangeId, index: 0 },
  ) as unknown as RpcLog
const created = (exchange: Address, block?: number) => {
  const parties = { baseToken: STRANGER, datatoken: DATATOKEN, exchangeOwner: STRANGER }
  return log(exchange, 'ExchangeCreated', { exchangeId, ...parties, fixedRate: 1n }, block)
}
const named = (datatoken: Address, exchangeContract: Address, block?: number) =>
  log(datatoken, 'NewFixedRate', { exchangeId, owner: STRANGER, exchangeContract, baseToken: STRANGER }, block)

it('trusts exchanges that datatokens of the index name, also later in the same blocks, and no others', async () => {
  const asked: Address[][] = []
  const index = {
    known: async (_chain: number, kind: string, addresses: Address[]) => {
      asked.push(addresses)
      return kind === 'datatoken' ? addresses.filter((one) => one.toLowerCase() === DATATOKEN) : []
    },
  }
  const trusted = [created(EXCHANGE), named(DATATOKEN, EXCHANGE)]
  const forged = [created(STRANGER), named(STRANGER, STRANGER), created(STRANGER)]
  const emitters = new Emitters(chain, index)
  expect(await emitters.trusted([...forged, ...trusted])).toEqual(trusted)
  expect([...emitters.deployed.market.keys()]).toEqual([EXCHANGE])
  // a look-up per kind, however many events
  expect(asked.map(({ length }) => length)).toEqual([2, 2])
})

it('trusts an exchange from the block of its first name on, however blocks are divided into ranges', async () => {
  const index = {
    known: async (_chain: number, kind: string, addresses: Address[]) => (kind === 'datatoken' ? addresses : []),
  }
  const [early, naming, late] = [created(EXCHANGE, 1), named(DATATOKEN, EXCHANGE, 2), created(EXCHANGE, 3)]
  expect(await new Emitters(chain, index).trusted([early, naming, late])).toEqual([naming, late])
  const emitters = new Emitters(chain, index)
  const ranges = [await emitters.trusted([early]), await emitters.trusted([naming]), await emitters.trusted([late])]
  expect(ranges.flat()).toEqual([naming, late])
})
