import { CHAIN_LIMITS } from '@tidegate/chain'
import { type Dialect, type Query, run, type Script, sql } from '@tidegate/database'
import { among, countedAssets, offersOfNft } from '../../index/tables/assets.js'
import { COUNTS, countsOf } from '../documents/document.js'
import { PRICE_PATHS, priceRows } from '../prices.js'
import { countRows } from '../sql/rows.js'
import { pathNumber } from '../sql/tokens.js'
import { chainOf, insertValues, lengthOf, postpone } from './document-rows.js'

const ID = sql('SELECT id FROM search_document WHERE chain_id = :generation AND nft = :nft')
const COUNT_PATHS = [pathNumber(COUNTS.all), pathNumber(COUNTS.each)]
const STORED_COUNTS = `SELECT d.nft, d.id, v.path, v.n, v.num
  FROM search_document d LEFT JOIN search_value v ON v.doc = d.id AND v.path IN (${COUNT_PATHS.join(', ')})
  WHERE d.chain_id = ? AND d.nft IN `
const DROP_COUNT = sql('DELETE FROM search_value WHERE doc = :id AND path = :path AND n = :n')

const DROP_PRICES = sql('DELETE FROM search_value WHERE doc = :id AND path IN (:each, :first)')

/** Rewrites the prices of a document, if it has search rows. Does not read the document. */
export function* updatePrices(generation: number, nft: string, dialect: Dialect): Script<void> {
  const id = (yield* run(ID({ generation, nft }))).rows[0]?.id as number | undefined
  if (id === undefined) return
  const offers = yield* offersOfNft(generation, nft, dialect)
  yield* run(DROP_PRICES({ id, ...PRICE_PATHS }))
  const rows = priceRows({ offers }).map(({ path, n, num, txt }) => [id, path, n, num, txt])
  if (rows.length > 0) yield* run(insertValues(rows))
}

/** Documents whose counts are updated together: each statement waits for its answer. */
const AT_ONCE = 50

/** Sets a count of several documents, which have it in the same place. */
const setCounts = (path: number, n: number, counts: ReadonlyMap<number, number>): Query => {
  const cases = 'WHEN ? THEN CAST(? AS DOUBLE PRECISION) '.repeat(AT_ONCE)
  // no document has the id of a padding
  const pairs = [...counts, ...Array<[number, number]>(AT_ONCE - counts.size).fill([-1, 0])]
  return {
    text: `UPDATE search_value SET num = CASE doc ${cases}END
      WHERE doc IN (${Array(AT_ONCE).fill('?').join(', ')}) AND path = ? AND n = ?`,
    values: [...pairs.flat(), ...pairs.map(([id]) => id), path, n],
    isFixed: true,
  }
}

/** Updates the counts of documents in place, if they have search rows. Returns the characters of the documents that were read. */
export function* updateCounts(generation: number, nfts: Iterable<string>, dialect: Dialect): Script<number> {
  const chain = yield* chainOf(generation)
  const all = [...nfts]
  let read = 0
  for (let at = 0; at < all.length && chain !== undefined; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    if (read >= CHAIN_LIMITS.chain.refreshed) for (const nft of some) yield* postpone(generation, nft)
    else read += yield* updateSome(generation, chain, some, dialect)
  }
  return read
}

interface StoredCount {
  path: number
  n: number
  num: number
}

/** Returns the search rows of documents by NFT: their id, and counts in order. */
function* storedCounts(generation: number, nfts: string[]): Script<Map<string, { id: number; counts: StoredCount[] }>> {
  const found = new Map<string, { id: number; counts: StoredCount[] }>()
  for (const { nft, id, ...row } of (yield* run(among(STORED_COUNTS, nfts, [generation]))).rows) {
    const known = found.get(nft as string) ?? { id: id as number, counts: [] }
    if (row.n !== null) known.counts.push(row as unknown as StoredCount)
    found.set(nft as string, known)
  }
  return found
}

function* updateSome(generation: number, chain: number, nfts: string[], dialect: Dialect): Script<number> {
  const stored = yield* storedCounts(generation, nfts)
  if (stored.size === 0) return 0
  /** New numbers by document, of each path and place. */
  const changed = new Map<string, { path: number; n: number; counts: Map<number, number> }>()
  let read = 0
  for (const asset of yield* countedAssets(generation, chain, [...stored.keys()], dialect)) {
    const { id, counts } = stored.get(asset.nft.address) as { id: number; counts: StoredCount[] }
    read += lengthOf(asset)
    const wanted = countRows(countsOf(asset))
    for (const path of COUNT_PATHS) {
      const before = counts.filter((row) => row.path === path).sort((a, b) => a.n - b.n)
      const after = wanted.filter((row) => row.path === path)
      const next = (before.at(-1)?.n ?? -1) + 1
      for (const [at, { num }] of after.entries()) {
        const row = before[at]
        if (!row) yield* run(insertValues([[id, path, next + at - before.length, num, null]]))
        else if (row.num !== num) {
          const place = changed.get(`${path} ${row.n}`) ?? { path, n: row.n, counts: new Map<number, number>() }
          changed.set(`${path} ${row.n}`, place)
          place.counts.set(id, num as number)
        }
      }
      for (const { n } of before.slice(after.length)) yield* run(DROP_COUNT({ id, path, n }))
    }
  }
  for (const { path, n, counts } of changed.values()) yield* run(setCounts(path, n, counts))
  return read
}
