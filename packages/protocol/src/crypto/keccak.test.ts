import { randomBytes } from 'node:crypto'
import { keccak256 } from 'viem'
import { expect, it } from 'vitest'
import { keccak } from './keccak.js'

it('keccak-256 is that of Ethereum, for any length and in any sequence', () => {
  expect(Buffer.from(keccak(new Uint8Array())).toString('hex')).toBe(
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
  const hashes = Array.from({ length: 600 }, (_, length) => {
    const bytes = randomBytes(length)
    return { got: keccak(bytes), wanted: keccak256(bytes, 'bytes') }
  })
  for (const { got, wanted } of hashes) expect(got).toEqual(wanted)
})
