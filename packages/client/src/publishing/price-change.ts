import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import { type Address, formatUnits, type Hex, isAddressEqual } from 'viem'
import { PUBLISHING } from '../chain/abi.js'
import { type Contracts, contractsOf } from '../chain/contracts.js'
import { tokenAt, worded } from '../chain/erc20.js'
import type { Moment } from '../chain/moment.js'
import { mustView, view } from '../chain/reads.js'
import type { Sender, Transaction } from '../chain/sender.js'
import { byAddress } from '../chain/tokens.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Asking } from '../types.js'
import { dispenser, fixedRate } from './create.js'
import { bad, type Rate, rateOf } from './publish-request.js'

/** Most exchanges, and most dispensers, of a datatoken that are examined. */
const MOST = 20

/** A contract that sells or gives a datatoken, or did. */
interface Offered {
  to: Address
  owner: Address
  active: boolean
  /** Whether it has datatokens, or may mint them. */
  stocked: boolean
}

interface Exchange extends Offered {
  id: Hex
  token: Address
  /** With 18 decimals. */
  rate: bigint
}

/** The offers of a datatoken in approved contracts. */
interface Offers {
  exchanges: Exchange[]
  dispensers: Offered[]
}

interface Wanted {
  chainId: number
  datatoken: Address
  /** Without a token: the present one, or OCEAN for a free asset. */
  price: Asking
}

export interface PriceChange {
  /** The present prices and the new one, as text. */
  before: string
  after: string
  /** New offer first, so that a failure between two leaves an asset on sale. None if the price is the same. */
  transactions: Transaction[]
}

/**
 * Returns the fewest transactions that sell a datatoken at a price, and at no other. Starts from the state of the chain, so
 * it completes a change that has failed. Throws TidegateError `BAD_REQUEST` for an amount that the token cannot express, and
 * for one without a token if there are prices in several; `NOT_PERMITTED` if another account owns an offer.
 */
export async function priceChange(context: Context, sender: Sender, wanted: Wanted): Promise<PriceChange> {
  const { moment, address } = sender
  const { chainId, datatoken, price } = wanted
  const contracts = await contractsOf(context, chainId, moment)
  const offers = await offersOf(sender, contracts, datatoken)
  const asked = await rateOf(
    moment,
    contracts,
    await byAddress(context, chainId, price === 'free' ? price : withToken(price, offers)),
  )
  const kept = keptOffer(offers, asked, address)
  const begun =
    asked === 'free'
      ? beginGiving(kept, { contracts, datatoken })
      : await beginSelling(moment, kept as Exchange | undefined, { contracts, datatoken, asked, owner: address })
  const transactions = [...begun, ...endOthers(offers, kept, { datatoken, address })]
  return { before: await textOf(moment, offers), after: await priceText(moment, asked), transactions }
}

async function offersOf({ moment, address }: Sender, contracts: Contracts, datatoken: Address): Promise<Offers> {
  const [rates = [], dispensers = [], mayDeploy] = await Promise.all([
    view(moment, datatoken, 'getFixedRates', []),
    view(moment, datatoken, 'getDispensers', []),
    view(moment, datatoken, 'isERC20Deployer', [address]),
  ])
  const approved = (list: readonly Address[], contract: Address) => list.some((one) => isAddressEqual(one, contract))
  const sold = rates.filter(({ contractAddress }) => approved(contracts.exchanges, contractAddress)).slice(0, MOST)
  const given = dispensers.filter((contract) => approved(contracts.dispensers, contract)).slice(0, MOST)
  return {
    exchanges: await Promise.all(
      sold.map(async ({ contractAddress: to, id }) => {
        const [owner, , , token, , rate, active, supply, , , , mints] = await mustView(moment, to, 'getExchange', [id])
        return { to, id, owner, token, rate, active, stocked: mints || supply >= ONE_DATATOKEN }
      }),
    ),
    dispensers: await Promise.all(
      given.map(async (to) => {
        const [active, owner, mints, , , balance] = await mustView(moment, to, 'status', [datatoken])
        // a dispenser names the factory as owner, and obeys the deployers of the datatoken
        return { to, owner: mayDeploy ? address : owner, active, stocked: mints || balance >= ONE_DATATOKEN }
      }),
    ),
  }
}

/** Returns a price with its token: the one of the active exchanges, if it names none. */
function withToken(price: Exclude<Asking, 'free'>, { exchanges }: Offers): Exclude<Asking, 'free'> {
  if (price.token) return price
  const [first, ...others] = [...new Set(exchanges.flatMap(({ active, token }) => (active ? [token] : [])))]
  if (others.length > 0) throw bad('price', 'must name its token: the asset is sold at several prices')
  return first ? { ...price, token: first } : price
}

/** Returns the account's offer that can be used again: an active one if there is any. */
function keptOffer({ exchanges, dispensers }: Offers, asked: Rate, account: Address): Offered | undefined {
  const fitting: Offered[] =
    asked === 'free' ? dispensers : exchanges.filter(({ token }) => isAddressEqual(token, asked.token))
  const own = fitting.filter(({ owner, stocked }) => isAddressEqual(owner, account) && (stocked || asked !== 'free'))
  return own.find(({ active }) => active) ?? own[0]
}

function beginGiving(
  kept: Offered | undefined,
  { contracts, datatoken }: { contracts: Contracts; datatoken: Address },
) {
  if (kept?.active) return []
  if (kept) return [change(kept.to, 'activate', [datatoken, ONE_DATATOKEN, ONE_DATATOKEN], 'to give access for free')]
  const { dispenserAddress, maxTokens, maxBalance, withMint, allowedSwapper } = dispenser(contracts)
  const args = [dispenserAddress, maxTokens, maxBalance, withMint, allowedSwapper]
  return [change(datatoken, 'createDispenser', args, 'to give access for free')]
}

async function beginSelling(
  moment: Moment,
  kept: Exchange | undefined,
  {
    contracts,
    datatoken,
    asked,
    owner,
  }: { contracts: Contracts; datatoken: Address; asked: Exclude<Rate, 'free'>; owner: Address },
): Promise<Transaction[]> {
  if (kept) {
    const { to, id, rate, stocked, active } = kept
    return [
      ...(rate === asked.rate ? [] : [change(to, 'setRate', [id, asked.rate], 'to change the price')]),
      ...(stocked ? [] : [minting(to, id)]),
      ...(active ? [] : [change(to, 'toggleExchangeState', [id], 'to sell at the price')]),
    ]
  }
  const { fixedPriceAddress: to, addresses, uints } = fixedRate(contracts, asked, owner)
  // the exchange may mint already, for another token; the datatoken refuses to permit it twice
  const mints = (await view(moment, datatoken, 'isMinter', [to])) === true
  const args = [to, addresses, mints ? [...uints.slice(0, 4), 0n] : uints]
  const created = change(datatoken, 'createFixedRate', args, 'to sell at the price')
  if (!mints) return [created]
  return [created, minting(to, await mustView(moment, to, 'generateExchangeId', [asked.token, datatoken]))]
}

const minting = (to: Address, id: Hex) =>
  change(to, 'toggleMintState', [id, true], 'to let the exchange mint datatokens')

/** Returns the transactions that switch off all other offers. Throws TidegateError `NOT_PERMITTED` for another's offer. */
function endOthers(
  { exchanges, dispensers }: Offers,
  kept: Offered | undefined,
  { datatoken, address }: { datatoken: Address; address: Address },
): Transaction[] {
  const others = [...exchanges, ...dispensers].filter((offer) => offer.active && offer !== kept)
  const foreign = others.find(({ owner }) => !isAddressEqual(owner, address))
  if (foreign)
    throw new TidegateError('NOT_PERMITTED', `The price belongs to ${foreign.owner}: ${address} may not change it.`)
  return others.map((offer) =>
    'id' in offer
      ? change(offer.to, 'toggleExchangeState', [offer.id], 'to end the old price')
      : change(offer.to, 'deactivate', [datatoken], 'to end the free access'),
  )
}

function change(to: Address, functionName: string, args: readonly unknown[], what: string): Transaction {
  return { to, abi: PUBLISHING, functionName, args, what }
}

async function textOf(moment: Moment, { exchanges, dispensers }: Offers): Promise<string> {
  const active = exchanges.filter((exchange) => exchange.active)
  const prices = await Promise.all(active.map((exchange) => priceText(moment, exchange)))
  return [...(dispensers.some((one) => one.active) ? ['free'] : []), ...prices].join(', ') || 'not for sale'
}

async function priceText(moment: Moment, price: 'free' | { token: Address; rate: bigint }): Promise<string> {
  if (price === 'free') return 'free'
  const { symbol } = await tokenAt(moment, price.token)
  return worded({ amount: formatUnits(price.rate, 18), symbol })
}
