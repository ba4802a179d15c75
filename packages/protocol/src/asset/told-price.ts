import { type Address, isAddressEqual, parseUnits } from 'viem'
import { addressIn, fieldsOf, type Json, lineOf, listOf } from '../values/fields.js'
import { shortAddress } from '../values/text.js'
import type { Amount, Price } from './types.js'

/** Decimals of an exchange's rate, for every token. */
const RATE_DECIMALS = 18

/**
 * Returns the price of a service from the provider's index: the first active offer, without fees. For lists, and for clients
 * without a chain.
 */
export function toldPrice(document: Json, datatoken: Address): Price {
  const stats = listOf(fieldsOf(document.indexedMetadata).stats, 100).map(fieldsOf)
  const own = stats.find(({ datatokenAddress }) => {
    const address = addressIn(datatokenAddress)
    return address !== undefined && isAddressEqual(address, datatoken)
  })
  const offer = fieldsOf(listOf(own?.prices, 1)[0])
  if (offer.type === 'dispenser') return { type: 'free', told: true, total: [] }
  const token = addressIn(offer.token)
  const { price } = offer
  if (offer.type !== 'fixedrate' || !token || typeof price !== 'string' || !/^\d{1,60}(\.\d{1,18})?$/.test(price))
    return { type: 'unavailable', told: true, total: [] }
  const symbol = symbolOf(document, token)
  const amount: Amount = {
    token,
    symbol,
    decimals: RATE_DECIMALS,
    units: parseUnits(price, RATE_DECIMALS),
    amount: price,
  }
  return { type: 'fixed', told: true, datatoken: amount, total: [amount] }
}

function symbolOf(document: Json, token: Address): string {
  const { tokenAddress, tokenSymbol } = fieldsOf(fieldsOf(document.stats).price)
  const own = addressIn(tokenAddress)
  const symbol = own && isAddressEqual(own, token) ? lineOf(tokenSymbol).slice(0, 20) : ''
  return symbol || shortAddress(token)
}
