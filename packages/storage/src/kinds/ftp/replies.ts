/** Returns the digits of the size in a reply to SIZE (RFC 3659), or '' if it has none. */
export function repliedSize(message: string): string {
  return /^213 +(\d+)\b/m.exec(message)?.[1] ?? ''
}

/** Returns the size fact of a reply to MLST (RFC 3659), or undefined if it has none. */
export function sizeFact(message: string): string | undefined {
  for (const line of message.split('\n')) {
    // some servers repeat the code in each line
    const facts = line
      .replace(/^250[ -]/, '')
      .trim()
      .split(' ')[0] as string
    const size = facts.split(';').find((fact) => /^size=/i.test(fact))
    if (size !== undefined) return size.slice('size='.length)
  }
  return undefined
}

/** Returns the port of a reply to EPSV (RFC 2428), or NaN. */
export function extendedPort(message: string): number {
  return Number(/([|!])\1\1(\d{1,5})\1/.exec(message)?.[2] ?? Number.NaN)
}

/**
 * Returns the port of a reply to PASV (RFC 959), or NaN. Ignores the address: data come from the checked one. Accepts numbers
 * without parentheses (RFC 1123), with spaces, and as signed bytes.
 */
export function passivePort(message: string): number {
  const numbers = /(?<![-\d])(?:-?\d{1,3}\s?,\s?){4}(-?\d{1,3})\s?,\s?(-?\d{1,3})(?!\d)/.exec(message)
  const bytes = numbers?.slice(1).map(Number) ?? []
  const [high, low] = bytes.map((byte) => (byte >= -128 && byte < 256 ? byte & 255 : Number.NaN))
  return (high ?? Number.NaN) * 256 + (low ?? Number.NaN)
}
