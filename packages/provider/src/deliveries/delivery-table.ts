import { storable } from '@tidegate/catalog'
import { type Driver, type Query, sql, type Value } from '@tidegate/database'
import type { DeliveryRow, DeliveryStore, OrderFee } from './delivery-store.js'
import { hostedTotalsFrom, hostedTotalsQuery } from './hosted-totals.js'
import { totalsFrom, totalsQuery } from './totals.js'

const DELIVERY_COLUMNS = 'at, id, chain_id, did, nft, service, file, consumer, order_tx, bytes, complete, hosted_by'
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
      ])
      return purged[0].changes + purged[1].changes
    },
    hosted: (period) => hostedTotalsFrom(db.stream(hostedTotalsQuery(period))),
    totals: (request) => totalsFrom(db.stream(totalsQuery(request)), request.by),
  }
}

/** Returns a function that makes the statements for rows of a table. */
function insertions(table: string, columns: string): (rows: Value[][]) => Generator<Query> {
  const row = `(${columns.replace(/\w+/g, '?')})`
  const texts = SIZES.map((size) => {
    const values = Array.from({ length: size }, () => row).join(', ')
    return [size, `INSERT INTO ${table} (${columns}) VALUES ${values} ON CONFLICT DO NOTHING`] as const
  })
  return function* (rows) {
    let at = 0
    for (const [size, text] of texts)
      for (; at + size <= rows.length; at += size) yield { text, values: rows.slice(at, at + size).flat() }
  }
}

const insertDeliveries = insertions('deliveries', DELIVERY_COLUMNS)
const insertFees = insertions('order_fees', FEE_COLUMNS)

// service ids are untrusted text of publishers
function deliveryValues(row: DeliveryRow): Value[] {
  const { at, id, chainId, did, nft, service, file, consumer, orderTx, bytes, complete, hostedBy } = row
  const rest = [consumer, orderTx, bytes, Number(complete), hostedBy ?? null]
  return [at, id, chainId, did, nft, storable(service), file, ...rest]
}

function feeValues(fee: OrderFee): Value[] {
  const { chainId, txId, datatoken, position, at, did, nft, service, consumer, token, amount } = fee
  return [chainId, txId, datatoken, position, at, did, nft, storable(service), consumer, token, amount.toString()]
}
