/** Returns a text without the byte order mark that a file has left at its beginning. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
