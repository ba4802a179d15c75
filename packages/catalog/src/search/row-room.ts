import { deflateRawSync } from 'node:zlib'
import { CATALOG_LIMITS } from '../limits.js'
import { beginningsOf, isUnspaced } from './words.js'

const { value: SHORT } = CATALOG_LIMITS.search
const { least: LEAST, perByte: PER_BYTE, most: MOST } = CATALOG_LIMITS.search.rows

/** Characters of a row of a value and of its token, without its text. */
const VALUE = 60
/** Characters of a word's position. */
const PLACE = 8
/** Characters of a token without its text: in a field, and in any field. */
const TOKEN = { field: 16, any: 4 }

/**
 * The room of one document in the search index, in characters of its rows. Words and values have tokens of their own, so
 * that a document of a few hundred bytes could have a megabyte of rows (threat 90).
 */
export class RowRoom {
  private taken = 0
  private most: number | undefined
  /** Whether a value had no room. The values behind it are not looked at: a document may have a hundred thousand. */
  isFull = false
  /** Words and beginnings that have their tokens, with the field and without. */
  private readonly known = new Set<string>()

  constructor(private readonly document: object) {}

  /** Takes the room of a value, with its word if it consists of one. Returns whether it was left. */
  takeValue(path: string, text: string, word: string | undefined): boolean {
    const tokens = word === undefined ? [] : tokensOf(path, word, true)
    this.isFull = !this.take(VALUE + (text.length <= SHORT ? text.length + PLACE : 0), tokens)
    return !this.isFull
  }

  /** Takes the room of a word in a text. `isShort`: the text can be matched as a whole. Returns whether it was left. */
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
  /** Characters of the token. */
  size: number
}

/** The tokens of a word in its field and in any field, with those of its beginnings. */
function tokensOf(path: string, word: string, isShort: boolean): Token[] {
  const begun = isShort || isUnspaced(word) ? beginningsOf(word).map((text) => `${text}*`) : []
  return [word, ...begun].flatMap((text) => [
    { key: `${path} ${text}`, size: TOKEN.field + codeLength(text) },
    { key: text, size: TOKEN.any + codeLength(text) },
  ])
}

/** Characters of a word in a token: each letter beyond ASCII takes seven. */
function codeLength(word: string): number {
  return /^[\x20-\x7e]*$/.test(word) ? word.length : 7 * word.length
}

function roomOf(document: object): number {
  // the fastest level: an ordinary document never gets here, and one of a megabyte takes some milliseconds
  const paid = deflateRawSync(JSON.stringify(document), { level: 1 }).length
  return Math.min(MOST, Math.max(LEAST, PER_BYTE * paid))
}
