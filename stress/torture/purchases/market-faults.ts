import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import type { Fault, Lift, Place } from '../faults/fault.js'
import { CONFIRMATIONS, type Market } from './market.js'

/** Share of the transactions that a reorganisation drops and nodes do not keep. */
const LOST = 0.5
/** Milliseconds between two changes of the chain. */
const BETWEEN = 1_500
const REVOKED = 3

/** Faults of the chain, of what is sold, and of the purchasing account. */
export function marketFaults(market: Market): Fault<Place>[] {
  const { torture } = market
  const fault = (name: string, about: string, kind: Fault['kind'], inject: (place: Place) => Promise<Lift>) => ({
    ...{ name, about, kind, inject },
  })
  return [
    fault(
      'reorganisations',
      'Again and again the newest blocks are replaced, and half of their transactions are lost.',
      'chain',
      async (place) => repeated(() => torture.onChain(() => reorganise(market, place))),
    ),
    fault('gas dearer at once', 'The base fee rises above what waiting transactions offer.', 'chain', async () => {
      await torture.onChain(() => torture.world.rpc('anvil_setNextBlockBaseFeePerGas', [numberToHex(5_000_000_000n)]))
      return () => undefined
    }),
    fault(
      'prices raised',
      'The price of an asset rises forty times and falls, again and again.',
      'chain',
      async (place) =>
        repeated(async () => {
          const asset = place.random.one(market.assets)
          await market.setPrice(asset, 'raised')
          await market.setPrice(asset, 'usual')
        }),
    ),
    fault('exchange closed', 'The exchange of an asset is closed.', 'chain', async ({ random }) => {
      const asset = random.one(market.assets)
      await market.toggle(asset)
      return () => market.toggle(asset)
    }),
    fault('asset revoked', 'An asset is revoked, and published again.', 'chain', async ({ random }) => {
      const asset = random.one(market.assets)
      await market.finally(() => torture.setState(asset, REVOKED))
      return () => market.finally(() => torture.setState(asset, 0))
    }),
    fault('account without coins', 'The purchasing account has no coins for gas.', 'chain', async () => {
      await market.giveCoins('0x0')
      return () => market.giveCoins()
    }),
  ]
}

/** Does something again and again, until the fault is lifted. */
function repeated(work: () => Promise<unknown>): Lift {
  let isLifted = false
  const working = (async () => {
    while (!isLifted) {
      await work()
      await sleep(BETWEEN)
    }
  })()
  return () => {
    isLifted = true
    return working
  }
}

/** Replaces fewer blocks than make a block final. Nodes keep some of the transactions, in any order. */
async function reorganise({ torture }: Market, { random }: Place): Promise<void> {
  const { world } = torture
  const depth = 1 + random.below(CONFIRMATIONS - 1)
  const head = await world.provider.getBlockNumber()
  const kept: unknown[] = []
  for (let number = head - depth + 1; number <= head; number++) {
    const { transactions } = await world.provider.getBlock(number)
    for (const hash of transactions)
      if (!random.chance(LOST)) kept.push(await world.rpc('eth_getRawTransactionByHash', [hash]))
  }
  await world.reorganise(depth)
  for (const raw of random.shuffled(kept)) await world.rpc('eth_sendRawTransaction', [raw]).catch(() => undefined)
}
