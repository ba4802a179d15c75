import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { IS_FIRST_PRICE } from '../../packages/catalog/src/search/conditions/price-conditions.js'
import { textsAt } from '../../packages/catalog/src/search/hits/name-order.js'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { SearchRows } from './search-rows.js'

const BATCH = 500

/** Consumers of orders: each has about twenty, the first one every fiftieth of all. */
export const consumerAt = (at: number) => 9e14 + at
const CONSUMER = (order: string, consumers: number) =>
  `CASE WHEN ${order} % 50 = 0 THEN 0 ELSE 1 + (${order} * 7919) % ${consumers} END`

/** A database that takes rows as JSON. */
interface Sink {
  dialect: 'sqlite' | 'postgres'
  run(text: string): Promise<unknown> | unknown
  insert(table: string, rows: object[]): Promise<unknown> | unknown
}

/** Bulk-loads assets with their orders into the embedded database of a folder, which was opened before. */
export async function pouredSqlite(folder: string, from: number, to: number): Promise<void> {
  const db = new Database(join(folder, DATABASE_FILE))
  for (const pragma of ['synchronous = OFF', 'cache_size = -1000000', 'wal_autocheckpoint = 100000']) db.pragma(pragma)
  const statements = new Map<string, Database.Statement>()
  await pour(from, to, {
    dialect: 'sqlite',
    run: (text) => db.exec(text),
    insert(table, rows) {
      const columns = Object.keys(rows[0] as object).filter((name) => table !== 'search_text' || name !== 'slice')
      const names = columns.map((name) => (table === 'search_text' && name === 'id' ? 'rowid' : name))
      const values = columns.map((name) => `value ->> '${name}'`)
      const text = `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?)`
      const statement = statements.get(text) ?? db.prepare(text)
      statements.set(text, statement)
      statement.run(JSON.stringify(rows))
    },
  })
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Bulk-loads assets with their orders into PostgreSQL, whose schema is there. */
export async function pouredPostgres(url: string, from: number, to: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'",
  )
  const types = new Map(rows.map((row) => [`${row.table_name}.${row.column_name}`, row.data_type as string]))
  await client.query('SET synchronous_commit = off')
  await pour(from, to, {
    dialect: 'postgres',
    run: (text) => client.query(text),
    insert(table, rows) {
      const names = Object.keys(rows[0] as object)
      const columns = names.map((name) => `${name} ${types.get(`${table}.${name}`)?.replace('tsvector', 'text')}`)
      const values = names.map((name) => `CAST(${name} AS ${types.get(`${table}.${name}`)})`)
      const text = `INSERT INTO ${table} (${names.join(', ')})
        SELECT ${values.join(', ')} FROM json_to_recordset($1) AS row (${columns.join(', ')})`
      return client.query(text, [JSON.stringify(rows)])
    },
  })
  // the server's autovacuum would do this later
  await client.query('VACUUM ANALYZE')
  await client.end()
}

const FIRST_PRICES = `WHERE ${IS_FIRST_PRICE}`
/** Indexes of both databases. */
const VALUE_INDEXES = {
  search_value_by_name_4: `ON search_value (txt, doc DESC) WHERE ${textsAt('metadata.name')}`,
  search_value_by_name_5: `ON search_value (txt, doc DESC) WHERE ${textsAt('credentialSubject.metadata.name')}`,
  search_value_by_price: `ON search_value (path, txt, num, doc DESC) ${FIRST_PRICES}`,
  search_value_by_price_down: `ON search_value (path, txt, num DESC, doc DESC) ${FIRST_PRICES}`,
}
/** Indexes that are made at the end, by table. */
const LATER: Record<Sink['dialect'], Record<string, string>> = {
  sqlite: { ...VALUE_INDEXES, search_value_by_num: 'ON search_value (path, num) WHERE num IS NOT NULL' },
  postgres: {
    ...VALUE_INDEXES,
    search_value_by_num: 'ON search_value (path, num, doc) WHERE num IS NOT NULL',
    search_text_by_token: 'ON search_text USING gin (tsv) WITH (fastupdate = off)',
  },
}
const ORDER_INDEXES = {
  index_order_by_consumer: 'ON index_order (consumer, timestamp, block, log, chain_id)',
  index_order_by_payer: 'ON index_order (payer, timestamp, block, log, chain_id)',
  index_order_by_datatoken: 'ON index_order (datatoken, timestamp, block, log, chain_id)',
  index_order_by_tx: 'ON index_order (tx_id, datatoken, started, block, log, chain_id)',
}

async function pour(from: number, to: number, sink: Sink): Promise<void> {
  const { dialect } = sink
  const indexes = { ...LATER[dialect], ...ORDER_INDEXES }
  for (const name of Object.keys(indexes)) await sink.run(`DROP INDEX ${name}`)
  if (dialect === 'sqlite') await sink.run("INSERT INTO search_text (search_text, rank) VALUES ('hashsize', 67108864)")
  const source = new SearchRows(dialect)
  for (let at = from; at < to; at += BATCH) {
    const tables: Record<string, object[]> = {}
    for (let one = at; one < Math.min(at + BATCH, to); one++)
      for (const [table, rows] of Object.entries(source.of(one))) tables[table] = [...(tables[table] ?? []), ...rows]
    if ((at - from) % (20 * BATCH) === 0) {
      if (at > from) await sink.run('COMMIT')
      await sink.run('BEGIN')
    }
    for (const [table, rows] of Object.entries(tables)) if (rows.length > 0) await sink.insert(table, rows)
  }
  await sink.run('COMMIT')
  await finish(from, to, sink)
}

async function finish(from: number, to: number, sink: Sink): Promise<void> {
  const { dialect } = sink
  const indexes = { ...LATER[dialect], ...ORDER_INDEXES }
  await sink.run(ordersIn(dialect, from, to))
  for (const [name, rest] of Object.entries(indexes)) await sink.run(`CREATE INDEX ${name} ${rest}`)
}

/** Returns the statement that adds the orders of assets, spread over two years. */
function ordersIn(dialect: Sink['dialect'], from: number, to: number): string {
  const padded = (number: string) =>
    dialect === 'sqlite' ? `printf('0x%040d', ${number})` : `'0x' || lpad(CAST(${number} AS text), 40, '0')`
  const hash = dialect === 'sqlite' ? "printf('0x%064x', 21 * a + o)" : "'0x' || lpad(to_hex(21 * a + o), 64, '0')"
  const series = (name: string, first: number, last: string) =>
    dialect === 'sqlite'
      ? `${name} (${name[0]}) AS (SELECT ${first} UNION ALL SELECT ${name[0]} + 1 FROM ${name} WHERE ${name[0]} < ${last})`
      : `${name} (${name[0]}) AS (SELECT generate_series(CAST(${first} AS BIGINT), ${last}))`
  const consumer = padded(`900000000000000 + ${CONSUMER('(21 * a + o)', Math.ceil(to / 2))}`)
  return `WITH ${dialect === 'sqlite' ? 'RECURSIVE ' : ''}${series('assets', from, String(to - 1))}, ${series('orders', 0, '19')}
    INSERT INTO index_order (chain_id, block, log, tx_id, datatoken, consumer, payer, timestamp, service)
    SELECT 8996, a, o, ${hash}, ${padded('CAST(2 * a + 2 AS BIGINT)')}, ${consumer}, ${consumer},
      1700000000 + (a * 60 + o * 6000000) % 63000000, 0
    FROM assets CROSS JOIN orders WHERE o < (a * 7919) % 21`
}
