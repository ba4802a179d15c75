/** A statement with $1, $2 … in place of its question marks. */
export function numbered(text: string): string {
  let at = 0
  return text.replace(/\?/g, () => `$${++at}`)
}
