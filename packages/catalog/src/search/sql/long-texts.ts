import type { Condition } from './conditions.js'
import { KINDS, LONG_TEXTS, longTextWord } from './tokens.js'

type Kind = Extract<Condition, { op: 'kind' }>

/**
 * Replaces each word that is searched in all long texts by one token (see `longTextWord`), in conditions on documents of a kind.
 * `isOfKind`: whether the tokens imply the kind.
 */
export function withLongTexts(kind: Kind, parts: Condition[]): { parts: Condition[]; isOfKind: boolean } {
  // the tokens ignore the case of the kind
  if (kind.exact || !KINDS.includes(kind.word)) return { parts, isOfKind: false }
  const ofKind = new Set<Condition>()
  const merged = parts.map((part) => mergedIn(part, kind.word, ofKind))
  const tellsKind = (part: Condition): boolean =>
    ofKind.has(part) ||
    (part.op === 'or' && part.of.length > 0 && part.of.every(tellsKind)) ||
    (part.op === 'and' && part.of.some(tellsKind))
  return { parts: merged, isOfKind: merged.some(tellsKind) }
}

/** Returns a condition with such tokens. Adds them to `ofKind`. */
function mergedIn(condition: Condition, kind: string, ofKind: Set<Condition>): Condition {
  if (condition.op !== 'or' && condition.op !== 'and') return condition
  const of = condition.of.map((part) => mergedIn(part, kind, ofKind))
  if (condition.op === 'and') return { op: 'and', of }
  const fields = new Map<string, Map<string, Condition>>()
  for (const part of of) {
    if (part.op !== 'words' || part.prefix) continue
    const [word, ...others] = part.words
    if (word === undefined || others.length > 0) continue
    fields.set(word, (fields.get(word) ?? new Map()).set(part.path, part))
  }
  const left = new Set(of)
  for (const [word, byPath] of fields)
    for (const [place, paths] of LONG_TEXTS.entries()) {
      const all = paths.flatMap((path) => byPath.get(path) ?? [])
      if (all.length < paths.length) continue
      for (const part of all) left.delete(part)
      const merged: Condition = { op: 'token', token: longTextWord(place, kind, word) }
      ofKind.add(merged)
      left.add(merged)
    }
  return { op: 'or', of: [...left] }
}
