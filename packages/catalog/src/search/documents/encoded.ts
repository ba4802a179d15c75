const PLAIN = /^[a-y0-9]*$/

/**
 * Encodes a word in ASCII letters and digits, which the tokenizers of both databases leave unchanged. A prefix of a word is encoded as a
 * prefix of its code.
 */
export function encoded(word: string): string {
  return PLAIN.test(word)
    ? word
    : word.replace(/[^a-y0-9]/gu, (char) =>
        char === 'z' ? 'zz' : `z${(char.codePointAt(0) as number).toString(16).padStart(6, '0')}`,
      )
}
