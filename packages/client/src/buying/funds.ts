import { addressOf } from '../auth/signing.js'
import { amountOf } from '../chain/erc20.js'
import { momentOf } from '../chain/moment.js'
import { ask, balanceOf, mustView, view } from '../chain/reads.js'
import { GAS } from '../constants.js'
import type { Context } from '../context.js'
import type { Amount, Quote } from '../types.js'

/** The buyer's means for a quote. */
export interface Funds {
  /** Each token of the price: the amount due, and the buyer's balance. */
  tokens: { due: Amount; held: Amount }[]
  /** The chain's native coin in its smallest unit: the buyer's balance, and the estimated network fee. */
  coin: { held: bigint; fee: bigint }
}

/**
 * Returns the buyer's balances for a quote, and an estimate of the network fee: the node's gas price, times the gas of
 * such purchases as measured. The fee of a rollup for its first layer is not in it. All calls are sent at once. Throws
 * TidegateError `CHAIN_UNREACHABLE`, `CONTRACT_UNREADABLE`.
 *
 * @example
 * const { tokens, coin } = await tidegate.funds(await tidegate.quote('did:op:…'))
 * const isEnough = tokens.every(({ due, held }) => held.units >= due.units) && coin.held >= coin.fee
 */
export async function funds(context: Context, quote: Quote): Promise<Funds> {
  const moment = await momentOf(context, quote.chainId)
  const buyer = context.wallet ? await addressOf(context) : quote.consumer
  const [balances, held, gasPrice, template] = await Promise.all([
    Promise.all(quote.price.total.map(({ token }) => mustView(moment, token, 'balanceOf', [buyer]))),
    balanceOf(moment, buyer),
    ask(moment.client.getGasPrice()),
    view(moment, quote.datatoken, 'getId', []),
  ])
  const tokens = quote.price.total.map((due, at) => ({
    due,
    held: amountOf({ ...due, address: due.token }, balances[at] as bigint),
  }))
  return { tokens, coin: { held, fee: gasPrice * gasOf(quote, (template ?? 1) < 2) } }
}

function gasOf({ price, order, renews, held }: Quote, inTwo: boolean): bigint {
  if (order || price.type === 'unavailable') return 0n
  const free = inTwo ? GAS.freeInTwo : GAS.free
  const ordering = renews || held ? GAS.held : price.type === 'free' ? free : GAS.paid
  const fees = [price.publishFee, price.providerFee].filter((fee) => fee && fee.units > 0n).length
  return BigInt(price.total.length) * GAS.approval + ordering + BigInt(fees) * GAS.fee
}
