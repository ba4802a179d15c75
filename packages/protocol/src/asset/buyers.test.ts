import { expect, it } from 'vitest'
import { buyersOf } from './buyers.js'

it('reads at most 1,000 accounts of all entries', () => {
  let reads = 0
  const account = {
    get address() {
      reads += 1
      return `0x${reads.toString(16).padStart(40, '0')}`
    },
  }
  const entry = { type: 'address', values: Array(100).fill(account) }
  const buyers = buyersOf({ allow: Array(100).fill(entry) }, 1)
  expect([buyers?.accounts.length, reads]).toEqual([1_000, 1_000])
})
