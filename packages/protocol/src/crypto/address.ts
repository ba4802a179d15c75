import type { Address } from 'viem'
import { memoizedText } from '../memo.js'
import { keccak } from './keccak.js'

/**
 * Whether a value is an address: 0x and 20 bytes of hex, in any case. Use this for untrusted input instead of the chain
 * library's check, which caches thousands of its arguments, whatever their length.
 */
export function isAddressText(value: unknown): value is Address {
  return typeof value === 'string' && value.length === 42 && /^0x[0-9a-fA-F]{40}$/.test(value)
}

/**
 * Returns an address with its EIP-55 checksum. Kept for those used last, since a document and its events name the same few.
 * The chain library's function would load the whole library into each sandbox thread, which takes longer than everything
 * else together.
 */
export const checksummed = memoizedText(withChecksum) as (address: Address) => Address

function withChecksum(address: string): Address {
  const digits = address.slice(2).toLowerCase()
  const hash = keccak(new TextEncoder().encode(digits))
  let cased = '0x'
  for (let at = 0; at < digits.length; at++) {
    const byte = hash[at >> 1] as number
    const isUpper = (at % 2 === 0 ? byte >> 4 : byte & 15) >= 8
    cased += isUpper ? (digits[at] as string).toUpperCase() : digits[at]
  }
  return cased as Address
}
