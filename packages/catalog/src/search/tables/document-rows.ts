import { CHAIN_LIMITS } from '@tidegate/chain'
import { attempt, type Dialect, run, type Script, sql, type Value } from '@tidegate/database'
import type { IndexedAsset } from '@tidegate/protocol'
import type { PreparedRows } from '../../index/index-consumer.js'
import { among, readableAssets } from '../../index/tables/assets.js'
import { CATALOG_LIMITS } from '../../limits.js'
import { TEXT_COLUMNS } from '../conditions/tokens.js'
import { rowsFor, type SearchRows } from './prepared.js'
import { firstId, inGeneration, sliceOf } from './rows.js'

// the columns `chain_id` contain the id of a generation, except in index_reading
const CHAIN = sql('SELECT chain_id FROM index_reading WHERE id = :generation')
const IDS = 'SELECT id FROM search_document WHERE chain_id = ? AND nft IN '
const TAKEN = sql('SELECT id FROM search_document WHERE id >= :first AND id < :end ORDER BY id')
const DOCUMENT = sql('INSERT INTO search_document (id, chain_id, nft, did) VALUES (:id, :generation, :nft, :did)')
const FIRST_DOCUMENT = sql(
  'INSERT INTO search_document (id, chain_id, nft, did) VALUES (:id, :generation, :nft, :did) ON CONFLICT (id) DO NOTHING',
)
const DROP_DOCUMENT = sql('DELETE FROM search_document WHERE id = :id')
const DROP_VALUES = sql('DELETE FROM search_value WHERE doc = :id')
const DROP_PENDING = 'DELETE FROM search_pending WHERE chain_id = ? AND nft IN '
// findable > 0: searches continue meanwhile. Long documents (2) are built last
const POSTPONE = sql(
  `INSERT INTO search_pending (chain_id, nft, findable)
    SELECT chain_id, nft, CASE WHEN coalesce(size, 0) > ${CATALOG_LIMITS.search.long} THEN 2 ELSE 1 END FROM index_asset
    WHERE chain_id = :generation AND nft = :nft ON CONFLICT DO NOTHING`,
)

const TEXT = {
  sqlite: sql(
    `INSERT INTO search_text (rowid, ${TEXT_COLUMNS.join(', ')}, marks) VALUES (:id, :${TEXT_COLUMNS.join(', :')}, :marks)`,
  ),
  postgres: sql('INSERT INTO search_text (id, slice, tsv) VALUES (:id, :slice, CAST(:tsv AS tsvector))'),
}
const DROP_TEXT = {
  sqlite: sql('DELETE FROM search_text WHERE rowid = :id'),
  postgres: sql('DELETE FROM search_text WHERE id = :id'),
}

/** Assets per statement. Each may have a document of a megabyte. */
const AT_ONCE = 8

/** Ids from the first possible one that are searched for a free one. */
const NEARBY = 64

/** Rows per statement: few sizes, so that there are few statements to prepare. */
const CHUNKS = [64, 16, 4, 1]

/** Returns the characters of an asset's document. */
const lengthOf = ({ metadata }: IndexedAsset): number => metadata.ddo?.length ?? 0

/** Rewrites the rows of a document, or removes them if they cannot be stored. Returns the characters of the document. */
export function* rewriteIfStorable(generation: number, nft: string, dialect: Dialect): Script<number> {
  let read = 0
  const isStored = yield* attempt(function* () {
    read = yield* rewrite(generation, [nft], dialect)
  })
  if (!isStored) yield* remove(generation, [nft], dialect)
  return read
}

/**
 * Rewrites the rows of documents. Full-text rows come last, since SQLite flushes pending full-text changes before each statement of several
 * rows. Beyond a limit it only removes rows and postpones the rest, so that a thousand changes do not block the database. Returns the
 * characters of the documents with new rows.
 */
export function* rewrite(
  generation: number,
  nfts: Iterable<string>,
  dialect: Dialect,
  prepared: ReadonlyMap<string, PreparedRows> = new Map(),
): Script<number> {
  const texts: Record<string, Value>[] = []
  const values: Value[][] = []
  const chain = yield* chainOf(generation)
  const all = [...nfts]
  let read = 0
  const isFull = () => read > CHAIN_LIMITS.chain.refreshed
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    yield* remove(generation, some, dialect)
    if (chain === undefined) continue
    const assets = isFull() ? undefined : yield* readableAssets(generation, chain, some, dialect)
    for (const nft of assets?.keys() ?? some) {
      const asset = assets?.get(nft)
      if (!asset || isFull()) {
        yield* postpone(generation, nft)
        continue
      }
      if (!prepared.has(nft)) read += lengthOf(asset)
      const rows = rowsFor(asset, dialect, prepared.get(nft))
      if (!rows) continue
      const id = yield* add(generation, nft, rows)
      texts.push({ id, slice: sliceOf(id), ...inGeneration(rows.text, generation, dialect) })
      for (const { path, n, num, txt } of rows.values) values.push([id, path, n, num, txt])
    }
  }
  for (const size of CHUNKS) while (values.length >= size) yield* run(insertValues(values.splice(-size)))
  for (const text of texts) yield* run({ ...TEXT[dialect](text), isFixed: true })
  return read
}

/** Postpones the rows of a document; see `buildSome`. */
function* postpone(generation: number, nft: string): Script<void> {
  yield* run(POSTPONE({ generation, nft }))
}

/** Returns the chain of a generation; undefined if there is no such generation. */
function* chainOf(generation: number): Script<number | undefined> {
  return (yield* run(CHAIN({ generation }))).rows[0]?.chain_id as number | undefined
}

/** Returns the statement that inserts rows of search_value. */
export function insertValues(rows: Value[][]) {
  const marks = rows.map(() => '(?, ?, ?, ?, ?)').join(', ')
  return {
    text: `INSERT INTO search_value (doc, path, n, num, txt) VALUES ${marks}`,
    values: rows.flat(),
    isFixed: true,
  }
}

function* add(generation: number, nft: string, document: Pick<SearchRows, 'did' | 'created'>): Script<number> {
  const first = firstId(document)
  const row = { generation, nft, did: document.did }
  if ((yield* run({ ...FIRST_DOCUMENT({ id: first, ...row }), isFixed: true })).changes === 1) return first
  const taken = new Set((yield* run(TAKEN({ first, end: first + NEARBY }))).rows.map(({ id }) => id))
  let id = first
  while (taken.has(id)) id += 1
  yield* run(DOCUMENT({ id, ...row }))
  return id
}

function* remove(generation: number, nfts: string[], dialect: Dialect): Script<void> {
  for (const { id } of (yield* run(among(IDS, nfts, [generation]))).rows) {
    yield* run(DROP_VALUES({ id }))
    yield* run(DROP_TEXT[dialect]({ id }))
    yield* run(DROP_DOCUMENT({ id }))
  }
  yield* run(among(DROP_PENDING, nfts, [generation]))
}
