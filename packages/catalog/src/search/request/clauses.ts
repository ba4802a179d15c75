import { isShortBeginning, phrasesOf } from '../documents/words.js'
import type { Clause, Field, Phrase } from '../syntax.js'
import type { QueryReader } from './query-reader.js'

export const EVERYTHING: Clause = { kind: 'all', boost: 1 }
export const NOTHING: Clause = { kind: 'none', boost: 1 }

/** Combines clauses; missing fields are empty. */
export function bool(parts: Partial<Extract<Clause, { kind: 'bool' }>>): Clause {
  const { must = [], filter = [], should = [], not = [], boost = 1 } = parts
  const least = parts.least ?? (should.length > 0 && must.length === 0 && filter.length === 0 ? 1 : 0)
  return { kind: 'bool', must, filter, should, not, least, boost }
}

/** Returns a clause with its score multiplied by a boost. */
export function boosted(clause: Clause, boost: number): Clause {
  return boost === 1 ? clause : { ...clause, boost: clause.boost * boost }
}

/** Returns a clause for a phrase in any of some fields. */
export function phrase(fields: Field[], phrase: Phrase, reader: QueryReader): Clause {
  const { words, prefix } = phrase
  reader.clause()
  reader.lookup(words.length * fields.length)
  if (prefix && !(words.length === 1 && words.every(isShortBeginning))) reader.prefix(words, fields)
  return { kind: 'text', fields, phrase, boost: 1 }
}

/** Returns one clause per word of a text; empty if it has no words. `prefix`: the last word may be a prefix. */
export function eachWord(fields: Field[], text: string, reader: QueryReader, prefix = false): Clause[] {
  return phrasesOf(text, prefix).map((one) => phrase(fields, one, reader))
}
