import type { Dialect } from '@tidegate/database'
import { CATALOG_LIMITS } from '../../limits.js'
import { type Count, numberOf, type Searchable, textOf } from '../document.js'
import { beginningsOf, isUnspaced } from '../words.js'
import {
  ALL,
  anyWord,
  beginningToken,
  columnOf,
  ENCRYPTED,
  existsToken,
  fieldWord,
  GAP,
  generationToken,
  KIND,
  KINDS,
  LONG_TEXTS,
  longTextWord,
  pathNumber,
  TEXT_COLUMNS,
  TITLES,
  tokensOfValue,
} from './tokens.js'

const LONGEST = CATALOG_LIMITS.search.value

/** A value of an asset that can be compared, sorted by and counted. */
export interface SearchValue {
  path: number
  n: number
  num: number | null
  txt: string | number | null
}

/** Columns of a row in the full-text index. */
export type TextColumns = Record<string, string | null>

/** The columns of a document's row in the full-text index, for a generation of the index. */
export function textRow(document: Searchable, generation: number, dialect: Dialect): TextColumns {
  return inGeneration(textColumns(document, dialect), generation, dialect)
}

/** The same without the token of its generation. */
export function textColumns(document: Searchable, dialect: Dialect): TextColumns {
  const marks = marksOf(document)
  return dialect === 'sqlite'
    ? { ...columnsOf(document), marks: marks.join(' ') }
    : {
        tsv: vectorOf(document, [...marks, ...longTextWords(document)]),
        kind: kindOf(document),
        title: titleOf(document),
      }
}

/** Adds the token of a generation. */
export function inGeneration(columns: TextColumns, generation: number, dialect: Dialect): TextColumns {
  const token = generationToken(generation)
  return dialect === 'sqlite'
    ? { ...columns, marks: `${token} ${columns.marks}` }
    : { ...columns, tsv: `'${token}' ${columns.tsv}` }
}

/** The kind of a document: a word in lower case, empty if it has none, null if only its tokens can tell. */
function kindOf({ leaves }: Searchable): string | null {
  const [leaf, ...others] = leaves.filter(({ path }) => path === KIND)
  if (!leaf) return ''
  return others.length === 0 && leaf.words.length === 1 && leaf.words[0] === leaf.value ? leaf.value : null
}

/** The tokens of the words in long texts, for each kind that the document is of; see `longTextWord`. */
function longTextWords({ leaves }: Searchable): Set<string> {
  const tokens = new Set<string>()
  const kinds = KINDS.filter((kind) => leaves.some(({ path, words }) => path === KIND && words.includes(kind)))
  if (kinds.length === 0) return tokens
  for (const [place, fields] of LONG_TEXTS.entries())
    for (const { words } of leaves.filter(({ path }) => fields.includes(path)))
      for (const word of words)
        if (word !== undefined) for (const kind of kinds) tokens.add(longTextWord(place, kind, word))
  return tokens
}

/** The words of a document's name, as `tsv` has them but without positions: PostgreSQL reads them much faster. */
function titleOf({ leaves }: Searchable): string {
  const tokens = new Set<string>()
  for (const { path, words } of leaves)
    if (TITLES.has(path)) for (const word of words) if (word !== undefined) tokens.add(`'${fieldWord(path, word)}'`)
  return [...tokens].join(' ')
}

/** Tokens without a position: of whole values, of existing fields, and of prefixes of words in short texts, or without spaces. */
function marksOf({ leaves, paths, encrypted }: Searchable): string[] {
  const marks = new Set<string>()
  if (encrypted) marks.add(ENCRYPTED)
  for (const path of paths) marks.add(existsToken(path))
  for (const { path, value, words } of leaves) {
    const text = String(value)
    const isShort = text.length <= LONGEST
    if (isShort) for (const token of tokensOfValue(path, text)) marks.add(token)
    for (const word of words) {
      if (word === undefined || !(isShort || isUnspaced(word))) continue
      for (const beginning of beginningsOf(word)) {
        marks.add(beginningToken(path, beginning))
        marks.add(beginningToken(ALL, beginning))
      }
    }
  }
  return [...marks]
}

/** The words of a document in order, by column. */
function columnsOf({ leaves }: Searchable): Record<string, string> {
  const columns: Record<string, string> = Object.fromEntries(TEXT_COLUMNS.map((column) => [column, '']))
  for (const { path, words } of leaves) {
    const own = columnOf(path)
    let text = ''
    for (const word of words) text += word === undefined ? `${GAP} ` : `${anyWord(word)} `
    // tokens with their field only, since phrases never mix both kinds of tokens
    if (!own) {
      text += `${GAP} `
      for (const word of words) text += word === undefined ? `${GAP} ` : `${fieldWord(path, word)} `
    }
    columns[own ?? 'others'] += `${text}${GAP} `
  }
  return columns
}

/** The same for PostgreSQL: each token with its positions. */
function vectorOf({ leaves }: Searchable, marks: string[]): string {
  const places = new Map<string, number[]>()
  const add = (token: string, place: number) => {
    const known = places.get(token)
    if (known) known.push(place)
    else places.set(token, [place])
  }
  let place = 0
  for (const { path, words } of leaves) {
    for (const word of words) {
      place += 1
      if (word === undefined) continue
      add(fieldWord(path, word), place)
      add(anyWord(word), place)
    }
    place += 1
  }
  return [...[...places].map(([token, at]) => `'${token}':${at.join(',')}`), ...marks.map((mark) => `'${mark}'`)].join(
    ' ',
  )
}

/** The values by which a document is compared, sorted and aggregated. */
export function valueRows({ leaves, counts }: Searchable): SearchValue[] {
  const values = leaves.flatMap(({ path, value }, n) => {
    const [num, txt] = [numberOf(value) ?? null, textOf(value)]
    return num === null && txt === null ? [] : [{ path: pathNumber(path), n, num, txt }]
  })
  return [...values, ...countRows(counts)]
}

/** The rows of counts. No other value has their paths. */
export function countRows(counts: Count[]): SearchValue[] {
  return counts.map(({ path, value }, n) => ({ path: pathNumber(path), n, num: value, txt: null }))
}

/** Spare ids for documents whose ids would collide. */
const SLOTS = 8
const HASHES = 2 ** 18
const LAST_SECOND = 2 ** 32 - 1

/**
 * The first of the ids that a document may have: greater for later deployments, and within one second for DIDs that
 * sort first, so that hits by id are already sorted. Below 2^53.
 */
export function firstId({ created, did }: Pick<Searchable, 'created' | 'did'>): number {
  const beginning = Number.parseInt(did.slice(did.lastIndexOf(':') + 1).slice(0, 5), 16) >> 2
  return (Math.min(created, LAST_SECOND) * HASHES + (HASHES - 1 - (beginning || 0))) * SLOTS
}

/** The slices of PostgreSQL's full-text index, numbered from 1. Rows of an earlier version are in slice 0. */
const SLICES = 8

/** The slice of a document, by bits of its DID: all slices have about as many. */
export function sliceOf(id: number): number {
  return 1 + (Math.floor(id / SLOTS) % SLICES)
}
