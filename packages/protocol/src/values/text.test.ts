import { expect, it } from 'vitest'
import { bytesText } from './text.js'

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1_500_000, '1.4 MiB'],
  [1_048_575, '1023 KiB'],
  [107_374_182_399, '99.9 GiB'],
  [2 ** 62, '4096 PiB'],
])('shows %i bytes as %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))
