import fc from 'fast-check'
import { type Address, getAddress, isAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { checksummed, isAddressText } from './address.js'

describe('address', () => {
  it('has the checksum that the chain library computes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.boolean(), (bytes, upper) => {
        const digits = Buffer.from(bytes).toString('hex')
        const address: Address = `0x${upper ? digits.toUpperCase() : digits}`
        expect(checksummed(address)).toBe(getAddress(address))
      }),
    )
  })

  it.each([
    '',
    '0x',
    `0x${'ab'.repeat(20)}`,
    `0x${'ab'.repeat(20)}\n`,
    `0x${'ab'.repeat(21)}`,
    `0x${'g'.repeat(40)}`,
    `0x${'AB'.repeat(20)}`,
    // the library throws if it compares it, or computes its checksum
    `0X${'AB'.repeat(20)}`,
  ])('is valid exactly when the chain library says so (%j)', (text) =>
    expect(isAddressText(text)).toBe(isAddress(text, { strict: false })))
})
