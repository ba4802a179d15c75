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

const log = (emitter: Address, eventName: string, args: Record<string, unknown>) =>
  chainLog(
    { address: emitter, eventName, args },
    { block: 1, blockHash: exchangeId, time: 1, transactionHash: exchangeId, index: 0 },
  ) as unknown as RpcLog
const created = (exchange: Address) =>
  log(exchange, 'ExchangeCreated', {
    ...{ exchangeId, baseToken: STRANGER, datatoken: DATATOKEN, exchangeOwner: STRANGER, fixedRate: 1n },
  })
const named = (datatoken: Address, exchangeContract: Address) =>
  log(datatoken, 'NewFixedRate', { exchangeId, owner: STRANGER, exchangeContract, baseToken: STRANGER })

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
  expect(asked.map(({ length }) => length)).toEqual([2, 1])
})
