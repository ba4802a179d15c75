import { CATALOG_LIMITS } from '../../limits.js'
import { type QueryReader, unsupported } from './query-reader.js'

/** A token of a query string. */
export type Lexeme =
  | { sign: '(' | ')' | 'and' | 'or' | 'not' | 'must' }
  | { field: string }
  | { text: string; quoted: boolean; prefix: boolean }
  | { weight: number }

const BARE = /^(?:\\.|[^\s()":^~\\[\]{}*?])+/u
const RULES: [RegExp, (match: RegExpExecArray, reader: QueryReader) => Lexeme | undefined][] = [
  [/^\s+/u, () => undefined],
  [/^([()])/u, ([, sign]) => ({ sign: sign as '(' | ')' })],
  [/^(?:AND(?![^\s()])|&&)/u, () => ({ sign: 'and' })],
  [/^(?:OR(?![^\s()])|\|\|)/u, () => ({ sign: 'or' })],
  [/^(?:NOT(?![^\s()])|!|-)/u, () => ({ sign: 'not' })],
  [/^\+/u, () => ({ sign: 'must' })],
  [/^"((?:\\.|[^"\\])*)"/su, ([, quoted]) => ({ text: plain(quoted as string), quoted: true, prefix: false })],
  [
    /^((?:\\.|[^\s()":^~\\[\]{}*?+\-!])(?:\\.|[^\s()":^~\\[\]{}*?])*):/u,
    ([, field]) => ({ field: plain(field as string) }),
  ],
  [/^\^(\d{1,4}(?:\.\d{1,6})?)/u, ([, weight], reader) => ({ weight: reader.weight(Number(weight), '^') })],
  [/^\*+(?![^\s()^])/u, () => ({ text: '', quoted: false, prefix: true })],
]

/** Lucene syntax that is refused as unsupported. */
const REFUSED: [RegExp, string][] = [
  [/^~/u, 'fuzzy ~'],
  [/^[[\]{}]/u, 'range [ ]'],
  [/^\//u, 'regular expression /'],
  [/^[<>]/u, 'comparison <>'],
]

/** Tokenizes a query string. Throws ValidationError for invalid input. */
export function lexemesOf(text: string, reader: QueryReader): Lexeme[] {
  const lexemes: Lexeme[] = []
  for (let rest = text; rest !== ''; ) {
    const refused = REFUSED.find(([form]) => form.test(rest))
    if (refused) throw unsupported(reader.part, refused[1])
    const [length, lexeme] = next(rest, reader)
    if (lexeme) lexemes.push(lexeme)
    if (lexemes.length > 8 * CATALOG_LIMITS.search.clauses) throw reader.refuse('The query string has too many parts.')
    rest = rest.slice(length)
  }
  return lexemes
}

function next(rest: string, reader: QueryReader): [length: number, lexeme: Lexeme | undefined] {
  for (const [form, make] of RULES) {
    const match = form.exec(rest)
    if (match) return [match[0].length, make(match, reader)]
  }
  // ignores a leading star
  const stars = /^\*+/u.exec(rest)?.[0].length ?? 0
  const word = BARE.exec(rest.slice(stars))?.[0]
  if (word === undefined) {
    if (rest.startsWith('"')) throw reader.refuse('A quote in the query string has no end.')
    throw reader.refuse(`The query string cannot be read at "${rest.slice(0, 20)}". Escape it with a backslash.`)
  }
  const behind = rest.slice(stars + word.length)
  const ends = /^\*+(?![^\s()^])/u.exec(behind)?.[0].length ?? 0
  if (/^[*?]/u.test(behind) && ends === 0) throw unsupported(reader.part, 'wildcard inside of a word')
  return [stars + word.length + ends, { text: plain(word), quoted: false, prefix: ends > 0 }]
}

const plain = (text: string) => text.replace(/\\(.)/gsu, '$1')
