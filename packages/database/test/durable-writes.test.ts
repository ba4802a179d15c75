import fs, { type NoParamCallback } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { type Driver, sql, sqlOne } from '../src/sql.js'
import { openSqlite } from '../src/sqlite/sqlite.js'
import { DATABASE_FILE } from '../src/sqlite/sqlite-file.js'

/** Numbers that only grow, as nonces do. */
const TABLES = { owner: 'test', migrations: ['CREATE TABLE grown (name TEXT PRIMARY KEY, number BIGINT NOT NULL)'] }
const GROW = sql(
  `INSERT INTO grown (name, number) VALUES (:name, :number)
   ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE excluded.number > grown.number`,
)
const LAST = sqlOne('SELECT number FROM grown WHERE name = :name')

const DISK_ERROR = Object.assign(new Error('EIO'), { code: 'EIO' })

describe('writes to the embedded database', () => {
  let path: string
  let db: Driver
  /** Syncs that wait for the test to end them. */
  let syncs: NoParamCallback[]
  beforeEach(() => {
    path = newFolder()
    db = openSqlite(path, { tables: [TABLES] })
    syncs = []
    vi.spyOn(fs, 'fdatasync').mockImplementation((_file, done) => void syncs.push(done))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const done of syncs.splice(0)) done(null)
    await db.close()
  })
  const synced = async (error: NodeJS.ErrnoException | null = null) => {
    await vi.waitUntil(() => syncs.length > 0)
    syncs.shift()?.(error)
  }
  /** Raises a number, and records whether it grew. */
  function raise(number: number, name = 'a') {
    const write: { outcome?: boolean | string } = {}
    void db.query(GROW({ name, number })).then(
      ({ changes }) => {
        write.outcome = changes === 1
      },
      (error: Error) => {
        write.outcome = error.name
      },
    )
    return write
  }
  const last = async (name = 'a') => (await db.query(LAST({ name }))).rows[0]?.number

  it('are acknowledged after a sync that began after their commit, while the event loop reads them', async () => {
    const first = raise(1)
    await vi.waitUntil(() => syncs.length === 1)
    const [second, third] = [raise(2, 'b'), raise(3, 'c')]
    await vi.waitUntil(async () => (await last('c')) === 3)
    expect([first, second, third, syncs.length]).toEqual([{}, {}, {}, 1])
    await synced()
    await vi.waitUntil(() => syncs.length === 1 && first.outcome === true)
    expect([second, third]).toEqual([{}, {}])
    // one sync for both
    await synced()
    await vi.waitUntil(() => third.outcome !== undefined)
    expect([second, third, syncs.length]).toEqual([{ outcome: true }, { outcome: true }, 0])
  })

  it('are refused if the sync fails, and never accepted later', async () => {
    const [first, waiting] = [raise(1), raise(2, 'b')]
    await vi.waitUntil(() => syncs.length === 1)
    const behind = raise(3, 'c')
    await vi.waitUntil(async () => (await last('c')) === 3)
    await synced(DISK_ERROR)
    await vi.waitUntil(() => behind.outcome !== undefined)
    expect([first, waiting, behind].map(({ outcome }) => outcome)).toEqual(Array(3).fill('StateError'))
    expect(syncs).toEqual([])
    // the probe of the health check writes, after a checkpoint has emptied the log
    const health = db.checkHealth()
    await synced()
    await synced()
    expect(await health).toBeUndefined()
    expect(fs.statSync(join(path, `${DATABASE_FILE}-wal`)).size).toBeLessThan(100_000)
    const replays = [raise(1), raise(2, 'b'), raise(3, 'c')]
    await vi.waitUntil(() => {
      for (const done of syncs.splice(0)) done(null)
      return replays.every(({ outcome }) => outcome !== undefined)
    })
    expect(replays.map(({ outcome }) => outcome)).toEqual([false, false, false])
  })

  it('are refused as long as the log cannot be repaired after a failed sync', async () => {
    const first = raise(1)
    await synced(DISK_ERROR)
    await vi.waitUntil(() => first.outcome === 'StateError')
    const reader = new Database(join(path, DATABASE_FILE))
    reader.exec('BEGIN')
    reader.prepare('SELECT * FROM grown').all()
    const second = raise(2)
    await vi.waitUntil(() => second.outcome === 'StateError', 20_000)
    reader.exec('ROLLBACK')
    reader.close()
    const third = raise(3)
    await synced()
    await vi.waitUntil(() => third.outcome === true)
  })

  it('wait for the lock of another process while the event loop goes on, then share one commit', async () => {
    const other = new Database(join(path, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    const writes = [raise(1), raise(2, 'b')]
    for (let turns = 0; turns < 100; turns++) await turn()
    expect(await last()).toBeUndefined()
    writes.push(raise(3, 'c'))
    expect(writes).toEqual([{}, {}, {}])
    other.exec('ROLLBACK')
    other.close()
    await synced()
    await vi.waitUntil(() => writes.every(({ outcome }) => outcome === true))
    expect(syncs).toEqual([])
  })

  it('are refused after the wait for a lock, and not written later', async () => {
    const other = new Database(join(path, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    const write = raise(1)
    await vi.waitUntil(() => write.outcome === 'StateError', 20_000)
    other.exec('ROLLBACK')
    other.close()
    for (let turns = 0; turns < 100; turns++) await turn()
    expect(await last()).toBeUndefined()
  })
})
