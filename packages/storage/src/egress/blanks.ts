/**
 * Trims spaces and tabs (OWS, RFC 9110, 5.6.3). `trim` would also remove control characters, which must be refused, and bytes
 * of UTF-8 characters.
 */
export function trimmed(text: string): string {
  return trimmedOf(text, (code) => code === 0x20 || code === 0x09)
}

/** Trims characters of a kind. Takes linear time, unlike a regular expression. */
export function trimmedOf(text: string, isTrimmed: (code: number) => boolean): string {
  let [start, end] = [0, text.length]
  while (start < end && isTrimmed(text.charCodeAt(start))) start += 1
  while (end > start && isTrimmed(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}
