import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import { type Address, type Hex, isAddressEqual, zeroAddress } from 'viem'
import type { Contracts } from '../chain/contracts.js'
import type { Moment } from '../chain/moment.js'
import { view } from '../chain/reads.js'
import { TidegateError } from '../errors.js'

/** Most exchanges, and most dispensers, that are examined for one datatoken. */
const MOST = 20

/** A consuming market and its share of the price, which the buyer pays on top. */
export interface Market {
  address: Address
  /** Share of the exchange's price with 18 decimals: 1n * 10n ** 16n is one per cent. */
  share: bigint
}

/** An exchange or dispenser that can provide a datatoken now. */
export type Offer =
  | { kind: 'dispenser'; contract: Address }
  | {
      kind: 'exchange'
      contract: Address
      id: Hex
      token: Address
      /** In the token's smallest unit, with all fees. */
      units: bigint
      /** The part for the community and for markets. */
      fees: bigint
    }

/** The capabilities of a datatoken's template. */
export interface Template {
  /** Buys from an exchange and orders in one transaction. */
  orderFromExchange: boolean
  /** Gets from a dispenser and orders in one transaction. */
  orderFromDispenser: boolean
}

/**
 * Returns the capabilities of the datatoken's template. A template without a number counts as number 1, the least capable.
 * Throws TidegateError `UNKNOWN_TEMPLATE`: another template could abuse an approval.
 */
export async function templateOf(moment: Moment, datatoken: Address): Promise<Template> {
  const id = (await view(moment, datatoken, 'getId', [])) ?? 1
  if (id < 1 || id > 4)
    throw new TidegateError(
      'UNKNOWN_TEMPLATE',
      `The datatoken ${datatoken} is of template ${id}, which is unknown here.`,
    )
  return { orderFromExchange: id >= 2 && id <= 4, orderFromDispenser: id === 2 || id === 4 }
}

export interface OfferQuery {
  datatoken: Address
  template: Template
  /** The buyer; undefined for any account. */
  buyer: Address | undefined
  /** The buyer's balance of the datatoken: a dispenser gives nothing above a balance. */
  balance?: bigint | undefined
  market: Market | undefined
}

/**
 * Returns the offers of a datatoken, best first: free before paid, then the cheapest exchange of each token. Exchanges of
 * different tokens keep the datatoken's order.
 * Only contracts that the datatoken names and the router approves count. Each must be active, have enough stock, and admit
 * the buyer.
 */
export async function offersOf(moment: Moment, contracts: Contracts, query: OfferQuery): Promise<Offer[]> {
  const { datatoken } = query
  const [rates = [], dispensers = []] = await Promise.all([
    view(moment, datatoken, 'getFixedRates', []),
    view(moment, datatoken, 'getDispensers', []),
  ])
  const approved = (list: readonly Address[], contract: Address) => list.some((one) => isAddressEqual(one, contract))
  const free = dispensers.filter((contract) => approved(contracts.dispensers, contract)).slice(0, MOST)
  const sold = rates.filter(({ contractAddress }) => approved(contracts.exchanges, contractAddress)).slice(0, MOST)
  const found = await Promise.all([
    ...free.map((contract) => dispensed(moment, contract, query)),
    ...sold.map(({ contractAddress, id }) => exchanged(moment, contractAddress, id, query)),
  ])
  return byPrice(found.filter((offer) => offer !== undefined))
}

function byPrice(offers: Offer[]): Offer[] {
  const tokens = [...new Set(offers.map((offer) => (offer.kind === 'exchange' ? offer.token : undefined)))]
  const rank = (offer: Offer) => (offer.kind === 'exchange' ? tokens.indexOf(offer.token) : -1)
  const units = (offer: Offer) => (offer.kind === 'exchange' ? offer.units : 0n)
  return [...offers].sort((a, b) => rank(a) - rank(b) || (units(a) < units(b) ? -1 : units(a) > units(b) ? 1 : 0))
}

async function dispensed(
  moment: Moment,
  contract: Address,
  { datatoken, template, buyer, balance: held = 0n }: OfferQuery,
): Promise<Offer | undefined> {
  const [status, cap, supply] = await Promise.all([
    view(moment, contract, 'status', [datatoken]),
    view(moment, datatoken, 'cap', []),
    view(moment, datatoken, 'totalSupply', []),
  ])
  if (!status || cap === undefined || supply === undefined) return undefined
  const [active, , isMinter, maxTokens, maxBalance, balance, swapper] = status
  const stocked = balance >= ONE_DATATOKEN || (isMinter && supply + ONE_DATATOKEN - balance <= cap)
  if (!active || !stocked || maxTokens < ONE_DATATOKEN || held >= maxBalance) return undefined
  if (!admits(swapper, { datatoken, buyer, combined: template.orderFromDispenser })) return undefined
  return { kind: 'dispenser', contract }
}

async function exchanged(
  moment: Moment,
  contract: Address,
  id: Hex,
  { datatoken, template, buyer, market }: OfferQuery,
): Promise<Offer | undefined> {
  const [exchange, swapper, price] = await Promise.all([
    view(moment, contract, 'getExchange', [id]),
    view(moment, contract, 'getAllowedSwapper', [id]),
    view(moment, contract, 'calcBaseInGivenOutDT', [id, ONE_DATATOKEN, market?.share ?? 0n]),
  ])
  if (!exchange || !price || swapper === undefined) return undefined
  const [, sold, , token, , , active, supply] = exchange
  if (!active || supply < ONE_DATATOKEN || !isAddressEqual(sold, datatoken)) return undefined
  if (!admits(swapper, { datatoken, buyer, combined: template.orderFromExchange })) return undefined
  const [units, community, publishing, consuming] = price
  return { kind: 'exchange', contract, id, token, units, fees: community + publishing + consuming }
}

/** Whether a contract admits the buyer: any account, the datatoken for its buyer, or one named account. */
function admits(
  swapper: Address,
  { datatoken, buyer, combined }: { datatoken: Address; buyer: Address | undefined; combined: boolean },
): boolean {
  if (isAddressEqual(swapper, zeroAddress)) return true
  // a template that buys and orders in one transaction is the swapper itself
  return isAddressEqual(swapper, combined ? datatoken : (buyer ?? zeroAddress))
}
