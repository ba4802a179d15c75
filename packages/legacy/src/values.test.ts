import { parseNonce } from '@tidegate/provider/state'
import { describe, expect, it } from 'vitest'
import { LEGACY_LIMITS } from './limits.js'
import { readLegacyNonce } from './nonces.js'
import { readPickle } from './pickle.js'
import { readValue } from './redis.js'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const sortKey = (text: string) => parseNonce(text, 10n ** 40n).sortKey

describe('values in the Redis of the legacy service', () => {
  it.each([
    // by Python 3.8 and later
    ['2180049511000000000000008c0d31373935323933323531383934942e', '1795293251894'],
    ['2180049515000000000000008c11313736333735363937302e313233343536942e', '1763756970.123456'],
    ['31373935323933323531383935', 1795293251895n],
    ['218004950a000000000000004741da4832ea9000002e', 1763756970.25],
    ['2180049508000000000000008c0431653133942e', '1e13'],
    ['218004882e', true],
    // by Python 3.7
    ['218003 58 0d000000 31373935323933323531383934 71002e', '1795293251894'],
    ['218003882e', true],
    ['21800347 41da4832ea900000 2e', 1763756970.25],
    // other forms that Python writes
    ['2d35', -5n],
    ['218004892e', false],
    ['2180025804000000343031 3571012e', '4015'],
    ['2180052e'.replace('2e', '4b072e'), 7],
    ['2180044d01022e', 513],
    ['2180044affffffff2e', -1],
    ['2180048a06ff00000000802e', -(2n ** 47n) + 255n],
    ['2180048a002e', 0n],
    ['21800449 31320a 2e', 12n],
    ['218003 58 01000000 35 72 01000000 2e', '5'],
    ['218003 58 01000000 35 70 300a 2e', '5'],
  ])('reads %s', (bytes, value) => {
    expect(readValue(hex(bytes))).toBe(value)
  })

  it.each([
    ['nothing', ''],
    ['text that is no pickle and no number', '61'],
    ['a number with more', '31 20'],
    ['a mark alone', '21'],
    ['a pickle without an end', '2180048c0131'],
    ['more after its end', '218004882e2e'],
    ['two values', '21800488882e'],
    ['another protocol', '218001882e'],
    ['protocol 6', '218006882e'],
    ['protocol 0', '21 49 30310a 2e'],
    ['None', '2180044e2e'],
    ['a frame of another length', '2180049512000000000000008c0d31373935323933323531383934942e'],
    ['a text longer than the rest', '21800458ffffffff31942e'],
    ['text that is no UTF-8', '2180048c02ff31942e'],
    ['a list', '2180045d942e'],
    ['a call of os.system', '218004 8c026f73 94 8c0673797374656d 94 93 94 8c026964 94 85 94 52 94 2e'],
    ['the same in the form of protocol 2', '218002 636f730a73797374656d0a 5802000000 6964 85 52 2e'],
    ['an INT that is none', '21800449 78780a 2e'],
  ])('rejects %s', (_what, bytes) => {
    expect(readValue(hex(bytes))).toBeUndefined()
  })

  it('have a maximum length', () => {
    expect(readValue(Buffer.from('1'.repeat(LEGACY_LIMITS.records.value)))).toBeDefined()
    expect(readValue(Buffer.from('1'.repeat(LEGACY_LIMITS.records.value + 1)))).toBeUndefined()
  })

  it('never throw for a truncated or changed pickle', () => {
    const pickle = hex('80049511000000000000008c0d31373935323933323531383934942e')
    for (let at = 0; at < pickle.length; at++) {
      expect(readPickle(pickle.subarray(0, at))).toBeUndefined()
      for (let byte = 0; byte < 256; byte++) {
        const changed = Buffer.from(pickle)
        changed[at] = byte
        expect(['string', 'bigint', 'undefined']).toContain(typeof readPickle(changed))
      }
    }
  })
})

describe('nonces of the legacy service', () => {
  it.each([
    ['1763756979000', '1763756979000'],
    ['1763756970.25', '1763756970.25'],
    ['1e13', '10000000000000'],
    ['1.7637569790005E12', '1763756979000.5'],
    ['+5', '5'],
    [' 5\n', '5'],
    ['1_000', '1000'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['0.05', '0.05'],
    ['005.50', '5.5'],
    ['25e-1', '2.5'],
    ['1e39', `1${'0'.repeat(39)}`],
    // rounded up if there is no room for all digits
    [`0.${'1'.repeat(60)}`, `0.${'1'.repeat(38)}2`],
    [`9.${'9'.repeat(60)}`, '10'],
    ['1e-40', `0.${'0'.repeat(38)}1`],
  ])('reads %s', (text, nonce) => {
    expect(readLegacyNonce(text)).toMatchObject({ sortKey: sortKey(nonce) })
  })

  it.each(['0', '-5', '-1e13', '-inf', '-Infinity', '0.0', '1e-999', '-0'])('treats %s as no nonce', (text) => {
    expect(readLegacyNonce(text)).toBe('unused')
  })

  it.each([
    'inf',
    'Infinity',
    'nan',
    '-nan',
    '',
    'abc',
    '0x5',
    '1__0',
    '_1',
    '1e',
    '.',
    '1 2',
    '1e40',
    '1e999999999999999999999',
    `${'9'.repeat(40)}.5`,
    '1'.repeat(LEGACY_LIMITS.records.value + 1),
    undefined,
  ])('reports %.40s as unknown', (text) => {
    expect(readLegacyNonce(text)).toBe('unknown')
  })
})
