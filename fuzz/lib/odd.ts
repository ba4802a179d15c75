import fc from 'fast-check'

/** Numbers at which readers change what they do. */
export const BORDERS = [
  ...[0, -0, -1, 1, 2, 31, 32, 33, 63, 64, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32],
  ...[2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, 8.64e12, 8.64e15, 1e21, 1e308, -1e308, 0.1, 1.5, 5e-324],
]

/** Texts at which readers change what they do. */
export const ODD_TEXTS = [
  ...['', ' ', '\0', '\r\n', '\n', '\t', '"', '\\', "'", ',', ';', ':', '/', '..', '../', '%', '%00', '%zz', '%2e%2e'],
  ...['null', 'undefined', 'true', 'NaN', 'Infinity', '-1', '0', '00', '1e400', '1e21', '0x', '0X', '0x0', '[]', '{}'],
  ...['\u202e', '\ufeff', '\u2028', '\ud800', '\udc00x', '\u{1f600}', 'İ', 'ß', 'é', '\uffff'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '*', '$', '$1', '$&', '127.0.0.1', '::1', 'localhost'],
  ...['9'.repeat(20), '9'.repeat(78), '9'.repeat(400), `0x${'f'.repeat(64)}`, `0x${'0'.repeat(40)}`, '('.repeat(50)],
]

/** Names that objects have anyway, or that mean something to a language. */
export const ODD_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'length',
  'then',
  'toJSON',
  '',
]

/** A value of JSON that nobody expects here. */
export function oddJson(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: fc.constantFrom<unknown>(...ODD_TEXTS), weight: 3 },
    { arbitrary: fc.constantFrom<unknown>(...BORDERS), weight: 2 },
    {
      arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { length: {} }, { length: -1 }),
      weight: 2,
    },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }), weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
  )
}

/** Text that nobody expects: the odd ones, those of any characters, and long ones. */
export function oddText(maxLength = 40): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...ODD_TEXTS), weight: 3 },
    { arbitrary: fc.string({ unit: 'binary', maxLength }), weight: 2 },
    { arbitrary: fc.string({ maxLength }), weight: 2 },
    { arbitrary: repeated(), weight: 1 },
  )
}

/** One piece again and again, up to two hundred thousand characters. */
function repeated(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    'a',
    '0',
    ' ',
    '\\',
    '"',
    ',',
    '[',
    '{',
    '(',
    '%',
    '\t',
    '.',
    '-',
    '/',
    '%41',
    '\u00e9',
    ' a',
  )
  return fc.tuple(piece, fc.constantFrom(100, 1000, 20_000, 200_000)).map(([text, times]) => text.repeat(times))
}
