import { KIB } from '../constants.js'

/** Control characters, marks of text direction, and lone surrogates. */
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udfff]/gu

/** Returns a stranger's text for a terminal or a page: one line of bounded length. */
export function printable(text: string, length: number): string {
  const clean = text
    .slice(0, 4 * length)
    .replace(UNPRINTABLE, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : clean
}

/** Returns the last part of a URL's path, decoded; empty if it is malformed. */
export function lastPart(path: string): string {
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return ''
  }
}

/** Returns "0xBE54…51ab". */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Returns bytes for people: "1.4 MiB". Cut, not rounded up. */
export function bytesText(bytes: number): string {
  let unit = 0
  let value = bytes
  while (value >= KIB && unit < UNITS.length - 1) {
    value /= KIB
    unit += 1
  }
  const cut = unit === 0 || value >= 100 ? Math.floor(value) : Math.floor(value * 10) / 10
  return `${cut} ${UNITS[unit]}`
}
