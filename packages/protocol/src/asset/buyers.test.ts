import { expect, it } from 'vitest'
import { buyersOf } from './buyers.js'

const ACCOUNT = '0x00000000000000000000000000000000000000AA'

it.each([
  ['alone', [], []],
  ['beside everybody', [{ type: 'address', values: ['*'] }], []],
  ['beside an account', [{ type: 'address', values: [{ address: ACCOUNT }] }], [ACCOUNT]],
])('tells that credentials are presented, %s', (_, others, accounts) => {
  const entry = { type: 'SSIpolicy', values: [{ request_credentials: [{ type: 'Degree' }] }] }
  expect(buyersOf({ allow: [...others, entry] }, 1)).toEqual({ presents: true, accounts, lists: [] })
  expect(buyersOf({ allow: others }, 1)?.presents).toBeUndefined()
})

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
