import { hash } from 'node:crypto'
import { upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from '../../limits.js'
import { encoded } from '../documents/encoded.js'
import { folded } from '../documents/folded.js'

/** The path for all fields. */
export const ALL = '*'

/** Hex digits of the hashes of a path and of a path with a value. */
const DIGITS = { path: 12, value: 16 }

/** A memo of pathName: most documents share their paths. */
const pathNames = new LRUCache<string, string>(upTo(CATALOG_LIMITS.search.paths))

/** Returns the hash of a path for tokens. */
function pathName(path: string): string {
  let name = pathNames.get(path)
  if (name === undefined) {
    name = hash('sha256', path, 'hex').slice(0, DIGITS.path)
    pathNames.set(path, name)
  }
  return name
}

/** Returns the hash of a path as a number, for rows of values. */
export function pathNumber(path: string): number {
  return Number.parseInt(pathName(path), 16)
}

/** The token of a word in any field. */
export function anyWord(word: string): string {
  return `a${encoded(word)}`
}

/** The token of a word in a field. */
export function fieldWord(path: string, word: string): string {
  return `w${pathName(path)}${encoded(word)}`
}

/** The fields with long texts, which front ends search together, by their place in a document. */
const LONG_TEXTS: readonly string[][] = ['metadata', 'credentialSubject.metadata'].map((parent) =>
  ['name', 'description', 'author', 'tags'].map((name) => `${parent}.${name}`),
)

/** The fields with names of assets, whose order an index has. */
export const TITLES: ReadonlySet<string> = new Set(LONG_TEXTS.map(([name]) => name as string))

/**
 * Columns of SQLite's full-text index for fields with long texts, whose words then need no second token with the field. All other words
 * are in the column `others`.
 */
const COLUMNS = new Map(LONG_TEXTS.flat().map((path, at) => [path, `text${at}`]))
export const TEXT_COLUMNS = [...COLUMNS.values(), 'others']

/** Returns the column of a field; undefined for a field without its own. */
export function columnOf(path: string): string | undefined {
  return COLUMNS.get(path)
}

function exactToken(path: string, value: string): string {
  return `k${valueName(path, value)}`
}

/** The token of values that differ from their case-folded form. */
function foldedToken(path: string, folding: string): string {
  return `f${valueName(path, folding)}`
}

function valueName(path: string, value: string): string {
  return hash('sha256', `${pathName(path)} ${value}`, 'hex').slice(0, DIGITS.value)
}

/** Returns the tokens to index for a value. */
export function indexedTokens(path: string, value: string): string[] {
  const folding = folded(value)
  return folding === value ? [exactToken(path, value)] : [exactToken(path, value), foldedToken(path, folding)]
}

/** Returns tokens of which documents with a value have at least one. `exact`: case-sensitive. */
export function soughtTokens(path: string, value: string, exact: boolean): string[] {
  if (exact) return [exactToken(path, value)]
  const folding = folded(value)
  return [exactToken(path, folding), foldedToken(path, folding)]
}

/** The token of a prefix in a field. */
export function beginningToken(path: string, beginning: string): string {
  return path === ALL ? `c${encoded(beginning)}` : `b${pathName(path)}${encoded(beginning)}`
}

/** The token of a field that has any value. */
export function existsToken(path: string): string {
  return `e${pathName(path)}`
}

/** The token of every document of a generation of the index. */
export function generationToken(id: number): string {
  return id < 0 ? `gm${-id}` : `g${id}`
}

/** The token of documents that are encrypted on the chain. */
export const ENCRYPTED = 'x'

/** The separator between two values, so that no phrase spans them. It is never searched. */
export const GAP = 'q'

/** A token that no document has. */
export const NOTHING = 'n'
