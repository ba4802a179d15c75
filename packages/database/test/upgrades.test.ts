import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../test/helpers/postgres-database.js'
import { openPostgres } from '../src/postgres/postgres.js'
import type { Schema, Tables } from '../src/schema.js'
import { openSqlite } from '../src/sqlite/sqlite.js'

const FIRST = 'CREATE TABLE tides (hour BIGINT PRIMARY KEY, name BYTE_ORDERED NOT NULL) STORED_BY_KEY'
const SECOND =
  "ALTER TABLE tides ADD COLUMN height BIGINT; UPDATE tides SET height = 7; INSERT INTO tides VALUES (9, 'z', 1)"
const tides = (...migrations: string[]): Tables => ({ owner: 'tides', migrations })
const waves: Tables = { owner: 'waves', migrations: ['CREATE TABLE waves (height BIGINT NOT NULL)'] }

describe.each(['sqlite', 'postgres'] as const)('the schema of a database: %s', (dialect) => {
  let server: PostgresDatabase | undefined
  const folder = newFolder()
  beforeAll(async () => {
    if (dialect === 'postgres') server = await startPostgres()
  })
  afterAll(() => server?.close())
  const open = async (tables: Tables[], options: { readOnly?: boolean; rest?: Partial<Schema> } = {}) => {
    const { readOnly = false, rest } = options
    const schema = { tables, ...rest }
    if (server) return openPostgres(schema, { url: server.url(), connections: 2, timeout: 60_000, readOnly })
    return openSqlite(folder, schema, { readOnly })
  }
  const rowsOf = async (tables: Tables[], text: string) => {
    const db = await open(tables)
    try {
      return (await db.query({ text, values: [] })).rows
    } finally {
      await db.close()
    }
  }
  const all = 'SELECT * FROM tides ORDER BY hour'

  it('is brought to the version of each owner, whose rows stay', async () => {
    const add = "INSERT INTO tides (hour, name) VALUES (1, 'b'), (2, 'B') RETURNING hour"
    expect(await rowsOf([tides(FIRST)], add)).toHaveLength(2)
    expect(await rowsOf([tides(FIRST)], all)).toEqual([
      { hour: 1, name: 'b' },
      { hour: 2, name: 'B' },
    ])
    // by bytes, whatever the collation
    expect(await rowsOf([tides(FIRST)], 'SELECT min(name) AS least FROM tides')).toEqual([{ least: 'B' }])
    const upgraded = [
      { hour: 1, name: 'b', height: 7 },
      { hour: 2, name: 'B', height: 7 },
      { hour: 9, name: 'z', height: 1 },
    ]
    // the second opening changes nothing
    for (let opened = 0; opened < 2; opened++) expect(await rowsOf([tides(FIRST, SECOND)], all)).toEqual(upgraded)
    // an owner that comes later
    expect(await rowsOf([waves, tides(FIRST, SECOND)], 'SELECT * FROM waves')).toEqual([])
    expect(await rowsOf([tides(FIRST, SECOND), waves], all)).toEqual(upgraded)
  })

  it('is unchanged if one of several migrations fails, or the statement after them', async () => {
    const failing: Tables = {
      owner: 'failing',
      migrations: ['CREATE TABLE half (n BIGINT)', 'SELECT nothing FROM nowhere'],
    }
    await expect(open([tides(FIRST, SECOND), waves, failing])).rejects.toThrow()
    const rest = { afterMigration: () => ({ text: 'DELETE FROM nowhere', values: [] }) }
    await expect(
      open([tides(FIRST, SECOND), waves, { ...failing, migrations: [failing.migrations[0] as string] }], { rest }),
    ).rejects.toThrow()
    expect(await rowsOf([tides(FIRST, SECOND), waves], all)).toHaveLength(3)
    await expect(rowsOf([tides(FIRST, SECOND), waves], 'SELECT * FROM half')).rejects.toThrow()
  })

  it('is refused if it is newer, and to a reader if it is another one', async () => {
    await expect(open([tides(FIRST), waves])).rejects.toThrow('newer version')
    await expect(open([tides(FIRST, SECOND)])).rejects.toThrow('newer version')
    await expect(open([tides(FIRST)], { readOnly: true })).rejects.toThrow('newer version')
    const later = [tides(FIRST, SECOND, 'DROP TABLE tides'), waves]
    await expect(open(later, { readOnly: true })).rejects.toThrow('another version')
    const reader = await open([tides(FIRST, SECOND), waves], { readOnly: true })
    expect((await reader.query({ text: all, values: [] })).rows).toHaveLength(3)
    await reader.close()
  })
})
