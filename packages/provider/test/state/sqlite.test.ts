import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { sized } from '../../../../test/helpers/sizes.js'
import { forkNonceWriter, WRITER_ADDRESS } from '../../../../test/helpers/states.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import { backupState } from '../../src/state/transfer/backup.js'
import { checkState, type Finding } from '../../src/state/transfer/check.js'
import { restoreState } from '../../src/state/transfer/restore.js'

const KILLS = sized(4, 10)

describe('sqlite store', () => {
  it('uses a write-ahead log', async () => {
    const path = newFolder()
    const store = openSqliteStore(path)
    const db = new Database(join(path, DATABASE_FILE))
    expect(db.pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }])
    db.close()
    await store.close()
  })

  it('rejects a database of a newer version', async () => {
    const path = newFolder()
    await openSqliteStore(path).close()
    const db = new Database(join(path, DATABASE_FILE))
    for (const newer of ["'auth', 9999", "'of a later version', 1"]) {
      db.exec(`INSERT OR REPLACE INTO tidegate_schema (owner, version) VALUES (${newer})`)
      expect(() => openSqliteStore(path), newer).toThrow('newer version')
      db.exec('DELETE FROM tidegate_schema')
    }
    db.close()
  })

  it('brings a backup of an earlier version to this one', async () => {
    const place = { kind: 'embedded', folder: join(newFolder(), 'old') } as const
    const store = openSqliteStore(place.folder)
    const nonce = '5'.padStart(40, '0')
    expect(await store.nonces.consume(WRITER_ADDRESS, nonce)).toBe(true)
    await store.close()
    const db = new Database(join(place.folder, DATABASE_FILE))
    db.exec("DROP TABLE webhook_events; DELETE FROM tidegate_schema WHERE owner = 'webhooks'")
    db.close()
    const backup = join(place.folder, 'backup.sqlite')
    await backupState(place, backup)
    const found: Finding[] = []
    for await (const one of checkState({ kind: 'file', path: backup })) found.push(one)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
    expect(found[0]?.text).toBe('schema: of an earlier version, the next start upgrades it')
    const to = { kind: 'embedded', folder: join(place.folder, 'restored') } as const
    await restoreState(backup, to, { folder: to.folder, report: () => undefined, now: 0 })
    for (const { folder } of [place, to]) {
      const upgraded = openSqliteStore(folder)
      expect(await upgraded.nonces.last(WRITER_ADDRESS)).toBe(nonce)
      expect(await upgraded.events.count()).toBe(0)
      await upgraded.close()
    }
  })

  it(`loses no accepted nonce in ${KILLS} rounds of kill -9`, async () => {
    const path = newFolder()
    for (let round = 0; round < KILLS; round++) {
      const child = forkNonceWriter(path)
      let accepted = ''
      child.on('message', (sortKey: string) => {
        accepted = sortKey
        // kills it while it writes the next ones
        if (Number(sortKey) % 50 === 0) child.kill('SIGKILL')
      })
      await once(child, 'exit')
      const store = openSqliteStore(path)
      const last = (await store.nonces.last(WRITER_ADDRESS)) as string
      expect(last >= accepted).toBe(true)
      expect(await store.nonces.consume(WRITER_ADDRESS, accepted)).toBe(false)
      await store.close()
    }
  })
})
