import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import type { Driver } from '../../../database/src/sql.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { DURABLE_TABLES } from '../../src/state/identity.js'
import { openPostgres } from '../../src/state/postgres.js'
import { openSqlite } from '../../src/state/sqlite.js'
import { copyTables } from '../../src/state/transfer/pass.js'
import { copiedTables, durableTables, type TableShape } from '../../src/state/transfer/schema.js'

/** Tables that no copy contains. */
const STAYS = [
  'identity', // identifies this database
  'origin', // the transaction that made this database
  'leases', // name the leader among the instances on this database
  'tidegate_schema', // the versions of this database's tables
  'timeline', // where PostgreSQL was promoted to
  'probe', // writes of health checks
  // rebuilt from the index
  'search_document',
  'search_text',
  'search_value',
  'search_pending',
]

describe('a copy of the state', () => {
  const folder = newFolder()
  let server: PostgresDatabase
  let at = 0

  beforeAll(async () => {
    server = await startPostgres()
  })

  const sqlite = (name = `db-${++at}`) => openSqlite(join(folder, name))
  async function postgres(): Promise<{ driver: Driver; url: string }> {
    const url = server.url(await server.another())
    return { driver: await openPostgres({ url, connections: 2, timeout: 60_000 }), url }
  }
  async function query(url: string, text: string) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows as Record<string, string>[]
    } finally {
      await client.end()
    }
  }
  const rowsOf = async (db: Driver, text: string) => (await db.query({ text, values: [] })).rows
  const executed = async (db: Driver, ...texts: string[]) => {
    for (const text of texts) await db.session((run) => run({ text, values: [] }))
  }
  const reading = (db: Driver) => ({ run: db.query.bind(db) })

  /** Each table with its columns and key, in a stable order. */
  const sorted = (tables: TableShape[]) =>
    Object.fromEntries(tables.map(({ name, columns, key }) => [name, { columns: [...columns].sort(), key }]))

  it('has every table of the embedded database, with all columns and the primary key', async () => {
    await sqlite('catalogue').close()
    const db = new Database(join(folder, 'catalogue', DATABASE_FILE), { readonly: true })
    const all = (text: string) => db.prepare(text).all() as { name: string; pk: number; sql: string | null }[]
    const tables = all(`SELECT name, sql FROM sqlite_master WHERE type = 'table'`)
    const found = tables.flatMap(({ name }) => {
      if (STAYS.includes(name) || name.startsWith('sqlite_') || name.startsWith('search_text_')) return []
      const columns = all(`SELECT name, pk FROM pragma_table_info('${name}')`)
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
      return [{ name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) }]
    })
    db.close()
    expect(found.length).toBeGreaterThan(14)
    expect(sorted(copiedTables())).toEqual(sorted(found))
  })

  it('has every table of PostgreSQL, with all columns and the primary key', async () => {
    const { driver, url } = await postgres()
    await driver.close()
    const columns = await query(
      url,
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`,
    )
    const keys = await query(
      url,
      `SELECT table_name, column_name FROM information_schema.key_column_usage ORDER BY ordinal_position`,
    )
    const names = [...new Set(columns.map((row) => row.table_name as string))].filter(
      // slices of a table of its own
      (name) => !STAYS.includes(name) && !name.startsWith('search_text_'),
    )
    const of = (rows: Record<string, string>[], name: string) =>
      rows.filter((row) => row.table_name === name).map((row) => row.column_name as string)
    const found = names.map((name) => ({ name, columns: of(columns, name), key: of(keys, name) }))
    expect(sorted(copiedTables())).toEqual(sorted(found))
  })

  it('includes every table whose loss would allow replays, and each table has a key (threat 66)', () => {
    expect(durableTables()).toEqual(expect.arrayContaining(DURABLE_TABLES))
    for (const { name, key } of copiedTables()) expect([name, key.length]).not.toEqual([name, 0])
  })

  it('writes new and changed rows, and deletes missing ones, in both directions', async () => {
    const { driver: other } = await postgres()
    const own = sqlite()
    for (const [from, to] of [
      [own, other],
      [other, own],
    ] as const) {
      await executed(
        from,
        `DELETE FROM proofs`,
        `INSERT INTO proofs (id, kind, body, due_at, attempts) VALUES ('same', 'http', 'ü', 1, 0), ('new', 'http', '', NULL, 2)`,
      )
      await executed(
        to,
        `DELETE FROM proofs`,
        `INSERT INTO proofs (id, kind, body, due_at, attempts) VALUES ('same', 'http', 'ü', 1, 0), ('new', 'x', 'y', 9, 1), ('gone', 'http', '', 1, 1)`,
      )
      const table = copiedTables().filter(({ name }) => name === 'proofs')
      expect(await copyTables(table, reading(from), to)).toEqual([{ table: 'proofs', rows: 2, written: 1, removed: 1 }])
      const all = 'SELECT * FROM proofs ORDER BY id'
      expect(await rowsOf(to, all)).toEqual(await rowsOf(from, all))
      expect(await copyTables(table, reading(from), to)).toEqual([{ table: 'proofs', rows: 2, written: 0, removed: 0 }])
    }
    await Promise.all([own.close(), other.close()])
  })

  it('never lowers or removes nonces, revoked tokens and the cut-over time', async () => {
    const [from, to] = [sqlite(), sqlite()]
    const [low, high] = ['1', '9'].map((digit) => digit.padStart(40, '0'))
    await executed(
      from,
      `INSERT INTO nonces VALUES ('a', '${low}'), ('b', '${high}')`,
      `INSERT INTO wallet_nonces VALUES ('a', 1, '${low}')`,
      'INSERT INTO cut_over VALUES (1, 1000)',
    )
    await executed(
      to,
      `INSERT INTO nonces VALUES ('a', '${high}'), ('b', '${low}'), ('c', '${low}')`,
      `INSERT INTO wallet_nonces VALUES ('a', 1, '${high}')`,
      `INSERT INTO revocations VALUES ('jti', 5)`,
      'INSERT INTO cut_over VALUES (1, 2000)',
    )
    await copyTables(copiedTables(), reading(from), to)
    expect(await rowsOf(to, 'SELECT * FROM nonces ORDER BY address')).toEqual([
      { address: 'a', nonce: high },
      { address: 'b', nonce: high },
      { address: 'c', nonce: low },
    ])
    expect(await rowsOf(to, 'SELECT nonce FROM wallet_nonces')).toEqual([{ nonce: high }])
    expect(await rowsOf(to, 'SELECT jti FROM revocations')).toEqual([{ jti: 'jti' }])
    expect(await rowsOf(to, 'SELECT at FROM cut_over')).toEqual([{ at: 2000 }])
    await Promise.all([from.close(), to.close()])
  })

  it('copies rows that have swapped a unique value, and deletes rows among hundreds', async () => {
    const [from, { driver: to }] = [sqlite(), await postgres()]
    const readings = (first: string, second: string) =>
      `INSERT INTO index_reading VALUES (1, 1, '${first}', 0, 7), (-5, 1, '${second}', 0, 8)`
    const days = Array.from({ length: 1500 }, (_, day) => `(${day}, 1)`)
    await executed(from, readings('next', 'live'), `INSERT INTO proof_days VALUES ${days.slice(0, 1100).join(', ')}`)
    await executed(to, readings('live', 'next'), `INSERT INTO proof_days VALUES ${days.slice(100).join(', ')}`)
    const copied = await copyTables(copiedTables(), reading(from), to)
    expect(copied.find(({ table }) => table === 'proof_days')).toMatchObject({ rows: 1100, written: 100, removed: 400 })
    for (const { name, key } of copiedTables()) {
      const all = `SELECT * FROM ${name} ORDER BY ${key.join(', ')}`
      expect(await rowsOf(to, all)).toEqual(await rowsOf(from, all))
    }
    await Promise.all([from.close(), to.close()])
  })

  it('copies columns of other types: generated ids, booleans, floating-point numbers, bytes', async () => {
    const [first, { driver: second }] = [sqlite(), await postgres()]
    await executed(
      first,
      'CREATE TABLE odd (id INTEGER PRIMARY KEY AUTOINCREMENT, yes BOOLEAN, part REAL, raw BLOB)',
      `INSERT INTO odd VALUES (7, 0, 0.5, x'00ff'), (9, 1, NULL, NULL)`,
    )
    await executed(
      second,
      'CREATE TABLE odd (id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, yes BIGINT, part DOUBLE PRECISION, raw BYTEA)',
    )
    const odd: TableShape = { name: 'odd', columns: ['id', 'yes', 'part', 'raw'], key: ['id'] }
    await copyTables([odd], reading(first), second)
    const [row] = await rowsOf(second, 'SELECT yes, part, raw FROM odd WHERE id = 7')
    expect(row).toMatchObject({ yes: 0, part: 0.5 })
    expect(Buffer.from(row?.raw as unknown as Uint8Array).toString('hex')).toBe('00ff')
    await executed(second, 'INSERT INTO odd (yes) VALUES (1)', 'ALTER TABLE odd ALTER yes TYPE BOOLEAN USING yes = 1')
    await copyTables([odd], reading(second), first)
    expect(await rowsOf(first, 'SELECT id, yes FROM odd ORDER BY id')).toEqual([
      { id: 7, yes: 0 },
      { id: 9, yes: 1 },
      { id: 10, yes: 1 },
    ])
    await Promise.all([first.close(), second.close()])
  })
})
