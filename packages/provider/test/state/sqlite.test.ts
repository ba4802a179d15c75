import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { sized } from '../../../../test/helpers/sizes.js'
import { forkNonceWriter } from '../../../../test/helpers/states.js'
import { DATABASE_FILE } from '../../../database/src/sqlite-file.js'
import { migrationsFor } from '../../src/state/migrations/index.js'
import { openSqliteStore } from '../../src/state/sqlite.js'

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

  it('rejects a database of a newer version', () => {
    const path = newFolder()
    const db = new Database(join(path, DATABASE_FILE))
    db.pragma('user_version = 9999')
    db.close()
    expect(() => openSqliteStore(path)).toThrow('newer version')
  })

  /** A database as it was before the migration that contains some words. */
  function databaseBefore(words: string, path: string): Database.Database {
    const db = new Database(join(path, DATABASE_FILE))
    const before = migrationsFor('sqlite').findIndex((step) => step.includes(words))
    for (const step of migrationsFor('sqlite').slice(0, before)) db.exec(step)
    db.pragma(`user_version = ${before}`)
    return db
  }

  it('migrates documents of earlier versions as encrypted ones (threat 54)', async () => {
    const path = newFolder()
    const db = databaseBefore('COLUMN encrypted', path)
    db.exec(`
      INSERT INTO index_cursor (chain_id, block, hash) VALUES (1, 9, '0x9');
      INSERT INTO index_nft VALUES (1, '0x1', 'n', 's', '', '0x2', '');
      INSERT INTO index_asset (did, chain_id, nft, state, ddo, tx_id, block, sender, timestamp)
      VALUES ('did:op:1', 1, '0x1', 0, '{}', '0x', 1, '0x2', 1);
    `)
    db.close()
    const { index, close } = openSqliteStore(path)
    expect((await index.asset('did:op:1'))?.metadata).toMatchObject({ ddo: '{}', encrypted: true })
    await close()
  })

  it('migrates nonces that wallets shared across all chains (threat 63)', async () => {
    const path = newFolder()
    const address = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
    const key = (text: string) => text.padStart(40, '0')
    const db = databaseBefore('wallet_nonces', path)
    db.prepare('INSERT INTO nonces (address, nonce) VALUES (?, ?)').run([address, key('9')])
    db.close()
    const { nonces, close } = openSqliteStore(path)
    expect([await nonces.last(address), await nonces.last(address, 1)]).toEqual([key('9'), key('9')])
    const taken = [
      await nonces.consume(address, key('9'), 1),
      await nonces.consume(address, key('9')),
      await nonces.consume(address, key('10'), 1),
      await nonces.consume(address, key('10'), 2),
      await nonces.consume(address, key('10')),
    ]
    expect(taken).toEqual([false, false, true, true, true])
    await close()
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
      const last = (await store.nonces.last('0xe2DD09d719Da89e5a3D0F2549c7E24566e947260')) as string
      expect(last >= accepted).toBe(true)
      expect(await store.nonces.consume('0xe2DD09d719Da89e5a3D0F2549c7E24566e947260', accepted)).toBe(false)
      await store.close()
    }
  })
})
