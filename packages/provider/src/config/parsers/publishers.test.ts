import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import { verifiedPublishers } from './publishers.js'

const A = getAddress(`0x${'ab'.repeat(20)}`)
const B = getAddress(`0x${'cd'.repeat(20)}`)

it('reads verified publishers as pairs or as JSON', () => {
  const names = new Map([
    [A, 'Harbour Office'],
    [B, 'Office météo 東京 & Co. = 1'],
  ])
  expect(verifiedPublishers(`${A.toLowerCase()}=Harbour Office, ${B} = Office météo 東京 & Co. = 1`)).toEqual(names)
  expect(verifiedPublishers(JSON.stringify(Object.fromEntries(names)))).toEqual(names)
  expect(verifiedPublishers(`{"${A}":"Tides, Ltd."}`).get(A)).toBe('Tides, Ltd.')
})

it.each([
  [`${A}=x,nobody=y`, 'entry 2 must be an address'],
  [`${A}`, `the name of ${A} must be one line`],
  [`${A}=`, `the name of ${A}`],
  [`${A}=x,${A.toLowerCase()}=y`, `has ${A} twice`],
  [`${A}=<b>x</b>`, 'without < and >'],
  [`${A}=${'x'.repeat(61)}`, 'at most 60 characters'],
  [`${A}=a\u202eb`, 'one line'],
  [`${A}=\u2713`, 'with a letter or digit'],
  [`{"${A}":7}`, `the name of ${A}`],
  [`{"${A}":"a\\nb"}`, `the name of ${A}`],
  ['{"x', 'is not valid JSON'],
  [Array.from({ length: 201 }, (_, at) => `0x${`${at}`.padStart(40, '0')}=x`).join(','), 'at most 200 entries'],
])('refuses %j by its entry', (raw, reason) => {
  expect(() => verifiedPublishers(raw)).toThrow(reason)
})
