import { deflateRawSync } from 'node:zlib'
import { CATALOG_LIMITS } from '../../limits.js'
import { beginningsOf, isUnspaced } from './words.js'

const { value: SHORT } = CATALOG_LIMITS.search
const { least: LEAST, perByte: PER_BYTE, most: MOST } = CATALOG_LIMITS.search.rows

/** Characters of a row of a value and of its token, without its text. */
const VALUE = 60
/** Characters of a word's position. */
const PLACE = 8
/** Characters of a token without its text: with a field, and for any field. */
const TOKEN = { field: 16, any: 4 }

/** Limits the search rows of one document, in characters: a few hundred bytes could have a megabyte of rows (threat 90). */
export class RowRoom {
  private taken = 0
  private most: number | undefined
  /** Whether a value exceeded the limit. Further values are not read: a document may have a hundred thousand. */
  isFull = false
  /** Words and prefixes with tokens, with field and without. */
  private readonly known = new Set<string>()

  constructor(private readonly document: object) {}

  /** Charges a value, with its word if it is a single one. Returns false beyond the limit. */
  takeValue(path: string, text: string, word: string | undefined): boolean {
    const tokens = word === undefined ? [] : tokensOf(path, word, true)
    this.isFull = !this.take(VALUE + (text.length <= SHORT ? text.length + PLACE : 0), tokens)
    return !this.isFull
  }

  /** Charges a word of a text. `isShort`: the text can be matched as a whole. Returns false beyond the limit. */
  takeWord(path: string, word: string, isShort: boolean): boolean {
    return this.take(PLACE, tokensOf(path, word, isShort))
  }

  private take(characters: number, tokens: Token[]): boolean {
    const unknown = tokens.filter(({ key }) => !this.known.has(key))
    const taken = unknown.reduce((sum, { size }) => sum + size, this.taken + characters)
    if (taken > LEAST) {
      this.most ??= roomOf(this.document)
      if (taken > this.most) return false
    }
    this.taken = taken
    for (const { key } of unknown) this.known.add(key)
    return true
  }
}

interface Token {
  key: string
  size: number
}

/** Returns the tokens of a word and of its prefixes, with field and without. */
function tokensOf(path: string, word: string, isShort: boolean): Token[] {
  const begun = isShort || isUnspaced(word) ? beginningsOf(word).map((text) => `${text}*`) : []
  return [word, ...begun].flatMap((text) => [
    { key: `${path} ${text}`, size: TOKEN.field + codeLength(text) },
    { key: text, size: TOKEN.any + codeLength(text) },
  ])
}

/** Returns the characters of a word in a token: a non-ASCII letter takes seven. */
function codeLength(word: string): number {
  return /^[\x20-\x7e]*$/.test(word) ? word.length : 7 * word.length
}

function roomOf(document: object): number {
  // the fastest level; only for documents with many rows
  const paid = deflateRawSync(JSON.stringify(document), { level: 1 }).length
  return Math.min(MOST, Math.max(LEAST, PER_BYTE * paid))
}
