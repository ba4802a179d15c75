import { CHAIN_LIMITS } from '@tidegate/chain'
import { attempt, type Dialect, run, type Script, sql, type Value } from '@tidegate/database'
import type { IndexedAsset } from '@tidegate/protocol'
import type { IndexChange } from '../index-store.js'
import { CATALOG_LIMITS } from '../limits.js'
import { COUNTS, countsOf } from '../search/document.js'
import { type PreparedSearch, rowsFor, type SearchRows } from '../search/sql/prepared.js'
import { countRows, firstId, inGeneration, sliceOf } from '../search/sql/rows.js'
import { pathNumber, TEXT_COLUMNS } from '../search/sql/tokens.js'
import { among, readableAssets } from './assets.js'

// as in index.ts, :chainId is the id of a generation
const NFT_OF = sql('SELECT nft FROM index_datatoken WHERE chain_id = :chainId AND address = :datatoken')
const CHAIN = sql('SELECT chain_id FROM index_reading WHERE id = :generation')
const ID = sql('SELECT id FROM search_document WHERE chain_id = :chainId AND nft = :nft')
const IDS = 'SELECT id FROM search_document WHERE chain_id = ? AND nft IN '
const TAKEN = sql('SELECT id FROM search_document WHERE id >= :first AND id < :end ORDER BY id')
const DOCUMENT = sql('INSERT INTO search_document (id, chain_id, nft, did) VALUES (:id, :chainId, :nft, :did)')
const FIRST_DOCUMENT = sql(
  'INSERT INTO search_document (id, chain_id, nft, did) VALUES (:id, :chainId, :nft, :did) ON CONFLICT (id) DO NOTHING',
)
const DROP_DOCUMENT = sql('DELETE FROM search_document WHERE id = :id')
const DROP_VALUES = sql('DELETE FROM search_value WHERE doc = :id')
const STORED_COUNTS = sql('SELECT path, n, num FROM search_value WHERE doc = :id AND path IN (:all, :each) ORDER BY n')
const SET_COUNT = sql('UPDATE search_value SET num = :num WHERE doc = :id AND path = :path AND n = :n')
const DROP_COUNT = sql('DELETE FROM search_value WHERE doc = :id AND path = :path AND n = :n')
const DROP_PENDING = 'DELETE FROM search_pending WHERE chain_id = ? AND nft IN '
// findable: searches go on meanwhile. Long documents are built last, so that many of them do not delay a short one
const POSTPONE = sql(
  `INSERT INTO search_pending (chain_id, nft, findable)
    SELECT chain_id, nft, CASE WHEN coalesce(size, 0) > ${CATALOG_LIMITS.search.long} THEN 2 ELSE 1 END FROM index_asset
    WHERE chain_id = :chainId AND nft = :nft ON CONFLICT DO NOTHING`,
)

const TEXT = {
  sqlite: sql(
    `INSERT INTO search_text (rowid, ${TEXT_COLUMNS.join(', ')}, marks) VALUES (:id, :${TEXT_COLUMNS.join(', :')}, :marks)`,
  ),
  postgres: sql(
    `INSERT INTO search_text (id, slice, tsv, kind, title, tokens)
      VALUES (:id, :slice, CAST(:tsv AS tsvector), :kind, CAST(:title AS tsvector), 1)`,
  ),
}
const DROP_TEXT = {
  sqlite: sql('DELETE FROM search_text WHERE rowid = :id'),
  postgres: sql('DELETE FROM search_text WHERE id = :id'),
}

const COUNT_PATHS = { all: pathNumber(COUNTS.all), each: pathNumber(COUNTS.each) }

/** Documents whose assets are read by one statement. Each may have a megabyte. */
const AT_ONCE = 8

/** Rows per statement: a few sizes, so that there are few prepared statements. */
const CHUNKS = [64, 16, 4, 1]

/**
 * Updates the search index for every document that some changes affect. An order changes counts alone, and leaves the row
 * in the full-text index as it is.
 */
export function* refresh(chainId: number, changes: IndexChange[], dialect: Dialect, lenient: boolean): Script<void> {
  const changed = new Set<string>()
  const ordered = new Set<string>()
  for (const change of changes) {
    const nft = yield* nftOf(chainId, change)
    if (nft !== undefined) (change.kind === 'order' ? ordered : changed).add(nft)
  }
  if (lenient) for (const nft of changed) yield* refreshIfStorable(chainId, nft, dialect)
  else yield* refreshAll(chainId, changed, dialect, preparedBy(changes))
  let read = 0
  for (const nft of ordered) {
    if (changed.has(nft)) continue
    if (read < CHAIN_LIMITS.chain.refreshed) read += yield* refreshCounts(chainId, nft, dialect)
    else yield* run(POSTPONE({ chainId, nft }))
  }
}

/** What was made ahead for changes, by NFT. */
function preparedBy(changes: readonly IndexChange[]): Map<string, PreparedSearch> {
  return new Map(
    changes.flatMap((one) => (one.kind === 'metadata' && one.search ? [[one.metadata.nft, one.search] as const] : [])),
  )
}

/** Updates the counts of a document in place, if it can be found. Returns the characters of the document. */
function* refreshCounts(chainId: number, nft: string, dialect: Dialect): Script<number> {
  const [document] = (yield* run(ID({ chainId, nft }))).rows
  const [reading] = (yield* run(CHAIN({ generation: chainId }))).rows
  if (!document || !reading) return 0
  const asset = (yield* readableAssets(chainId, reading.chain_id as number, [nft], dialect)).get(nft)
  if (!asset) return 0
  const id = document.id as number
  const wanted = countRows(countsOf(asset))
  const stored = (yield* run(STORED_COUNTS({ id, ...COUNT_PATHS }))).rows
  for (const path of Object.values(COUNT_PATHS)) {
    const before = stored.filter((row) => row.path === path)
    const after = wanted.filter((row) => row.path === path)
    const next = before.length === 0 ? 0 : (before[before.length - 1]?.n as number) + 1
    for (const [at, { num }] of after.entries()) {
      const row = before[at]
      if (!row) yield* run(values([[id, path, next + at - before.length, num, null]]))
      else if (row.num !== num) yield* run(SET_COUNT({ id, path, n: row.n, num }))
    }
    for (const { n } of before.slice(after.length)) yield* run(DROP_COUNT({ id, path, n }))
  }
  return lengthOf(asset)
}

const lengthOf = ({ metadata }: IndexedAsset): number => metadata.ddo?.length ?? 0

/** A document that the database cannot store in the search index is not found. Returns the characters of the document. */
export function* refreshIfStorable(chainId: number, nft: string, dialect: Dialect): Script<number> {
  let read = 0
  const isStored = yield* attempt(function* () {
    read = yield* refreshAll(chainId, [nft], dialect)
  })
  if (!isStored) yield* remove(chainId, [nft], dialect)
  return read
}

function* nftOf(chainId: number, change: IndexChange): Script<string | undefined> {
  switch (change.kind) {
    case 'metadata':
      return change.metadata.nft
    case 'datatoken':
      return change.datatoken.nft
    case 'order':
      return (yield* run(NFT_OF({ chainId, datatoken: change.datatoken }))).rows[0]?.nft as string | undefined
    case 'nft':
      return undefined
    default:
      return change.nft
  }
}

/**
 * Updates the search index for some documents. The rows of the full-text index come last: before every statement that
 * writes several rows, SQLite flushes the pending changes of the full-text index, which costs more than anything else.
 * Beyond a bound it only removes rows, and the background builds new ones (`buildSome`): a thousand state changes of long
 * documents must not hold the database. Returns the characters of the documents whose rows it made.
 */
export function* refreshAll(
  chainId: number,
  nfts: Iterable<string>,
  dialect: Dialect,
  prepared: ReadonlyMap<string, PreparedSearch> = new Map(),
): Script<number> {
  const texts: Record<string, Value>[] = []
  const rows: Value[][] = []
  const [reading] = (yield* run(CHAIN({ generation: chainId }))).rows
  const all = [...nfts]
  let read = 0
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    yield* remove(chainId, some, dialect)
    if (!reading) continue
    const isFull = () => read > CHAIN_LIMITS.chain.refreshed
    const assets = isFull()
      ? some.map((nft) => [nft] as const)
      : yield* readableAssets(chainId, reading.chain_id as number, some, dialect)
    for (const [nft, asset] of assets) {
      if (!asset || isFull()) {
        yield* run(POSTPONE({ chainId, nft }))
        continue
      }
      if (!prepared.has(nft)) read += lengthOf(asset)
      const found = rowsFor(asset, dialect, prepared.get(nft))
      if (!found) continue
      const id = yield* add(chainId, nft, found)
      texts.push({ id, slice: sliceOf(id), ...inGeneration(found.text, chainId, dialect) })
      for (const { path, n, num, txt } of found.values) rows.push([id, path, n, num, txt])
    }
  }
  for (const size of CHUNKS) while (rows.length >= size) yield* run(values(rows.splice(-size)))
  for (const text of texts) yield* run(TEXT[dialect](text))
  return read
}

/** Adds a document. Returns its id. */
function* add(chainId: number, nft: string, document: Pick<SearchRows, 'did' | 'created'>): Script<number> {
  const first = firstId(document)
  const row = { chainId, nft, did: document.did }
  if ((yield* run(FIRST_DOCUMENT({ id: first, ...row }))).changes === 1) return first
  const taken = new Set((yield* run(TAKEN({ first, end: first + 64 }))).rows.map(({ id }) => id))
  let id = first
  while (taken.has(id)) id += 1
  yield* run(DOCUMENT({ id, ...row }))
  return id
}

function values(rows: Value[][]) {
  const marks = rows.map(() => '(?, ?, ?, ?, ?)').join(', ')
  return { text: `INSERT INTO search_value (doc, path, n, num, txt) VALUES ${marks}`, values: rows.flat() }
}

function* remove(chainId: number, nfts: string[], dialect: Dialect): Script<void> {
  for (const { id } of (yield* run(among(IDS, nfts, [chainId]))).rows) {
    yield* run(DROP_VALUES({ id }))
    yield* run(DROP_TEXT[dialect]({ id }))
    yield* run(DROP_DOCUMENT({ id }))
  }
  yield* run(among(DROP_PENDING, nfts, [chainId]))
}
