import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { MIGRATIONS } from './migrations/index.js'
import { sqliteIndexStore } from './sqlite-index.js'
import { sqliteProofStore } from './sqlite-proofs.js'
import { firstRow, type Guard, guardOf } from './sqlite-tools.js'
import type { NonceStore, RevocationStore, StateStore } from './store.js'

/** Name of the database file inside the state folder. */
export const DATABASE_FILE = 'tidegate.sqlite'

/**
 * The embedded store: one SQLite file in WAL mode, synced at every commit, so that what was accepted survives
 * kill -9 and power loss. Several processes of one machine may share it.
 */
export function openSqliteStore(folder: string): StateStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = new Database(join(folder, DATABASE_FILE), { timeout: 5000 })
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  migrate(db)
  const guarded = guardOf(db)
  return {
    nonces: nonceStore(db, guarded),
    revocations: revocationStore(db, guarded),
    index: sqliteIndexStore(db, guarded),
    proofs: sqliteProofStore(db, guarded),
    async close() {
      if (db.open) db.close()
    },
  }
}

function migrate(db: Database.Database): void {
  db.transaction(() => {
    const version = (db.pragma('user_version') as { user_version: number }[])[0]?.user_version ?? 0
    if (version > MIGRATIONS.length) throw new Error('The state database was made by a newer version of Tidegate.')
    for (const step of MIGRATIONS.slice(version)) db.exec(step)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  }).immediate()
}

function nonceStore(db: Database.Database, guarded: Guard): NonceStore {
  const last = db.prepare('SELECT nonce FROM nonces WHERE address = ?')
  const consume = db.prepare(
    `INSERT INTO nonces (address, nonce) VALUES (?, ?)
     ON CONFLICT (address) DO UPDATE SET nonce = excluded.nonce WHERE excluded.nonce > nonces.nonce`,
  )
  return {
    last: (address) => guarded(() => firstRow<{ nonce: string }>(last, address)?.nonce),
    consume: (address, sortKey) => guarded(() => consume.run(address, sortKey).changes === 1),
  }
}

function revocationStore(db: Database.Database, guarded: Guard): RevocationStore {
  const revoke = db.prepare('INSERT INTO revocations (jti, expires_at) VALUES (?, ?) ON CONFLICT (jti) DO NOTHING')
  const find = db.prepare('SELECT 1 AS found FROM revocations WHERE jti = ?')
  const purge = db.prepare('DELETE FROM revocations WHERE expires_at < ?')
  return {
    revoke: (jti, expiresAt) => guarded(() => revoke.run(jti, expiresAt).changes === 1),
    isRevoked: (jti) => guarded(() => find.get(jti) !== undefined),
    purge: (now) => guarded(() => void purge.run(now)),
  }
}
