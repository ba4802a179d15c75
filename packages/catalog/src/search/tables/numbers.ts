import { type Dialect, run, type Script, sql } from '@tidegate/database'
import { among, offersOfNft } from '../../index/tables/assets.js'
import { CATALOG_LIMITS } from '../../limits.js'
import { pathNumber } from '../conditions/tokens.js'
import { ORDERS } from '../documents/document.js'
import { PRICE_PATHS, priceRows } from '../prices.js'
import { insertValues } from './document-rows.js'

const ID = sql('SELECT id FROM search_document WHERE chain_id = :generation AND nft = :nft')
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

/** Assets per statement. */
const AT_ONCE = 50

const SET_ORDERS = `UPDATE search_value SET num = (SELECT CAST(coalesce(sum(orders), 0) AS DOUBLE PRECISION) FROM (
    SELECT t.orders FROM search_document d JOIN index_datatoken t ON t.chain_id = d.chain_id AND t.nft = d.nft
    WHERE d.id = search_value.doc ORDER BY t.position LIMIT ${CATALOG_LIMITS.search.datatokens}) AS first_ones)
  WHERE path = ${pathNumber(ORDERS)} AND doc IN (SELECT id FROM search_document WHERE chain_id = ? AND nft IN `

/** Updates the number of orders of documents in place, if they have search rows. Does not read the documents. */
export function* updateOrders(generation: number, nfts: readonly string[]): Script<void> {
  for (let at = 0; at < nfts.length; at += AT_ONCE) {
    const query = among(SET_ORDERS, nfts.slice(at, at + AT_ONCE), [generation])
    yield* run({ ...query, text: `${query.text})` })
  }
}
