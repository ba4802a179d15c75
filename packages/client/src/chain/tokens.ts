import { addressIn, fieldsOf, printable } from '@tidegate/protocol/values'
import type { Address } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Asking } from '../types.js'
import { namedContracts } from './contracts.js'

/** Most tokens of a list. */
const MOST = 100

/**
 * Returns the addresses of the tokens in the network's list, by symbol. The list of a public network is part of this library;
 * the provider tells that of any other network. No symbol comes from a contract, which may claim any.
 *
 * @example
 * const { OCEAN } = await tokens(context, 1)
 */
export async function tokens(context: Context, chainId: number): Promise<Record<string, Address>> {
  // a buyer caps a price by symbol
  const told = await namedContracts(context, chainId)
  const named = Object.entries(fieldsOf(told?.tokens)).slice(0, MOST)
  const valid = named.flatMap(([symbol, value]): [string, Address][] => {
    const address = addressIn(value)
    return address && /^[\w.-]{1,20}$/.test(symbol) ? [[symbol, address]] : []
  })
  return Object.fromEntries(valid)
}

/**
 * Returns the address of a token, given as an address or as a symbol of the network's list. Throws TidegateError
 * `UNKNOWN_TOKEN`.
 */
export async function tokenNamed(context: Context, chainId: number, text: string): Promise<Address> {
  const given = addressIn(text)
  if (given) return given
  const list = Object.entries(await tokens(context, chainId))
  const found = list.find(([symbol]) => symbol.toUpperCase() === text.toUpperCase())
  if (found) return found[1]
  const known = list.map(([symbol]) => symbol).join(', ') || 'none'
  const name = printable(text, 40)
  throw new TidegateError(
    'UNKNOWN_TOKEN',
    `The list of chain ${chainId} has no token ${name}: name it by address. The list has: ${known}.`,
  )
}

/** Returns a price with the address of its token. Throws TidegateError `UNKNOWN_TOKEN`. */
export async function byAddress(context: Context, chainId: number, price: Asking): Promise<Asking> {
  if (price === 'free' || price.token === undefined) return price
  return { ...price, token: await tokenNamed(context, chainId, price.token) }
}
