import { BOUNDS } from '../bounds.js'

const { word: LONGEST, beginning: BEGINNING } = BOUNDS.search

/** A DID is one word, so that a search for one does not find all others. */
const WORDS = /did:ope?:[0-9a-f]{64}|[\p{L}\p{N}]+/gu

const ASCII = /^[ -~\n]*$/

/** Normalizes text for comparison, ignoring case and accents: lower case, NFKD, without combining marks. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
}

/** The words of a text, each truncated to its significant characters. */
export function wordsOf(text: string): string[] {
  return (folded(text).match(WORDS) ?? []).map((word) =>
    word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join(''),
  )
}

/** The word that a value consists of, if it is a single one: such a value is found within texts as well. */
export function asWord(value: string): string | undefined {
  const words = wordsOf(value)
  return words.length === 1 && words[0] === folded(value) ? words[0] : undefined
}

/** Prefixes of a word that have their own tokens, so that they are found without a scan of all words. */
export function beginningsOf(word: string): string[] {
  const characters = [...word.slice(0, 2 * BEGINNING)].slice(0, BEGINNING)
  return characters.map((_, at) => characters.slice(0, at + 1).join(''))
}

/** Whether a prefix has its own token. */
export function isShortBeginning(word: string): boolean {
  return word.length <= 2 * BEGINNING && [...word].length <= BEGINNING
}
