import { describe, expect, it } from 'vitest'
import { withLocationNames } from './location-names.js'

const at = (url: string) => ({ type: 'url', url })

describe('the name of a file at a location', () => {
  it.each([
    ['https://example.org/2026/tides.csv?name=other.csv#x.csv', 'tides.csv'],
    ['https://example.org/%C3%A9t%C3%A9%20low.csv', 'été low.csv'],
    ['https://example.org/', undefined],
    ['https://example.org/data?file=tides.csv', undefined],
    ['https://example.org/share/8f14e45fceea167a', undefined],
    ['https://example.org/.env', undefined],
    ['https://example.org/a%2F..%2Fb.csv', undefined],
    ['https://example.org/a%0A.csv', undefined],
    ['https://example.org/%E0%A4.csv', undefined],
    [`https://example.org/${'x'.repeat(300)}.csv`, undefined],
    ['no URL.csv', undefined],
  ])('of %s is %s', (url, name) => {
    expect(withLocationNames([at(url)])).toEqual([name === undefined ? at(url) : { ...at(url), name }])
  })

  it('is that of an IPFS path or an S3 key, and no other kind has one', () => {
    const objects = [
      { type: 'ipfs', hash: 'bafy/a/low%20tide.csv' },
      { type: 'ipfs', hash: 'bafy.csv' },
      { type: 's3', key: 'a/100%.csv' },
      { type: 'arweave', transactionId: 'abc/a.csv' },
      { type: 'sql', url: 'postgres://host/a.csv' },
    ]
    const names = withLocationNames(objects).map(({ name }) => name)
    expect(names).toEqual(['low tide.csv', undefined, '100%.csv', undefined, undefined])
  })

  it('is numbered if another file has it, and never replaces a given one', () => {
    const given = { type: 'hosted', name: 'Tides.csv' }
    const objects = [at('https://a.example/tides.csv'), given, { ...at('https://b.example/x.csv'), name: 'y.csv' }]
    const names = withLocationNames([...objects, at('https://c.example/y.csv')]).map(({ name }) => name)
    expect(names).toEqual(['0-tides.csv', 'Tides.csv', 'y.csv', '3-y.csv'])
  })
})
