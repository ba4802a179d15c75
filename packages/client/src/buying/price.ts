import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import { type Address, getAddress } from 'viem'
import { assertDeployed, type Contracts, contractsOf } from '../chain/contracts.js'
import { amountOf, isTaken, summed, type Token, tokenAt } from '../chain/erc20.js'
import { type Moment, momentOf } from '../chain/moment.js'
import { view } from '../chain/reads.js'
import type { Context } from '../context.js'
import type { Amount, Price, ProviderFee } from '../types.js'
import { type Market, type Offer, offersOf, type Template, templateOf } from './offers.js'

export interface PriceQuery {
  chainId: number
  datatoken: Address
  /** The provider's fee; without it the price is that of the chain alone. */
  providerFee?: ProviderFee | undefined
  /** The payer. The balance decides between exchanges, and a dispenser may admit only one account. */
  buyer?: Address | undefined
  market?: Market | undefined
}

/** A price and the way to pay it. */
export interface Plan {
  price: Price
  template: Template
  /** Source of the datatoken; undefined if the buyer holds one or there is no offer. */
  offer: Offer | undefined
  /** Whether the buyer holds a datatoken of an unfinished purchase. */
  held: boolean
}

/**
 * Returns the full price of one order: the cheapest working exchange or dispenser, the publisher's fee, and the provider's
 * fee. Amounts are exact, as the contracts compute them. Throws TidegateError `FOREIGN_DATATOKEN`, `NO_CONTRACTS`,
 * `CHAIN_UNREACHABLE`.
 *
 * @example
 * const { total } = await priceOf(context, { chainId: 8996, datatoken: '0x…' })
 * total.map(({ amount, symbol }) => `${amount} ${symbol}`) // ['5.01 OCEAN']
 */
export async function priceOf(context: Context, query: PriceQuery): Promise<Price> {
  return (await planOf(context, { ...query, ignoreHeld: true })).price
}

/** Like `priceOf`, with the way to pay. A datatoken that the buyer holds is used first. */
export async function planOf(
  context: Context,
  query: PriceQuery & { ignoreHeld?: boolean },
  at?: Moment,
): Promise<Plan> {
  const { chainId, providerFee, buyer, market } = query
  const datatoken = getAddress(query.datatoken)
  const moment = at ?? (await momentOf(context, chainId))
  const contracts = await contractsOf(context, chainId, moment)
  await assertDeployed(moment, contracts, datatoken)
  const [template, publishing, balance] = await Promise.all([
    templateOf(moment, datatoken),
    view(moment, datatoken, 'getPublishingMarketFee', []),
    buyer && !query.ignoreHeld ? view(moment, datatoken, 'balanceOf', [buyer]) : undefined,
  ])
  const held = (balance ?? 0n) >= ONE_DATATOKEN
  const offer = held ? undefined : await chosen(moment, contracts, { datatoken, template, buyer, balance, market })
  const tokens = new Tokens(moment)
  const exchanged = offer?.kind === 'exchange' ? offer : undefined
  const [datatokenPrice, exchangeFees, publishFee, feeAmount] = await Promise.all([
    exchanged && tokens.amount(exchanged.token, exchanged.units),
    exchanged && tokens.amount(exchanged.token, exchanged.fees),
    publishing && feeOf(tokens, { token: publishing[1], receiver: publishing[0], units: publishing[2] }),
    providerFee && providerFeeOf(tokens, providerFee),
  ])
  const price: Price = {
    type: held || offer?.kind === 'dispenser' ? 'free' : offer ? 'fixed' : 'unavailable',
    ...(datatokenPrice ? { datatoken: datatokenPrice } : {}),
    ...(exchangeFees && exchangeFees.units > 0n ? { exchangeFees } : {}),
    ...(publishFee ? { publishFee } : {}),
    ...(feeAmount ? { providerFee: feeAmount } : {}),
    total: summed([datatokenPrice, publishFee, feeAmount]),
  }
  return { price, template, offer, held }
}

/** Returns the amount of a provider fee; undefined if it is zero. */
export function providerFeeOf(tokens: Tokens, fee: ProviderFee): Promise<Amount | undefined> | undefined {
  const units = BigInt(fee.providerFeeAmount)
  return feeOf(tokens, { token: getAddress(fee.providerFeeToken), receiver: fee.providerFeeAddress, units })
}

function feeOf(
  tokens: Tokens,
  { token, receiver, units }: { token: Address; receiver: Address; units: bigint },
): Promise<Amount | undefined> | undefined {
  return isTaken(token, receiver, units) ? tokens.amount(token, units) : undefined
}

/** Returns the first offer that the buyer can pay, or the first of all if there is none or no buyer. */
async function chosen(
  moment: Moment,
  contracts: Contracts,
  query: Parameters<typeof offersOf>[2],
): Promise<Offer | undefined> {
  const offers = await offersOf(moment, contracts, query)
  const [first] = offers
  const { buyer } = query
  if (!buyer || !first || first.kind === 'dispenser' || offers.length === 1) return first
  for (const offer of offers) {
    if (offer.kind === 'dispenser') return offer
    const balance = await view(moment, offer.token, 'balanceOf', [buyer])
    if (balance !== undefined && balance >= offer.units) return offer
  }
  return first
}

/** Reads each token of a price once. */
export class Tokens {
  private readonly known = new Map<Address, Promise<Token>>()

  constructor(private readonly moment: Moment) {}

  async amount(address: Address, units: bigint): Promise<Amount> {
    let token = this.known.get(address)
    if (!token) {
      token = tokenAt(this.moment, address)
      this.known.set(address, token)
    }
    return amountOf(await token, units)
  }
}
