import type { Address, Hex } from 'viem'
import type { Contracts } from '../chain/contracts.js'
import { isTaken } from '../chain/erc20.js'
import { LAST_DATE } from '../constants.js'
import { type Named, type PaymentEvent, type PaymentLog, paymentEvents, unused } from './payment-events.js'
import type { Paid, PaidTo } from './types.js'

/** A part of a payment, in the token's smallest unit. */
export interface Part {
  to: PaidTo
  token: Address
  units: bigint
  receiver?: Address
}

/** An order in a transaction, with its payments. */
export interface PaidOrder {
  datatoken: Address
  /** Undefined for a renewal: its event names only the caller. */
  consumer?: Address
  payer: Address
  serviceIndex?: number
  time: Date
  /** The order that it renews. */
  renews?: Hex
  source: Paid['source']
  parts: Part[]
}

type Approved = Pick<Contracts, 'exchanges' | 'dispensers'>
type Bought = Pick<PaidOrder, 'source' | 'parts'>

/**
 * Returns the orders of datatokens in a transaction with their payments, from its events alone. Only exchanges and dispensers
 * that the router names are trusted: another contract could claim any price. Nor do orders of other contracts count: they
 * could be thousands.
 */
export function ordersIn(
  logs: readonly PaymentLog[],
  approved: Approved,
  datatokens: ReadonlySet<Address>,
): PaidOrder[] {
  const events = paymentEvents(logs)
  const isOrder = ({ eventName }: PaymentEvent) => eventName === 'OrderStarted' || eventName === 'OrderReused'
  return events.flatMap((event, at): PaidOrder[] => {
    const { contract: datatoken } = event
    if (!isOrder(event) || !datatokens.has(datatoken)) return []
    const rest = events.slice(at + 1)
    const next = rest.findIndex(isOrder)
    const after = next < 0 ? rest : rest.slice(0, next)
    if (event.eventName === 'OrderReused') {
      const { caller: payer, orderTxId: renews, timestamp } = event.args
      const parts = feesIn(after, datatoken, payer)
      return [{ datatoken, payer, renews, time: timeOf(timestamp), source: 'renewal', parts }]
    }
    if (event.eventName !== 'OrderStarted') return []
    const { consumer, payer, serviceIndex, timestamp } = event.args
    const { source, parts } = boughtIn(events, at, { datatoken, payer, approved })
    const order = { datatoken, consumer, payer, serviceIndex: Number(serviceIndex), time: timeOf(timestamp), source }
    return [{ ...order, parts: [...parts, ...feesIn(after, datatoken, payer)] }]
  })
}

/** Returns a time; the last one that a date can have for later ones. */
const timeOf = (seconds: bigint) => new Date(Math.min(Number(seconds) * 1000, LAST_DATE))

interface Buyer {
  datatoken: Address
  payer: Address
  approved: Approved
}

/** Returns the payments for the datatoken of the order at a position. */
function boughtIn(events: readonly PaymentEvent[], at: number, { datatoken, payer, approved }: Buyer): Bought {
  const before = events.slice(0, at)
  const [received] = unused(before, 'Transfer', ({ contract, args }) => contract === datatoken && args.to === payer)
  if (received) received.isUsed = true
  const [swapped] = unused(
    before,
    'Swapped',
    ({ contract, args }) => args.tokenOut === datatoken && approved.exchanges.includes(contract),
  )
  if (swapped) return { source: 'exchange', parts: swapParts(events, swapped) }
  const [dispensed] = unused(
    before,
    'TokensDispensed',
    ({ contract, args }) => args.datatoken === datatoken && approved.dispensers.includes(contract),
  )
  if (dispensed) {
    dispensed.isUsed = true
    return { source: 'dispenser', parts: [] }
  }
  return received ? { source: 'other', parts: spentBy(before, payer, datatoken) } : { source: 'held', parts: [] }
}

/** Returns the parts of an exchange's price. The rest after its fees is the publisher's. */
function swapParts(events: readonly PaymentEvent[], swapped: Named<'Swapped'>): Part[] {
  const { contract, args } = swapped
  const at = events.indexOf(swapped)
  const paid = unused(events.slice(0, at), 'Transfer', (one) => one.args.to === contract).at(-1)
  if (!paid) return []
  for (const used of [swapped, paid]) used.isUsed = true
  const { contract: token } = paid
  const isOfExchange = (one: { contract: Address; args: { exchangeId?: Hex } }) =>
    one.contract === contract && one.args.exchangeId === args.exchangeId
  const fee = unused(events.slice(0, at), 'ConsumeMarketFee', (one) => isOfExchange(one as never)).at(-1)
  const [collected] = unused(events.slice(at), 'TokenCollected', (one) => isOfExchange(one) && one.args.token === token)
  for (const one of [fee, collected]) if (one) one.isUsed = true
  const market = fee && 'to' in fee.args ? fee.args.to : undefined
  const rest = args.base - args.marketFee - args.oceanFee - args.consumeMarketFee
  const part = (to: PaidTo, units: bigint, receiver?: Address): Part[] =>
    units > 0n ? [{ to, token, units, ...(receiver ? { receiver } : {}) }] : []
  return [
    ...part('publisher', rest, collected?.args.to),
    ...part('market', args.marketFee),
    ...part('consumeMarket', args.consumeMarketFee, market),
    ...part('protocol', args.oceanFee),
  ]
}

/** Most tokens of one purchase that are read: anybody's contracts can claim a transfer. */
const TOKENS = 20

/** Returns the net amounts that an account spent, to whatever contract sold the datatoken. */
function spentBy(events: readonly PaymentEvent[], payer: Address, datatoken: Address): Part[] {
  const byToken = new Map<Address, { units: bigint; receivers: Set<Address> }>()
  for (const transfer of unused(events, 'Transfer', ({ contract }) => contract !== datatoken)) {
    const { contract: token, args } = transfer
    if ((args.from === payer) === (args.to === payer)) continue
    transfer.isUsed = true
    const spent = byToken.get(token) ?? { units: 0n, receivers: new Set() }
    spent.units += args.from === payer ? args.value : -args.value
    if (args.from === payer) spent.receivers.add(args.to)
    byToken.set(token, spent)
  }
  return [...byToken].slice(0, TOKENS).flatMap(([token, { units, receivers }]): Part[] => {
    const [receiver] = receivers.size === 1 ? receivers : []
    return units > 0n ? [{ to: 'seller', token, units, ...(receiver ? { receiver } : {}) }] : []
  })
}

/** Returns the fees that a datatoken took for an order, from the events after it. */
function feesIn(events: readonly PaymentEvent[], datatoken: Address, payer: Address): Part[] {
  return events.flatMap((event): Part[] => {
    if (event.contract !== datatoken) return []
    const fee = feeIn(event)
    return fee && isTaken(fee.token, fee.receiver, fee.units) ? shared(events, fee, { datatoken, payer }) : []
  })
}

type Fee = Required<Part>

function feeIn(event: PaymentEvent): Fee | undefined {
  const { eventName } = event
  if (eventName === 'ProviderFee') {
    const { providerFeeAddress: receiver, providerFeeToken: token, providerFeeAmount: units } = event.args
    return { to: 'provider', token, units, receiver }
  }
  if ((eventName !== 'PublishMarketFee' && eventName !== 'ConsumeMarketFee') || !('receiver' in event.args))
    return undefined
  const { receiver, token, amount: units } = event.args
  return { to: eventName === 'PublishMarketFee' ? 'market' : 'consumeMarket', token, units, receiver }
}

/** Splits a fee between its receiver and the protocol, which may keep a share. The transfers show the shares. */
function shared(
  events: readonly PaymentEvent[],
  fee: Fee,
  { datatoken, payer }: { datatoken: Address; payer: Address },
): Part[] {
  const { token, units, receiver } = fee
  const transfers = unused(events, 'Transfer', ({ contract }) => contract === token)
  const pulled = transfers.find(
    ({ args }) => args.from === payer && args.value === units && (args.to === receiver || args.to === datatoken),
  )
  if (!pulled) return [fee]
  pulled.isUsed = true
  if (pulled.args.to === receiver) return [fee]
  let left = units
  const parts: Part[] = []
  for (const transfer of transfers.slice(transfers.indexOf(pulled) + 1)) {
    const { from, to, value } = transfer.args
    if (left === 0n) break
    if (from !== datatoken || value > left) continue
    transfer.isUsed = true
    left -= value
    if (value > 0n) parts.push({ to: to === receiver ? fee.to : 'protocol', token, units: value, receiver: to })
  }
  return left === 0n ? parts : [fee]
}
