import { ORDERS } from '../documents/document.js'
import { folded } from '../documents/folded.js'
import { asWord, isShortBeginning } from '../documents/words.js'
import { isPrice, PRICES } from '../prices.js'
import type { Clause, Field, Phrase } from '../syntax.js'
import { type Condition, NO_DOCUMENT } from './condition.js'
import { firstPrice, pricedInTokens } from './price-conditions.js'
import { beginningToken, existsToken, pathNumber, soughtTokens } from './tokens.js'

/** The field for purgatory, which is not stored in the database. */
const PURGATORY = 'purgatory.state'

/** Whether a clause depends on the list of purgatory. */
export function asksPurgatory(clause: Clause): boolean {
  if (clause.kind === 'values') return clause.path === PURGATORY
  if (clause.kind !== 'bool') return false
  return [clause.must, clause.filter, clause.should, clause.not].some((of) => of.some(asksPurgatory))
}

/** The field for the chain of an asset, which comes from the index. */
const CHAIN = 'chainId'

const EVERY: Condition = { op: 'and', of: [] }

/** Maximum enumerated alternatives. Above this, matches are counted. */
const WRITTEN_OUT = 64

/** Conditions that do not depend on the content of documents. */
export interface Known {
  /** Matches the documents in purgatory. */
  inPurgatory: Condition
  /** Matches the documents of a chain, by chain id. */
  chains: Map<string, Condition>
}

export function conditionOf(clause: Clause, known: Known): Condition {
  switch (clause.kind) {
    case 'all':
      return EVERY
    case 'none':
      return NO_DOCUMENT
    case 'text':
      return textIn(clause.fields, clause.phrase)
    case 'values':
      if (clause.path === PURGATORY) return purgatory(clause.values, known.inPurgatory)
      return clause.path === CHAIN ? ofChains(clause, known.chains) : valuesOf(clause)
    case 'ids':
      return { op: 'or', of: didsOf(clause.dids) }
    case 'exists':
      if (clause.path === PURGATORY) return EVERY
      // a range without ends
      return isPrice(clause.path)
        ? rangeOf({ ...clause, kind: 'range', above: undefined, below: undefined })
        : { op: 'token', token: existsToken(clause.path) }
    case 'range':
      return rangeOf(clause)
    case 'bool':
      return boolOf(clause, known)
  }
}

/** Whether a field is a number that is stored only outside the full-text index. */
const isStoredNumber = (path: string) => path === ORDERS || isPrice(path)

/** Returns the condition for a phrase in any of some fields. */
export function textIn(fields: Field[], { words, prefix }: Phrase): Condition {
  const [word, ...others] = words
  const isShort = prefix && others.length === 0 && word !== undefined && isShortBeginning(word)
  const inField = ({ path }: Field): Condition =>
    isStoredNumber(path)
      ? prefix || others.length > 0 || word === undefined
        ? NO_DOCUMENT
        : storedNumber(path, [word])
      : isShort
        ? { op: 'token', token: beginningToken(path, word) }
        : { op: 'words', path, words, prefix }
  return { op: 'or', of: fields.map(inField) }
}

function purgatory(values: string[], inPurgatory: Condition): Condition {
  const asked = new Set(values.map(folded))
  const of: Condition[] = []
  if (asked.has('true')) of.push(inPurgatory)
  if (asked.has('false')) of.push(inPurgatory === NO_DOCUMENT ? EVERY : { op: 'not', of: inPurgatory })
  return { op: 'or', of }
}

/** Returns conditions for DIDs, ignoring case. */
function didsOf(dids: string[]): Condition[] {
  return dids.flatMap((did) => soughtTokens('id', did, false).map((token) => ({ op: 'token', token }) as const))
}

function valuesOf({ path, values, exact }: Extract<Clause, { kind: 'values' }>): Condition {
  if (isStoredNumber(path)) return storedNumber(path, exact ? values : values.map(folded))
  if (path === PRICES.token) return pricedInTokens(values) ?? NO_DOCUMENT
  const tokens = new Set<string>()
  const words = new Set<string>()
  for (const value of values) {
    // a value of a single word is also indexed as a word
    const word = exact ? undefined : asWord(value)
    if (word !== undefined) words.add(word)
    else for (const token of soughtTokens(path, value, exact)) tokens.add(token)
  }
  const inside = [...words].map((word): Condition => ({ op: 'words', path, words: [word], prefix: false }))
  return { op: 'or', of: [...inside, ...[...tokens].map((token): Condition => ({ op: 'token', token }))] }
}

/** Returns the condition for stored numbers (`isStoredNumber`). `texts`: their values. */
function storedNumber(path: string, texts: string[]): Condition {
  const form = isPrice(path) ? /^\d{1,15}(?:\.\d{1,18})?$/ : /^(?:0|[1-9]\d{0,14})$/
  const numbers = texts.filter((text) => form.test(text)).map(Number)
  if (numbers.length === 0) return NO_DOCUMENT
  const where = `num IN (${numbers.map(() => '?').join(', ')})`
  if (path === PRICES.first) return firstPrice({ text: where, values: numbers })
  const text = `SELECT DISTINCT doc AS id FROM search_value WHERE path = ? AND ${where}`
  return { op: 'listed', text, values: [pathNumber(path), ...numbers] }
}

function rangeOf({ path, above, below }: Extract<Clause, { kind: 'range' }>): Condition {
  const limits = ['num IS NOT NULL']
  if (above) limits.push(`num ${above.inclusive ? '>=' : '>'} ?`)
  if (below) limits.push(`num ${below.inclusive ? '<=' : '<'} ?`)
  const where = limits.join(' AND ')
  const values = [above, below].flatMap((end) => end?.value ?? [])
  if (path === PRICES.first) return firstPrice({ text: where, values })
  const text = `SELECT DISTINCT doc AS id FROM search_value WHERE path = ? AND ${where}`
  return { op: 'listed', text, values: [pathNumber(path), ...values] }
}

function ofChains({ values, exact }: Extract<Clause, { kind: 'values' }>, chains: Known['chains']): Condition {
  const asked = new Set(exact ? values : values.map(folded))
  return { op: 'or', of: [...asked].flatMap((value) => chains.get(value) ?? []) }
}

function boolOf({ must, filter, should, not, least }: Extract<Clause, { kind: 'bool' }>, known: Known): Condition {
  const each = (clauses: Clause[]) => clauses.map((one) => conditionOf(one, known))
  const of = [...each(must), ...each(filter)]
  if (least > 0) of.push(atLeast(least, each(should)))
  of.push(...each(not).map((one): Condition => ({ op: 'not', of: one })))
  return { op: 'and', of }
}

function atLeast(count: number, of: Condition[]): Condition {
  if (count > of.length) return NO_DOCUMENT
  if (count === 1) return { op: 'or', of }
  if (count === of.length) return { op: 'and', of }
  if (chosen(of.length, count) > WRITTEN_OUT) return { op: 'least', count, of }
  return { op: 'or', of: choices(of, count).map((one) => ({ op: 'and', of: one })) }
}

/** Returns the binomial coefficient: the ways to choose `some` of `all`. */
function chosen(all: number, some: number): number {
  let ways = 1
  for (let at = 1; at <= some && ways <= WRITTEN_OUT * all; at++) ways = (ways * (all - some + at)) / at
  return ways
}

function choices<T>(all: T[], some: number): T[][] {
  if (some === 0) return [[]]
  return all.flatMap((one, at) => choices(all.slice(at + 1), some - 1).map((rest) => [one, ...rest]))
}
