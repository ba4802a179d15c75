import { type Address, type Hex, isAddressEqual, type PublicClient, zeroAddress } from 'viem'
import type { Contracts } from '../chain/contracts.js'
import { view } from '../chain/reads.js'
import { TidegateError } from '../errors.js'

/** One datatoken in its smallest unit: what an order takes. */
export const ONE: bigint = 10n ** 18n

/** The maximum number of exchanges, and of dispensers, examined for one datatoken. */
const MOST = 20

/** A market through which somebody buys, and its share of the price. Its fee is paid by the buyer on top. */
export interface Market {
  address: Address
  /** Share of the exchange's price, with 18 decimals: 1n * 10n ** 16n is one per cent. */
  share: bigint
}

/** An exchange or dispenser that has a datatoken now. */
export type Offer =
  | { kind: 'dispenser'; contract: Address }
  | {
      kind: 'exchange'
      contract: Address
      id: Hex
      token: Address
      /** In the token's smallest unit, with all fees. */
      units: bigint
      /** Of it: what goes to the community and to markets. */
      fees: bigint
    }

/** What a datatoken's code can do. */
export interface Template {
  /** Buys from an exchange and orders in one transaction. */
  orderFromExchange: boolean
  /** The same with a dispenser. */
  orderFromDispenser: boolean
}

/**
 * What the datatoken's template can do. One without a number counts as the first, which can do the least. Throws
 * TidegateError `UNKNOWN_TEMPLATE`: who knows what another one does with an approval?
 */
export async function templateOf(client: PublicClient, datatoken: Address): Promise<Template> {
  const id = (await view(client, datatoken, 'getId', [])) ?? 1
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
  /** Who buys. Undefined: anybody. */
  buyer: Address | undefined
  /** What the buyer holds of the datatoken: a dispenser gives nothing to who holds much. */
  balance?: bigint | undefined
  market: Market | undefined
}

/**
 * Where a datatoken is available now, best first: free before paid, and of exchanges in the same token the
 * cheapest; exchanges in different tokens stay in the datatoken's own order. Only contracts that the datatoken names and
 * the router approves count, each of which must be active, have enough in stock, and admit the buyer.
 */
export async function offersOf(client: PublicClient, contracts: Contracts, query: OfferQuery): Promise<Offer[]> {
  const { datatoken } = query
  const [rates = [], dispensers = []] = await Promise.all([
    view(client, datatoken, 'getFixedRates', []),
    view(client, datatoken, 'getDispensers', []),
  ])
  const approved = (list: readonly Address[], contract: Address) => list.some((one) => isAddressEqual(one, contract))
  const free = dispensers.filter((contract) => approved(contracts.dispensers, contract)).slice(0, MOST)
  const sold = rates.filter(({ contractAddress }) => approved(contracts.exchanges, contractAddress)).slice(0, MOST)
  const found = await Promise.all([
    ...free.map((contract) => dispensed(client, contract, query)),
    ...sold.map(({ contractAddress, id }) => exchanged(client, contractAddress, id, query)),
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
  client: PublicClient,
  contract: Address,
  { datatoken, template, buyer, balance: held = 0n }: OfferQuery,
): Promise<Offer | undefined> {
  const [status, cap, supply] = await Promise.all([
    view(client, contract, 'status', [datatoken]),
    view(client, datatoken, 'cap', []),
    view(client, datatoken, 'totalSupply', []),
  ])
  if (!status || cap === undefined || supply === undefined) return undefined
  const [active, , isMinter, maxTokens, maxBalance, balance, swapper] = status
  const stocked = balance >= ONE || (isMinter && supply + ONE - balance <= cap)
  if (!active || !stocked || maxTokens < ONE || held >= maxBalance) return undefined
  if (!admits(swapper, { datatoken, buyer, combined: template.orderFromDispenser })) return undefined
  return { kind: 'dispenser', contract }
}

async function exchanged(
  client: PublicClient,
  contract: Address,
  id: Hex,
  { datatoken, template, buyer, market }: OfferQuery,
): Promise<Offer | undefined> {
  const [exchange, swapper, price] = await Promise.all([
    view(client, contract, 'getExchange', [id]),
    view(client, contract, 'getAllowedSwapper', [id]),
    view(client, contract, 'calcBaseInGivenOutDT', [id, ONE, market?.share ?? 0n]),
  ])
  if (!exchange || !price || swapper === undefined) return undefined
  const [, sold, , token, , , active, supply] = exchange
  if (!active || supply < ONE || !isAddressEqual(sold, datatoken)) return undefined
  if (!admits(swapper, { datatoken, buyer, combined: template.orderFromExchange })) return undefined
  const [units, community, publishing, consuming] = price
  return { kind: 'exchange', contract, id, token, units, fees: community + publishing + consuming }
}

/** Who may take: anybody, the datatoken on behalf of a buyer, or one buyer alone. */
function admits(
  swapper: Address,
  { datatoken, buyer, combined }: { datatoken: Address; buyer: Address | undefined; combined: boolean },
): boolean {
  if (isAddressEqual(swapper, zeroAddress)) return true
  // a template that buys and orders is the one who takes
  return isAddressEqual(swapper, combined ? datatoken : (buyer ?? zeroAddress))
}
