import type { Address } from 'viem'
import { keccak } from './keccak.js'

/** Whether a text is an address in any case: 20 bytes of hex. */
export function isAddressText(text: string): text is Address {
  return text.length === 42 && /^0x[0-9a-fA-F]{40}$/.test(text)
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
