import type { Address } from 'viem'
import { memoizedText } from '../memo.js'
import { keccak } from './keccak.js'

/**
 * Whether a value is an address: 0x and 20 bytes of hex, in any case. For untrusted input: the check of the chain
 * library caches thousands of texts of any length.
 */
export function isAddressText(value: unknown): value is Address {
  return typeof value === 'string' && value.length === 42 && /^0x[0-9a-fA-F]{40}$/.test(value)
}

/**
 * Returns an address with its EIP-55 checksum. Recent ones are cached, since a document and its events repeat a few. The
 * chain library is not used: loading it into each sandbox thread would take longer than all other work there.
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
