import { shortAddress } from '@tidegate/protocol/values'
import { type Address, encodeFunctionData, formatUnits, hexToString, isAddressEqual, trim, zeroAddress } from 'viem'
import type { Amount } from '../types.js'
import { VIEWS } from './abi.js'
import type { Moment } from './moment.js'
import { callOf, view } from './reads.js'

/** A token's own claims. Unverified: decisions must compare the address. */
export interface Token {
  address: Address
  symbol: string
  decimals: number
}

/** Most characters of a shown symbol. */
const SYMBOL = 20

/**
 * Reads symbol and decimals of an untrusted token. A missing symbol, or one with unprintable characters, becomes the
 * beginning of the address; a long one is cut. A token without decimals has 0: its amounts are in the smallest unit.
 */
export async function tokenAt(moment: Moment, address: Address): Promise<Token> {
  const [symbol, decimals] = await Promise.all([symbolOf(moment, address), view(moment, address, 'decimals', [])])
  return { address, symbol: symbol ?? shortAddress(address), decimals: decimals ?? 0 }
}

async function symbolOf(moment: Moment, to: Address): Promise<string | undefined> {
  const text = await view(moment, to, 'symbol', [])
  if (text !== undefined) return shown(text)
  // early tokens return bytes32 instead of a string
  const data = await callOf(moment, { to, data: encodeFunctionData({ abi: VIEWS, functionName: 'symbol' }) })
  return data?.length === 66 ? shown(hexToString(trim(data, { dir: 'right' }))) : undefined
}

/** Returns a printable symbol, or undefined. */
function shown(text: string): string | undefined {
  const clean = text.trim().replace(/\s+/g, ' ')
  if (clean === '' || /[\p{C}\p{Zl}\p{Zp}\u{FFFD}]/u.test(clean)) return undefined
  const characters = [...clean]
  return characters.length > SYMBOL ? `${characters.slice(0, SYMBOL - 1).join('')}…` : clean
}

/** Returns an amount of a token from its smallest unit. */
export function amountOf({ address, symbol, decimals }: Token, units: bigint): Amount {
  return { token: address, symbol, decimals, units, amount: formatUnits(units, decimals) }
}

/** "5.01 OCEAN" */
export function worded({ amount, symbol }: Pick<Amount, 'amount' | 'symbol'>): string {
  return `${amount} ${symbol}`
}

/** Whether the contracts take a fee: they skip one without amount, token or receiver. */
export function isTaken(token: Address, receiver: Address, units: bigint): boolean {
  return units > 0n && !isAddressEqual(token, zeroAddress) && !isAddressEqual(receiver, zeroAddress)
}

/** Sums amounts by token, without zeros, in the order of the first of each token. */
export function summed(amounts: readonly (Amount | undefined)[]): Amount[] {
  const byToken = new Map<Address, Amount>()
  for (const each of amounts) {
    if (!each || each.units === 0n) continue
    const units = (byToken.get(each.token)?.units ?? 0n) + each.units
    byToken.set(each.token, { ...each, units, amount: formatUnits(units, each.decimals) })
  }
  return [...byToken.values()]
}
