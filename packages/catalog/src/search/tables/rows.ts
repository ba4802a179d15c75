import type { Dialect } from '@tidegate/database'
import { DOCUMENT_ID } from '../../constants.js'
import { CATALOG_LIMITS } from '../../limits.js'
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
  indexedTokens,
  pathNumber,
  TEXT_COLUMNS,
} from '../conditions/tokens.js'
import { numberOf, ORDERS, type Searchable, textOf } from '../documents/document.js'
import { beginningsOf, isUnspaced } from '../documents/words.js'

const LONGEST = CATALOG_LIMITS.search.value

/** A value of an asset for comparisons, sorting and aggregations. */
export interface SearchValue {
  path: number
  n: number
  num: number | null
  txt: string | number | null
}

/** Columns of a row in the full-text index. */
export type TextColumns = Record<string, string | null>

/** Returns a document's row in the full-text index, for a generation of the index. */
export function textRow(document: Searchable, generation: number, dialect: Dialect): TextColumns {
  return inGeneration(textColumns(document, dialect), generation, dialect)
}

/** Like textRow, without the token of the generation. */
export function textColumns(document: Searchable, dialect: Dialect): TextColumns {
  const marks = marksOf(document)
  return dialect === 'sqlite' ? { ...columnsOf(document), marks: marks.join(' ') } : { tsv: vectorOf(document, marks) }
}

export function inGeneration(columns: TextColumns, generation: number, dialect: Dialect): TextColumns {
  const token = generationToken(generation)
  return dialect === 'sqlite'
    ? { ...columns, marks: `${token} ${columns.marks}` }
    : { ...columns, tsv: `'${token}' ${columns.tsv}` }
}

/** Returns tokens without positions: of whole values, existing fields, and prefixes of words in short or unspaced texts. */
function marksOf({ leaves, paths, encrypted }: Searchable): string[] {
  const marks = new Set<string>()
  if (encrypted) marks.add(ENCRYPTED)
  for (const path of paths) marks.add(existsToken(path))
  for (const { path, value, words } of leaves) {
    const text = String(value)
    const isShort = text.length <= LONGEST
    if (isShort) for (const token of indexedTokens(path, text)) marks.add(token)
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

/** Returns the words of a document in order, by column of SQLite. */
function columnsOf({ leaves }: Searchable): Record<string, string> {
  const columns: Record<string, string> = Object.fromEntries(TEXT_COLUMNS.map((column) => [column, '']))
  for (const { path, words } of leaves) {
    const own = columnOf(path)
    let text = ''
    for (const word of words) text += word === undefined ? `${GAP} ` : `${anyWord(word)} `
    // separated, since phrases never mix both kinds of tokens
    if (!own) {
      text += `${GAP} `
      for (const word of words) text += word === undefined ? `${GAP} ` : `${fieldWord(path, word)} `
    }
    columns[own ?? 'others'] += `${text}${GAP} `
  }
  return columns
}

/** Returns the words of a document for PostgreSQL: each token with its positions. */
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

/** Returns the values of a document for comparisons, sorting and aggregations. */
export function valueRows({ leaves, orders }: Searchable): SearchValue[] {
  const values = leaves.flatMap(({ path, value }, n) => {
    const [num, txt] = [numberOf(value) ?? null, textOf(value)]
    return num === null && txt === null ? [] : [{ path: pathNumber(path), n, num, txt }]
  })
  return [...values, { path: pathNumber(ORDERS), n: 0, num: orders, txt: null }]
}

/** Ids per second and hash of a DID, for collisions. */
const SLOTS = 8
const { hashes: HASHES, lastSecond: LAST_SECOND } = DOCUMENT_ID

/** Returns the first possible id of a document: greater for later deployments, then for DIDs that sort first. Below 2^53. */
export function firstId({ created, did }: Pick<Searchable, 'created' | 'did'>): number {
  const beginning = Number.parseInt(did.slice(did.lastIndexOf(':') + 1).slice(0, 5), 16) >> 2
  return (Math.min(created, LAST_SECOND) * HASHES + (HASHES - 1 - (beginning || 0))) * SLOTS
}

/** Slices of PostgreSQL's full-text index, from 1. */
const SLICES = 8

/** Returns the slice of a document, by bits of its DID, so that slices have similar sizes. */
export function sliceOf(id: number): number {
  return 1 + (Math.floor(id / SLOTS) % SLICES)
}

/** Returns SQL for the slice of a document by its id. */
export const sliceIn = (id: string) => `1 + (${id} / ${SLOTS}) % ${SLICES}`
