import type { Condition } from './conditions.js'
import { LONG_TEXTS, longTextWord } from './tokens.js'

type Kind = Extract<Condition, { op: 'kind' }>
type Words = Extract<Condition, { op: 'words' }>

/**
 * Conditions of documents of a kind, with one token in place of a word that is looked for in all long texts (see
 * `longTextWord`). `isOfKind`: whether that token tells the kind as well, so that nobody need look at it.
 */
export function withLongTexts(kind: Kind, parts: Condition[]): { parts: Condition[]; isOfKind: boolean } {
  // the tokens are of kinds that are written in any case
  if (kind.exact) return { parts, isOfKind: false }
  const ofKind = new Set<Condition>()
  const merged = parts.map((part) => mergedIn(part, kind.word, ofKind))
  const tellsKind = (part: Condition): boolean =>
    ofKind.has(part) ||
    (part.op === 'or' && part.of.length > 0 && part.of.every(tellsKind)) ||
    (part.op === 'and' && part.of.some(tellsKind))
  return { parts: merged, isOfKind: merged.some(tellsKind) }
}

/** A condition with such tokens, which are added to `ofKind`. */
function mergedIn(condition: Condition, kind: string, ofKind: Set<Condition>): Condition {
  if (condition.op !== 'or' && condition.op !== 'and') return condition
  const of = condition.of.map((part) => mergedIn(part, kind, ofKind))
  if (condition.op === 'and') return { op: 'and', of }
  const fields = new Map<string, Map<string, Words>>()
  for (const part of of) {
    if (part.op !== 'words' || part.words.length !== 1) continue
    const key = `${part.prefix} ${part.words[0]}`
    fields.set(key, (fields.get(key) ?? new Map()).set(part.path, part))
  }
  const left = new Set(of)
  for (const byPath of fields.values())
    for (const [place, paths] of LONG_TEXTS.entries()) {
      const all = paths.flatMap((path) => byPath.get(path) ?? [])
      const [{ words, prefix } = { words: [], prefix: false }] = all
      const token = all.length === paths.length ? longTextWord(place, kind, words[0] as string) : undefined
      if (token === undefined) continue
      for (const part of all) left.delete(part)
      const merged: Condition = { op: 'token', token, prefix }
      ofKind.add(merged)
      left.add(merged)
    }
  return { op: 'or', of: [...left] }
}
