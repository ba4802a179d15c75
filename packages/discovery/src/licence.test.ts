import { expect, it } from 'vitest'
import { licenceOf } from './licence.js'

it.each([
  ['cc-by-4.0', { name: 'CC-BY-4.0', url: 'https://spdx.org/licenses/CC-BY-4.0.html' }],
  ['https://example.org/terms?x=1', { name: 'https://example.org/terms?x=1', url: 'https://example.org/terms?x=1' }],
  ['No License Specified', { name: 'No License Specified' }],
  ['javascript:alert(1)', { name: 'javascript:alert(1)' }],
  ['https://', { name: 'https://' }],
  ['https://example.org/"><script>', { name: 'https://example.org/"><script>' }],
  ['__proto__', { name: '__proto__' }],
  ['', undefined],
])('reads the licence %j', (text, licence) => {
  expect(licenceOf(text)).toEqual(licence)
})
