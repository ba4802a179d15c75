import { expect, it } from 'vitest'
import { networkOf } from './address.js'
import { plainAddresses } from './forwarded.js'

it.each([
  ['203.0.113.8', '203.0.113.8'],
  ['203.0.113.8:40001', '203.0.113.8'],
  ['[2001:db8::9]:40001', '2001:db8::9'],
  ['[2001:db8::9]', '2001:db8::9'],
  ['2001:db8::9', '2001:db8::9'],
  ['2001:db8:0:1:2:3:4:5:40001', '2001:db8:0:1:2:3:4:5'],
  ['"[2001:db8::9]:40001"', '2001:db8::9'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:203.0.113.8', '203.0.113.8'],
  ['[::ffff:203.0.113.8]:1', '203.0.113.8'],
  [' 203.0.113.8:1 ,10.0.0.7:2', '203.0.113.8, 10.0.0.7'],
  ['unknown', 'unknown'],
  ['_hidden', 'unknown'],
  ['', 'unknown'],
  ['1, 0x7f.1, 203.0.113.8:1:2', 'unknown, unknown, unknown'],
  [`${'1,'.repeat(40)}203.0.113.8:1`, `${'unknown, '.repeat(31)}203.0.113.8`],
])('reads the addresses of %s', (header, addresses) => {
  expect(plainAddresses(header)).toBe(addresses)
})

it('counts connections of one network as one', () => {
  const networks = ['[2001:db8::9]:1', '[2001:db8::8]:2'].map((one) => networkOf(plainAddresses(one)))
  expect(new Set(networks)).toEqual(new Set(['2001:db8:0:0::/64']))
})
