import fs, { type NoParamCallback } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { ALICE, key } from '../../../test/helpers/store-session.js'
import { openSqliteStore } from '../../provider/src/state/sqlite.js'
import type { StateStore } from '../../provider/src/state/stores.js'
import { DATABASE_FILE } from '../src/sqlite/sqlite-file.js'

const DISK_ERROR = Object.assign(new Error('EIO'), { code: 'EIO' })

describe('writes to the embedded database', () => {
  let path: string
  let store: StateStore
  /** Syncs that wait for the test to end them. */
  let syncs: NoParamCallback[]
  beforeEach(() => {
    path = newFolder()
    store = openSqliteStore(path)
    syncs = []
    vi.spyOn(fs, 'fdatasync').mockImplementation((_file, done) => void syncs.push(done))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const done of syncs.splice(0)) done(null)
    await store.close()
  })
  const synced = async (error: NodeJS.ErrnoException | null = null) => {
    await vi.waitUntil(() => syncs.length > 0)
    syncs.shift()?.(error)
  }
  /** Consumes a nonce, and records its outcome. */
  function consume(nonce: string, chainId?: number) {
    const write: { outcome?: boolean | string } = {}
    void store.nonces.consume(ALICE, key(nonce), chainId).then(
      (consumed) => {
        write.outcome = consumed
      },
      (error: Error) => {
        write.outcome = error.name
      },
    )
    return write
  }

  it('are acknowledged after a sync that began after their commit, while the event loop reads them', async () => {
    const first = consume('1')
    await vi.waitUntil(() => syncs.length === 1)
    const [second, third] = [consume('2', 1), consume('3', 2)]
    await vi.waitUntil(async () => (await store.nonces.last(ALICE, 2)) === key('3'))
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
    const [first, waiting] = [consume('1'), consume('2', 1)]
    await vi.waitUntil(() => syncs.length === 1)
    const behind = consume('3', 2)
    await vi.waitUntil(async () => (await store.nonces.last(ALICE, 2)) === key('3'))
    await synced(DISK_ERROR)
    await vi.waitUntil(() => behind.outcome !== undefined)
    expect([first, waiting, behind].map(({ outcome }) => outcome)).toEqual(Array(3).fill('StateError'))
    expect(syncs).toEqual([])
    // the probe of the health check writes, after a checkpoint has emptied the log
    const health = store.checkHealth()
    await synced()
    await synced()
    expect(await health).toBeUndefined()
    expect(fs.statSync(join(path, `${DATABASE_FILE}-wal`)).size).toBeLessThan(100_000)
    const replays = [consume('1'), consume('2', 1), consume('3', 2)]
    await vi.waitUntil(() => {
      for (const done of syncs.splice(0)) done(null)
      return replays.every(({ outcome }) => outcome !== undefined)
    })
    expect(replays.map(({ outcome }) => outcome)).toEqual([false, false, false])
  })

  it('are refused as long as the log cannot be repaired after a failed sync', async () => {
    const first = consume('1')
    await synced(DISK_ERROR)
    await vi.waitUntil(() => first.outcome === 'StateError')
    const reader = new Database(join(path, DATABASE_FILE))
    reader.exec('BEGIN')
    reader.prepare('SELECT * FROM nonces').all()
    const second = consume('2')
    await vi.waitUntil(() => second.outcome === 'StateError', 20_000)
    reader.exec('ROLLBACK')
    reader.close()
    const third = consume('3')
    await synced()
    await vi.waitUntil(() => third.outcome === true)
  })

  it('wait for the lock of another process while the event loop goes on, then share one commit', async () => {
    const other = new Database(join(path, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    const writes = [consume('1'), consume('2', 1)]
    for (let turns = 0; turns < 100; turns++) await turn()
    expect(await store.nonces.last(ALICE)).toBeUndefined()
    writes.push(consume('3', 2))
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
    const write = consume('1')
    await vi.waitUntil(() => write.outcome === 'StateError', 20_000)
    other.exec('ROLLBACK')
    other.close()
    for (let turns = 0; turns < 100; turns++) await turn()
    expect(await store.nonces.last(ALICE)).toBeUndefined()
  })
})
