import { type Dialect, run, type Script, sql } from '@tidegate/database'
import { offersOfNft, readableAssets } from '../../index/tables/assets.js'
import { COUNTS, countsOf } from '../documents/document.js'
import { PRICE_PATHS, priceRows } from '../prices.js'
import { countRows } from '../sql/rows.js'
import { pathNumber } from '../sql/tokens.js'
import { chainOf, insertValues, lengthOf } from './document-rows.js'

const ID = sql('SELECT id FROM search_document WHERE chain_id = :generation AND nft = :nft')
const STORED_COUNTS = sql('SELECT path, n, num FROM search_value WHERE doc = :id AND path IN (:all, :each) ORDER BY n')
const SET_COUNT = sql('UPDATE search_value SET num = :num WHERE doc = :id AND path = :path AND n = :n')
const DROP_COUNT = sql('DELETE FROM search_value WHERE doc = :id AND path = :path AND n = :n')

const COUNT_PATHS = { all: pathNumber(COUNTS.all), each: pathNumber(COUNTS.each) }

const DROP_PRICES = sql('DELETE FROM search_value WHERE doc = :id AND path IN (:each, :first, :token)')

/** Rewrites the prices of a document, if it has search rows. Does not read the document. */
export function* updatePrices(generation: number, nft: string, dialect: Dialect): Script<void> {
  const id = (yield* run(ID({ generation, nft }))).rows[0]?.id as number | undefined
  if (id === undefined) return
  const offers = yield* offersOfNft(generation, nft, dialect)
  yield* run(DROP_PRICES({ id, ...PRICE_PATHS }))
  const rows = priceRows({ offers }).map(({ path, n, num, txt }) => [id, path, n, num, txt])
  if (rows.length > 0) yield* run(insertValues(rows))
}

/** Updates the counts of a document in place, if it has search rows. Returns the characters of the document. */
export function* updateCounts(generation: number, nft: string, dialect: Dialect): Script<number> {
  const [document] = (yield* run(ID({ generation, nft }))).rows
  const chain = yield* chainOf(generation)
  if (!document || chain === undefined) return 0
  const asset = (yield* readableAssets(generation, chain, [nft], dialect)).get(nft)
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
      if (!row) yield* run(insertValues([[id, path, next + at - before.length, num, null]]))
      else if (row.num !== num) yield* run(SET_COUNT({ id, path, n: row.n, num }))
    }
    for (const { n } of before.slice(after.length)) yield* run(DROP_COUNT({ id, path, n }))
  }
  return lengthOf(asset)
}
