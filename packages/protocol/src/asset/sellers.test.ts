import { type Address, getAddress } from 'viem'
import { expect, it } from 'vitest'
import { sellerOf, verifiedIn } from './sellers.js'

const address = (digit: string): Address => getAddress(`0x${digit.repeat(40)}`)
const OFFICE = address('a')
const STRANGER = address('b')
const NAMES = verifiedIn({ [OFFICE.toLowerCase()]: 'Harbour Office', [address('c')]: 'WHO' })
const imitates = (author: string) => sellerOf({ owner: STRANGER, publisher: STRANGER, author }, NAMES).imitates

it('verifies a name only for an account that owns the asset and has described it', () => {
  const author = 'Harbour Office'
  expect(sellerOf({ owner: OFFICE, publisher: OFFICE, author: 'me' }, NAMES)).toEqual({
    account: OFFICE,
    verified: 'Harbour Office',
  })
  // anybody can deploy a data NFT for another owner, or give one away
  expect(sellerOf({ owner: OFFICE, publisher: STRANGER, author }, NAMES)).toEqual({
    account: OFFICE,
    describedBy: STRANGER,
    imitates: 'Harbour Office',
  })
  expect(sellerOf({ owner: STRANGER, publisher: OFFICE, author }, NAMES).verified).toBeUndefined()
  expect(sellerOf({ owner: OFFICE, author }, NAMES).verified).toBeUndefined()
})

it.each([
  'Harbour Office',
  'HARBOUR  OFFICE',
  '\u202eHarbour\u200b Office\ufeff',
  '\uff28arbour O\ufb03ce',
  'H\u0430rb\u043eur \u039fffi\u0441e',
  'Harb0ur Off1ce',
  'Ha\u0301rbour-Office',
  '\u2713 Harbour Office (verified)',
  'The Harbour Office, verified by the provider',
])('finds the verified name in %j', (author) => {
  expect(imitates(author)).toBe('Harbour Office')
})

it('finds a short name only if it is the whole text', () => {
  expect(imitates('w.h.o.')).toBe('WHO')
  for (const author of ['', 'Those who know', 'Office of Harbours', '\u2713', 'verified \u2713'])
    expect(imitates(author), author).toBeUndefined()
})

it('reads a bounded list of whole addresses and printable names', () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`0x${`${at}`.padStart(40, '0')}`, 'x'.repeat(99)]),
  )
  const read = verifiedIn(many)
  expect([read.size, [...read.values()][0]?.length]).toEqual([200, 60])
  expect(verifiedIn({ [STRANGER]: 'two\nlines\u202e', nobody: 'x', [OFFICE]: 7 })).toEqual(
    new Map([[STRANGER, 'two lines']]),
  )
  for (const told of [undefined, null, 7, 'x', []]) expect(verifiedIn(told).size).toBe(0)
})
