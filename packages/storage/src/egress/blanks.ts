/**
 * Returns a text without spaces and tabs around it (OWS, RFC 9110, 5.6.3). `trim` would also remove control characters that hide
 * something, and bytes of characters in UTF-8.
 */
export function trimmed(text: string): string {
  return trimmedOf(text, (code) => code === 0x20 || code === 0x09)
}

/** Returns a text without characters of a kind around it. Unlike a regular expression, in linear time. */
export function trimmedOf(text: string, isTrimmed: (code: number) => boolean): string {
  let [start, end] = [0, text.length]
  while (start < end && isTrimmed(text.charCodeAt(start))) start += 1
  while (end > start && isTrimmed(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}
