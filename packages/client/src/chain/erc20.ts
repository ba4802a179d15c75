import {
  type Address,
  encodeFunctionData,
  formatUnits,
  hexToString,
  isAddressEqual,
  type PublicClient,
  trim,
  zeroAddress,
} from 'viem'
import type { Amount } from '../types.js'
import { VIEWS } from './abi.js'
import { callOf, view } from './reads.js'

/** What a token says of itself. Unverified: decisions must compare the address. */
export interface Token {
  address: Address
  symbol: string
  decimals: number
}

/** Longest symbol that is shown, in characters. */
const SYMBOL = 20

/**
 * Reads symbol and decimals of a token that anybody may have deployed. A symbol that is missing, or holds anything but
 * printable characters, is replaced by the beginning of the address; a long one is cut. A token that does not tell its
 * decimals has none: its amounts are shown in the smallest unit.
 */
export async function tokenAt(client: PublicClient, address: Address): Promise<Token> {
  const [symbol, decimals] = await Promise.all([symbolOf(client, address), view(client, address, 'decimals', [])])
  return { address, symbol: symbol ?? shortened(address), decimals: decimals ?? 0 }
}

async function symbolOf(client: PublicClient, to: Address): Promise<string | undefined> {
  const text = await view(client, to, 'symbol', [])
  if (text !== undefined) return shown(text)
  // early tokens answer with 32 bytes instead of a text
  const data = await callOf(client, { to, data: encodeFunctionData({ abi: VIEWS, functionName: 'symbol' }) })
  return data?.length === 66 ? shown(hexToString(trim(data, { dir: 'right' }))) : undefined
}

/** A symbol as it may be shown: without control characters, marks of direction, and what is no character at all. */
function shown(text: string): string | undefined {
  const clean = text.trim().replace(/\s+/g, ' ')
  if (clean === '' || /[\p{C}\p{Zl}\p{Zp}\u{FFFD}]/u.test(clean)) return undefined
  const characters = [...clean]
  return characters.length > SYMBOL ? `${characters.slice(0, SYMBOL - 1).join('')}…` : clean
}

function shortened(address: Address): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** An amount of a token, in its smallest unit, as people and programs read it. */
export function amountOf({ address, symbol, decimals }: Token, units: bigint): Amount {
  return { token: address, symbol, decimals, units, amount: formatUnits(units, decimals) }
}

/** "5.01 OCEAN" */
export function worded({ amount, symbol }: Pick<Amount, 'amount' | 'symbol'>): string {
  return `${amount} ${symbol}`
}

/** Whether a fee is taken: the contracts skip one without amount, token or receiver. */
export function isTaken(token: Address, receiver: Address, units: bigint): boolean {
  return units > 0n && !isAddressEqual(token, zeroAddress) && !isAddressEqual(receiver, zeroAddress)
}

/** Amounts put together by token, those of nothing left out, in the order in which the tokens come first. */
export function summed(amounts: readonly (Amount | undefined)[]): Amount[] {
  const byToken = new Map<Address, Amount>()
  for (const each of amounts) {
    if (!each || each.units === 0n) continue
    const units = (byToken.get(each.token)?.units ?? 0n) + each.units
    byToken.set(each.token, { ...each, units, amount: formatUnits(units, each.decimals) })
  }
  return [...byToken.values()]
}
