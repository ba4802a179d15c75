import { storable } from '@tidegate/catalog'
import { type Driver, type Query, sql, sqlOne, type Value } from '@tidegate/database'
import { HOUR } from '@tidegate/protocol/constants'
import type { DeliveryRow, DeliveryStore, OrderFee } from './delivery-store.js'
import { hostedTotalsFrom, hostedTotalsQuery } from './hosted-totals.js'
import { totalsFrom, totalsQuery } from './totals.js'

const DELIVERY_COLUMNS =
  'at, id, chain_id, did, nft, service, file, consumer, order_tx, bytes, complete, hosted_by, counted'
const FEE_COLUMNS = 'chain_id, tx_id, datatoken, position, at, did, nft, service, consumer, token, amount'

/** Rows per statement. Each size is a prepared statement, so there are few. */
const SIZES = [64, 8, 1]

const PURGE_DELIVERIES = sql(
  `DELETE FROM deliveries WHERE (at, id) IN
   (SELECT at, id FROM deliveries WHERE at < :before ORDER BY at, id LIMIT :limit)`,
)
const PURGE_FEES = sql(
  `DELETE FROM order_fees WHERE (chain_id, tx_id, datatoken, position) IN
   (SELECT chain_id, tx_id, datatoken, position FROM order_fees WHERE at < :before ORDER BY at LIMIT :limit)`,
)

const CLAIM = sql(
  `INSERT INTO range_deliveries (subject, id, begun_at) VALUES (:subject, :id, :begun)
   ON CONFLICT (subject) DO UPDATE SET id = excluded.id, begun_at = excluded.begun_at
   WHERE range_deliveries.begun_at <= excluded.begun_at - ${HOUR}`,
)
const CLAIMED = sqlOne('SELECT id, begun_at AS begun FROM range_deliveries WHERE subject = :subject')
const PURGE_CLAIMS = sql(
  `DELETE FROM range_deliveries WHERE subject IN
   (SELECT subject FROM range_deliveries WHERE begun_at < :before ORDER BY begun_at LIMIT :limit)`,
)

/** Creates the store of deliveries and fees. */
export function deliveryStore(db: Driver): DeliveryStore {
  return {
    async add(deliveries, fees) {
      const statements = [...insertDeliveries(deliveries.map(deliveryValues)), ...insertFees(fees.map(feeValues))]
      await (db.onThread?.({ task: 'statements', input: statements }, deliveries.length + fees.length) ??
        // in one tick, so that the writes share a group commit
        Promise.all(statements.map((query) => db.query(query))))
    },
    async purge(before, limit) {
      const purged = await Promise.all([
        db.query(PURGE_DELIVERIES({ before, limit })),
        db.query(PURGE_FEES({ before, limit })),
        db.query(PURGE_CLAIMS({ before: Date.now() - HOUR, limit })),
      ])
      return purged.reduce((sum, { changes }) => sum + changes, 0)
    },
    async claim({ subject, id, begun }) {
      await db.query(CLAIM({ subject, id, begun }))
      const { rows } = await db.query(CLAIMED({ subject }))
      return (rows[0] as { id: number; begun: number } | undefined) ?? { id, begun }
    },
    hosted: (period) => hostedTotalsFrom(db.stream(hostedTotalsQuery(period))),
    totals: (request) => totalsFrom(db.stream(totalsQuery(request)), request.by),
  }
}

/** Returns a function that makes the statements for rows of a table. */
function insertions(table: string, columns: string, onConflict: string): (rows: Value[][]) => Generator<Query> {
  const row = `(${columns.replace(/\w+/g, '?')})`
  const texts = SIZES.map((size) => {
    const values = Array.from({ length: size }, () => row).join(', ')
    return [size, `INSERT INTO ${table} (${columns}) VALUES ${values} ON CONFLICT ${onConflict}`] as const
  })
  return function* (rows) {
    let at = 0
    for (const [size, text] of texts)
      for (; at + size <= rows.length; at += size) yield { text, values: rows.slice(at, at + size).flat() }
  }
}

const insertDeliveries = insertions(
  'deliveries',
  DELIVERY_COLUMNS,
  // sums only grow, so that a repeated write changes nothing
  `(at, id) DO UPDATE SET bytes = excluded.bytes, complete = deliveries.complete | excluded.complete
   WHERE excluded.bytes > deliveries.bytes OR excluded.complete > deliveries.complete`,
)
const insertFees = insertions('order_fees', FEE_COLUMNS, 'DO NOTHING')

// service ids are untrusted text of publishers
function deliveryValues(row: DeliveryRow): Value[] {
  const {
    at,
    id,
    chainId,
    did,
    nft,
    service,
    file,
    consumer,
    orderTx,
    bytes,
    complete,
    hostedBy,
    continues = false,
  } = row
  const rest = [consumer, orderTx, bytes, Number(complete && !continues), hostedBy ?? null, Number(!continues)]
  return [at, id, chainId, did, nft, storable(service), file, ...rest]
}

function feeValues(fee: OrderFee): Value[] {
  const { chainId, txId, datatoken, position, at, did, nft, service, consumer, token, amount } = fee
  return [chainId, txId, datatoken, position, at, did, nft, storable(service), consumer, token, amount.toString()]
}
