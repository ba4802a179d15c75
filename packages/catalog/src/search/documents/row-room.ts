import { deflateRawSync } from 'node:zlib'
import { CATALOG_LIMITS } from '../../limits.js'
import { encoded } from './encoded.js'
import { beginningsOf, isUnspaced } from './words.js'

const { value: SHORT, beginning: BEGINNING } = CATALOG_LIMITS.search
const { least: LEAST, perByte: PER_BYTE, most: MOST } = CATALOG_LIMITS.search.rows

/** Characters of a row of a value and of its token, without its text. */
const VALUE = 60
/** Characters of a word's position. */
const PLACE = 8
/** Characters of a token without its text: with a field, and for any field. */
const TOKEN = { field: 16, any: 4 }

const ASCII = /^[\x20-\x7e]*$/

/** A value or a word of a document. */
interface Charge {
  /** Characters without those of tokens. */
  characters: number
  path: string
  /** Undefined for a value that is not a single word. */
  word: string | undefined
  /** Whether the text can be matched as a whole. */
  isShort: boolean
}

/** Limits the search rows of one document, in characters: a few hundred bytes could have a megabyte of rows (threat 90). */
export class RowRoom {
  private taken = 0
  private most: number | undefined
  /** Whether a value exceeded the limit. Further values are not read: a document may have a hundred thousand. */
  isFull = false
  /** Words and prefixes with tokens, with field and without. */
  private readonly known = new Set<string>()
  /** All charges while `bound` is within the minimum, as for most documents: then nobody needs to know which words repeat. */
  private charges: Charge[] | undefined = []
  /** The characters if no word repeats. */
  private bound = 0

  constructor(private readonly document: object) {}

  /** Charges a value, with its word if it is a single one. Returns false beyond the limit. */
  takeValue(path: string, text: string, word: string | undefined): boolean {
    const characters = VALUE + (text.length <= SHORT ? text.length + PLACE : 0)
    this.isFull = !this.charge({ characters, path, word, isShort: true })
    return !this.isFull
  }

  /** Charges a word of a text. `isShort`: the text can be matched as a whole. Returns false beyond the limit. */
  takeWord(path: string, word: string, isShort: boolean): boolean {
    return this.charge({ characters: PLACE, path, word, isShort })
  }

  private charge(charge: Charge): boolean {
    if (!this.charges) return this.take(charge)
    this.bound += charge.characters + boundOf(charge)
    this.charges.push(charge)
    if (this.bound <= LEAST) return true
    const all = this.charges
    this.charges = undefined
    return all.map((one) => this.take(one)).at(-1) as boolean
  }

  private take({ characters, path, word, isShort }: Charge): boolean {
    const tokens = word === undefined ? [] : tokensOf(path, word, isShort)
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

/** Returns the characters of a word's tokens at most. Those of an ASCII word are at most twice as long, also of a DID or a time. */
function boundOf({ path, word, isShort }: Charge): number {
  if (word === undefined) return 0
  if (!ASCII.test(word)) return tokensOf(path, word, isShort).reduce((sum, { size }) => sum + size, 0)
  return (1 + (isShort ? BEGINNING : 0)) * (TOKEN.field + TOKEN.any + 2 * word.length)
}

interface Token {
  key: string
  size: number
}

/** Returns the tokens of a word and of its prefixes, with field and without. */
function tokensOf(path: string, word: string, isShort: boolean): Token[] {
  const begun = isShort || isUnspaced(word) ? beginningsOf(word) : []
  return [word, ...begun].flatMap((text, at) => {
    const size = encoded(text).length
    // a prefix has another token than the same word
    const key = at === 0 ? text : `${text}*`
    return [
      { key: `${path} ${key}`, size: TOKEN.field + size },
      { key, size: TOKEN.any + size },
    ]
  })
}

function roomOf(document: object): number {
  // the fastest level; only for documents with many rows
  const paid = deflateRawSync(JSON.stringify(document), { level: 1 }).length
  return Math.min(MOST, Math.max(LEAST, PER_BYTE * paid))
}
