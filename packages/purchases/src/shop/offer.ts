import type { CallUntrusted, Chain } from '@tidegate/chain'
import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import { type Address, type Hex, isAddressEqual, zeroAddress } from 'viem'
import { callView } from '../chain/views.js'
import { PURCHASE_LIMITS } from '../limits.js'

/** An exchange that sells a datatoken for a token, and what ordering costs besides. Amounts are in the token's smallest unit. */
export interface Offer {
  datatoken: Address
  token: Address
  exchange: Address
  exchangeId: Hex
  /** With the fees of the exchange. */
  price: bigint
  /** The publisher's fee for the order. */
  publishFee: bigint
  /** Whether the datatoken buys and orders in one transaction. */
  isCombined: boolean
}

/** Why a datatoken cannot be bought for others. `free`: a dispenser gives it, so that nobody needs to pay. */
export type NoOffer = 'free' | 'none'

/** The templates of datatokens whose code is known: all but the first buy and order in one transaction. */
const LAST_TEMPLATE = 4

/**
 * Returns the cheapest exchange of a datatoken for one of the accepted tokens that anybody may use. Only contracts that the factory deployed or
 * the router approves count: others could abuse an approval. Throws ChainError.
 */
export function readOffer(chain: Chain, datatoken: Address, accepted: readonly Address[]): Promise<Offer | NoOffer> {
  return chain.nodes.ask((_client, call) => offerOf(call, chain.deployment.factory, datatoken, accepted), {
    agreeOn: (offer) => offer,
  })
}

/** Returns the publisher's fee of an order in a token; undefined if it is in another one, or unknown. Throws ChainError. */
export function readPublishFee({ nodes }: Chain, datatoken: Address, token: Address): Promise<bigint | undefined> {
  return nodes.ask(
    async (_client, call) => {
      const fee = await callView(call, datatoken, 'getPublishingMarketFee', [])
      return fee && publishFeeIn(token, fee)
    },
    { agreeOn: (fee) => fee },
  )
}

async function offerOf(
  call: CallUntrusted,
  factory: Address,
  datatoken: Address,
  accepted: readonly Address[],
): Promise<Offer | NoOffer> {
  const [isOwn, router, template, publishing, rates, dispensers] = await Promise.all([
    callView(call, factory, 'erc20List', [datatoken]),
    callView(call, factory, 'router', []),
    callView(call, datatoken, 'getId', []),
    callView(call, datatoken, 'getPublishingMarketFee', []),
    callView(call, datatoken, 'getFixedRates', []),
    callView(call, datatoken, 'getDispensers', []),
  ])
  // a template without a number is the first
  const id = template ?? 1
  if (!isOwn || !router || !publishing || id < 1 || id > LAST_TEMPLATE) return 'none'
  if (await isGivenAway(call, datatoken, dispensers ?? [])) return 'free'
  const approved = (await callView(call, router, 'getFixedRatesContracts', [])) ?? []
  const isCombined = id > 1
  const sold = (rates ?? []).filter(({ contractAddress }) =>
    approved.some((one) => isAddressEqual(one, contractAddress)),
  )
  const found = await Promise.all(
    sold.slice(0, PURCHASE_LIMITS.exchanges).map(async ({ contractAddress: exchange, id: exchangeId }) => {
      const rate = await rateOf(call, { exchange, exchangeId, datatoken, isCombined })
      const publishFee = rate && publishFeeIn(rate.token, publishing)
      return rate && publishFee !== undefined && accepted.some((one) => isAddressEqual(one, rate.token))
        ? [{ datatoken, exchange, exchangeId, isCombined, publishFee, ...rate }]
        : []
    }),
  )
  const [cheapest] = found.flat().sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0))
  return cheapest ?? 'none'
}

async function isGivenAway(call: CallUntrusted, datatoken: Address, dispensers: readonly Address[]): Promise<boolean> {
  const given = await Promise.all(
    dispensers.slice(0, PURCHASE_LIMITS.exchanges).map((dispenser) => callView(call, dispenser, 'status', [datatoken])),
  )
  return given.some((status) => status?.[0] === true && isAddressEqual(status[6], zeroAddress))
}

interface Rate {
  exchange: Address
  exchangeId: Hex
  datatoken: Address
  isCombined: boolean
}

/** Returns token and price of an exchange that is open to the purchasing account; undefined if it is not. */
async function rateOf(
  call: CallUntrusted,
  { exchange, exchangeId, datatoken, isCombined }: Rate,
): Promise<Pick<Offer, 'token' | 'price'> | undefined> {
  const [details, swapper, price] = await Promise.all([
    callView(call, exchange, 'getExchange', [exchangeId]),
    callView(call, exchange, 'getAllowedSwapper', [exchangeId]),
    callView(call, exchange, 'calcBaseInGivenOutDT', [exchangeId, ONE_DATATOKEN, 0n]),
  ])
  if (!details || !price || swapper === undefined) return undefined
  const [, sold, , token, , , isActive, supply] = details
  if (!isActive || supply < ONE_DATATOKEN || !isAddressEqual(sold, datatoken)) return undefined
  // a datatoken that buys and orders in one transaction is the swapper itself
  const isOpen = isAddressEqual(swapper, zeroAddress) || (isCombined && isAddressEqual(swapper, datatoken))
  return isOpen ? { token, price: price[0] } : undefined
}

/** Returns the publisher's fee of an order in a token; undefined if it is taken in another one. */
function publishFeeIn(token: Address, [receiver, of, amount]: readonly [Address, Address, bigint]): bigint | undefined {
  if (amount === 0n || isAddressEqual(receiver, zeroAddress) || isAddressEqual(of, zeroAddress)) return 0n
  return isAddressEqual(of, token) ? amount : undefined
}
