import { ORDERING } from '@tidegate/protocol/abi'
import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import { type Address, encodeFunctionData, type Hex, isAddressEqual, parseAbi, zeroAddress } from 'viem'
import { approveCall } from '../chain/token-calls.js'
import { PURCHASE_LIMITS } from '../limits.js'
import type { Call } from '../records/slot-table.js'
import type { Offer } from './offer.js'
import type { OrderPlan } from './shop.js'

const ORDER_CALLS = parseAbi(ORDERING)

/** The provider's signed fee of an order, as `initialize` quotes it. */
export interface SignedFee {
  providerFeeAddress: Address
  providerFeeToken: Address
  /** Decimal amount in the token's smallest unit. */
  providerFeeAmount: string
  providerData: Hex
  validUntil: number
  v: number
  r: Hex
  s: Hex
}

/** What is ordered: for whom, which service, at which provider fee. */
export interface Ordered {
  consumer: Address
  serviceIndex: number
  fee: SignedFee
}

const NO_FEE = { consumeMarketFeeAddress: zeroAddress, consumeMarketFeeToken: zeroAddress, consumeMarketFeeAmount: 0n }

/** Returns the provider fee in a token; undefined if it is in another one, which the buyer does not pay with. */
export function feeIn(token: Address, { providerFeeToken, providerFeeAmount }: SignedFee): bigint | undefined {
  const amount = BigInt(providerFeeAmount)
  if (amount === 0n || isAddressEqual(providerFeeToken, zeroAddress)) return 0n
  return isAddressEqual(providerFeeToken, token) ? amount : undefined
}

/** Returns the transactions that buy a datatoken, and that order if its template does both at once. */
export function buyingPlan(offer: Offer, ordered: Ordered, providerFee: bigint): OrderPlan {
  const { datatoken, token, exchange, price, publishFee, isCombined } = offer
  const most = price + publishFee + providerFee
  if (isCombined) return { calls: [...approval(token, datatoken, most), buyAndOrder(offer, ordered)], most }
  return { calls: [...approval(token, exchange, price), buy(offer)], most }
}

/** Returns the transactions that order with a datatoken that was bought. `fees`: those of publisher and provider. */
export function startingPlan(datatoken: Address, token: Address, ordered: Ordered, fees: bigint): OrderPlan {
  return { calls: [...approval(token, datatoken, fees), startOrder(datatoken, ordered)], most: fees }
}

function approval(token: Address, spender: Address, amount: bigint): Call[] {
  return amount === 0n ? [] : [{ ...approveCall(token, spender, amount), gas: PURCHASE_LIMITS.gas.approve }]
}

const contractFee = ({ fee }: Ordered) => ({
  ...fee,
  providerFeeAmount: BigInt(fee.providerFeeAmount),
  validUntil: BigInt(fee.validUntil),
})

function buyAndOrder({ datatoken, exchange, exchangeId, price }: Offer, ordered: Ordered): Call {
  const { consumer, serviceIndex } = ordered
  const order = {
    consumer,
    serviceIndex: BigInt(serviceIndex),
    providerFee: contractFee(ordered),
    consumeMarketFee: NO_FEE,
  }
  const from = {
    ...{ exchangeContract: exchange, exchangeId, maxBaseTokenAmount: price },
    ...{ swapMarketFee: 0n, marketFeeAddress: zeroAddress },
  }
  const data = encodeFunctionData({ abi: ORDER_CALLS, functionName: 'buyFromFreAndOrder', args: [order, from] })
  return { step: 'order', to: datatoken, data, gas: PURCHASE_LIMITS.gas.order }
}

function buy({ exchange, exchangeId, price }: Offer): Call {
  const args = [exchangeId, ONE_DATATOKEN, price, zeroAddress, 0n] as const
  const data = encodeFunctionData({ abi: ORDER_CALLS, functionName: 'buyDT', args })
  return { step: 'buy', to: exchange, data, gas: PURCHASE_LIMITS.gas.buy }
}

function startOrder(datatoken: Address, ordered: Ordered): Call {
  const args = [ordered.consumer, BigInt(ordered.serviceIndex), contractFee(ordered), NO_FEE] as const
  const data = encodeFunctionData({ abi: ORDER_CALLS, functionName: 'startOrder', args })
  return { step: 'order', to: datatoken, data, gas: PURCHASE_LIMITS.gas.order }
}
