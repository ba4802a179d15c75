import type { Address } from 'viem'

/**
 * Whether this is an address: 20 bytes of hex, in any case. For whatever comes from outside, in place of the chain
 * library's own check, which keeps thousands of the texts that it was given, however long they are.
 */
export function isAddressText(value: unknown): value is Address {
  return typeof value === 'string' && value.length === 42 && /^0x[0-9a-f]{40}$/i.test(value)
}
