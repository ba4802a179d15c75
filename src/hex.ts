/** Bytes as 0x and hexadecimal digits. */
export type Hex = `0x${string}`

/** The 20 bytes of an account or contract, in the mixed case that is its checksum. */
export type Address = `0x${string}`

/**
 * Whether a text is 0x and an even number of hexadecimal digits. It may have megabytes, for which a regular expression takes
 * five times as long, and a stack that its engine may refuse. Decoding ends at the first character that is no digit, but takes
 * of characters beyond Latin the low byte alone.
 */
export function isHexBytes(text: string): text is Hex {
  if (text.length % 2 !== 0 || !text.startsWith('0x') || Buffer.byteLength(text) !== text.length) return false
  return 2 * Buffer.from(text.slice(2), 'hex').length === text.length - 2
}
