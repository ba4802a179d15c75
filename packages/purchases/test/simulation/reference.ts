import { decodeEventLog, isAddressEqual } from 'viem'
import { PAYMENT_EVENTS } from '../../src/chain/token-events.js'
import type { Purchase } from '../../src/purchase.js'
import { ACCOUNT, FLOAT, GAS_FEE, pairOf, SELLER } from './ledger.js'
import type { SimulatedNetwork } from './network.js'

/** What the chain alone tells of the dealings with one payer. */
interface Dealings {
  arrived: bigint
  back: bigint
  cost: bigint
  orders: number
  datatokens: number
}

/** Returns what is wrong at the end of a history, as the chain and the records tell it; undefined if nothing is. */
export function faultOf(network: SimulatedNetwork, records: readonly Purchase[]): string | undefined {
  let kept = 0n
  for (const record of records) {
    const { payment, state, isOpen, paid, spent, refunded } = record
    const dealings = dealingsOf(network, record)
    const { arrived, back, cost } = dealings
    const told = JSON.stringify(
      { state, isOpen, paid, spent, refunded, reason: record.reason, dealings },
      (_, value) => (typeof value === 'bigint' ? Number(value) : value),
    )
    if (isOpen) return `the purchase of ${payment.payer} has no end: ${told}`
    if (paid !== arrived || spent !== cost || refunded !== back)
      return `the record is not what the chain tells: ${told}`
    const isRight = isRightlyEnded(dealings, state)
    if (!isRight) return `the purchase ended wrongly: ${told}`
    kept += arrived - cost - back
  }
  const balance = network.head.ledger.balances.get(ACCOUNT.toLowerCase()) ?? 0n
  const strayed = strayedOf(network, records)
  if (balance !== FLOAT + kept + strayed) return `the account holds ${balance}, not ${FLOAT} + ${kept} + ${strayed}`
  return undefined
}

function isRightlyEnded({ arrived, back, cost, orders, datatokens }: Dealings, state: Purchase['state']): boolean {
  if (arrived === 0n) return state === 'failed' && orders + datatokens === 0 && back + cost === 0n
  const kept = arrived - cost - back
  if (state === 'ordered') return orders === 1 && datatokens === 0 && kept >= 0n && kept < 2n * GAS_FEE
  // what was bought and cannot be ordered goes to the payer, with the rest of the tokens
  return state === 'refunded' && orders === 0 && kept === 0n && datatokens === (cost > 0n ? 1 : 0)
}

function eventsOf(network: SimulatedNetwork) {
  const all = network.blocks.flatMap(({ transactions }) => transactions)
  return all.flatMap(({ sent, logs }) =>
    logs.map((log) => ({
      sent,
      log,
      ...decodeEventLog({ abi: PAYMENT_EVENTS, topics: log.topics as [], data: log.data }),
    })),
  )
}

function dealingsOf(network: SimulatedNetwork, { payment, wanted, orderTx }: Purchase): Dealings {
  const { payer } = payment
  const dealings: Dealings = { arrived: 0n, back: 0n, cost: 0n, orders: 0, datatokens: 0 }
  dealings.datatokens = network.head.ledger.datatokens.get(pairOf(payer, wanted.did)) ?? 0
  for (const { eventName, args, sent } of eventsOf(network)) {
    if (eventName === 'OrderStarted' && isAddressEqual(args.consumer, payer)) {
      dealings.orders += 1
      if (sent.hash !== orderTx) dealings.orders += 100
    }
    if (eventName !== 'Transfer') continue
    if (isAddressEqual(args.from, payer) && isAddressEqual(args.to, ACCOUNT)) dealings.arrived += args.value
    if (isAddressEqual(args.from, ACCOUNT) && isAddressEqual(args.to, payer)) dealings.back += args.value
    // both calls of a purchase name the payer
    const isHis = isAddressEqual(args.to, SELLER) && sent.data.toLowerCase().includes(payer.slice(2).toLowerCase())
    if (isHis) dealings.cost += args.value
  }
  return dealings
}

/** Tokens of payments that nobody wrote down: others settled them before the service knew them. */
function strayedOf(network: SimulatedNetwork, records: readonly Purchase[]): bigint {
  const known = new Set(records.map(({ payment }) => payment.payer.toLowerCase()))
  return eventsOf(network).reduce((sum, { eventName, args }) => {
    const isStray = eventName === 'Transfer' && isAddressEqual(args.to, ACCOUNT) && !known.has(args.from.toLowerCase())
    return isStray ? sum + args.value : sum
  }, 0n)
}
