import fc from 'fast-check'

/** Boundary values at which the behaviour of readers changes. */
export const BOUNDARY_NUMBERS = [
  ...[0, -0, -1, 1, 2, 31, 32, 33, 63, 64, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32],
  ...[2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, 8.64e12, 8.64e15, 1e21, 1e308, -1e308, 0.1, 1.5, 5e-324],
]

/** Texts that many readers treat specially. */
export const EDGE_CASE_TEXTS = [
  ...['', ' ', '\0', '\r\n', '\n', '\t', '"', '\\', "'", ',', ';', ':', '/', '..', '../', '%', '%00', '%zz', '%2e%2e'],
  ...['null', 'undefined', 'true', 'NaN', 'Infinity', '-1', '0', '00', '1e400', '1e21', '0x', '0X', '0x0', '[]', '{}'],
  ...['\u202e', '\ufeff', '\u2028', '\ud800', '\udc00x', '\u{1f600}', 'İ', 'ß', 'é', '\uffff'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '*', '$', '$1', '$&', '127.0.0.1', '::1', 'localhost'],
  ...['9'.repeat(20), '9'.repeat(78), '9'.repeat(400), `0x${'f'.repeat(64)}`, `0x${'0'.repeat(40)}`, '('.repeat(50)],
]

/** Inherited property names, and names with a meaning in the language. */
export const EDGE_CASE_NAMES = [
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

/** Generates unexpected JSON values. */
export function edgeCaseJson(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: fc.constantFrom<unknown>(...EDGE_CASE_TEXTS), weight: 3 },
    { arbitrary: fc.constantFrom<unknown>(...BOUNDARY_NUMBERS), weight: 2 },
    {
      arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { length: {} }, { length: -1 }),
      weight: 2,
    },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }), weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
  )
}

/** Generates unexpected text: edge cases, arbitrary characters, and very long text. */
export function edgeCaseText(maxLength = 40): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...EDGE_CASE_TEXTS), weight: 3 },
    { arbitrary: fc.string({ unit: 'binary', maxLength }), weight: 2 },
    { arbitrary: fc.string({ maxLength }), weight: 2 },
    { arbitrary: repeated(), weight: 1 },
  )
}

/** One piece repeated, up to 200,000 times. */
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
