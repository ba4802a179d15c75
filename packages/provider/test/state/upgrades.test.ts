import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresBackend, startPostgres } from '../../../../test/helpers/backends.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type Filled, makeOldPostgres, makeOldSqlite } from '../../../../test/helpers/old-states.js'
import { onPostgres } from '../../../../test/helpers/states.js'
import type { Driver } from '../../../database/src/sql.js'
import { DATABASE_FILE } from '../../../database/src/sqlite-file.js'
import { migrationsFor } from '../../src/state/migrations/index.js'
import { openPostgres } from '../../src/state/postgres.js'
import { openSqlite } from '../../src/state/sqlite.js'
import { backupState } from '../../src/state/transfer/backup.js'
import { restoreState } from '../../src/state/transfer/restore.js'
import { allTables } from '../../src/state/transfer/schema.js'

const VERSIONS = migrationsFor('sqlite').map((_, at) => at + 1)

/** Tables that a later migration empties on purpose, to be read again, and the first version whose rows are kept. */
const EMPTIED: [table: RegExp, since: number][] = [[/^index_(cursor|nft|datatoken|asset)$/, 2]]

/** Databases of every earlier version with rows in every table, opened by the current version. */
describe.each(VERSIONS)('a database of version %i', (version) => {
  const folder = newFolder()
  let server: PostgresBackend

  beforeAll(async () => {
    server = await shared()
  })

  it('loses nothing when opened as an embedded database, or restored from its backup', async () => {
    const place = { kind: 'embedded', folder: join(folder, 'old') } as const
    mkdirSync(place.folder)
    const filled = makeOldSqlite(join(place.folder, DATABASE_FILE), version)
    await backupState(place, join(folder, 'backup.sqlite'))
    const db = openSqlite(place.folder)
    await expectRows(db, filled, version)
    await db.close()
    const to = { kind: 'embedded', folder: join(folder, 'restored') } as const
    await restoreState(join(folder, 'backup.sqlite'), to, { folder: to.folder, report: () => undefined, now: 0 })
    const restored = openSqlite(to.folder)
    await expectRows(restored, filled, version)
    await restored.close()
  })

  it('loses nothing when opened in PostgreSQL', async () => {
    const url = server.url(`old_${version}`)
    await onPostgres(server.url(), `CREATE DATABASE old_${version}`)
    const filled = await makeOldPostgres(url, version)
    const db = await openPostgres({ url, connections: 2, timeout: 60_000 })
    await expectRows(db, filled, version)
    await db.close()
  })
})

let running: Promise<PostgresBackend> | undefined
const shared = () => {
  running ??= startPostgres()
  return running
}
afterAll(async () => (await running)?.close())

/** Asserts that every row still exists with the same values, in the columns that still exist. */
async function expectRows(db: Driver, filled: Filled[], version: number): Promise<void> {
  const now = new Map(allTables().map((table) => [table.name, table]))
  let found = 0
  for (const { name, rows } of filled) {
    const table = now.get(name)
    expect(table, `the table ${name} is gone`).toBeDefined()
    if (EMPTIED.some(([pattern, since]) => pattern.test(name) && version < since)) continue
    // rebuilt from the index in the other database
    if (name.startsWith('search_')) continue
    const all = (await db.query({ text: `SELECT * FROM ${name}`, values: [] })).rows
    for (const row of rows) {
      // a restored state records the id of the backed-up one, and has a new id
      const kept = name === 'identity' ? ['id'] : (table?.columns ?? [])
      const columns = Object.keys(row).filter((column) => kept.includes(column))
      const same = all.filter((one) => columns.every((column) => one[column] === row[column]))
      expect(same, `a row of ${name}: ${JSON.stringify(row)} in ${JSON.stringify(all)}`).toHaveLength(1)
      found += 1
    }
  }
  expect(found).toBeGreaterThan(4)
}
