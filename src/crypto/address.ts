import type { Address } from 'viem'
import { keccak } from './keccak.js'

/**
 * Whether this is an address: 0x and 20 bytes of hex, in any case. For whatever comes from outside, in place of the chain
 * library's own check, which keeps thousands of the texts that it was given, however long they are.
 */
export function isAddressText(value: unknown): value is Address {
  return typeof value === 'string' && value.length === 42 && /^0x[0-9a-fA-F]{40}$/.test(value)
}

/**
 * An address as EIP-55 spells it. The library's own way of doing it brings all of the library into each thread that
 * reads documents, which takes longer to load than all else together.
 */
export function checksummed(address: Address): Address {
  const digits = address.slice(2).toLowerCase()
  const hash = Buffer.from(keccak(Buffer.from(digits))).toString('hex')
  const spelled = [...digits].map((digit, at) => ((hash[at] as string) >= '8' ? digit.toUpperCase() : digit))
  return `0x${spelled.join('')}`
}
