import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { StateError } from '../errors.js'
import { MIGRATIONS } from './migrations/index.js'
import { sqliteIndexStore } from './sqlite-index.js'
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
  return {
    nonces: nonceStore(db),
    revocations: revocationStore(db),
    index: sqliteIndexStore(db),
    async close() {
      if (db.open) db.close()
    },
  }
}

/** Runs a database step and turns whatever it throws into the one error that means "nothing was accepted". */
export async function guarded<T>(step: () => T): Promise<T> {
  try {
    return step()
  } catch {
    throw new StateError('STATE_UNAVAILABLE', 'The state store cannot be used now.')
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

function nonceStore(db: Database.Database): NonceStore {
  const last = db.prepare('SELECT nonce FROM nonces WHERE address = ?')
  const consume = db.prepare(
    `INSERT INTO nonces (address, nonce) VALUES (?, ?)
     ON CONFLICT (address) DO UPDATE SET nonce = excluded.nonce WHERE excluded.nonce > nonces.nonce`,
  )
  return {
    last: (address) => guarded(() => (last.get(address) as { nonce: string } | undefined)?.nonce),
    consume: (address, sortKey) => guarded(() => consume.run(address, sortKey).changes === 1),
  }
}

function revocationStore(db: Database.Database): RevocationStore {
  const revoke = db.prepare('INSERT INTO revocations (jti, expires_at) VALUES (?, ?) ON CONFLICT (jti) DO NOTHING')
  const find = db.prepare('SELECT 1 AS found FROM revocations WHERE jti = ?')
  const purge = db.prepare('DELETE FROM revocations WHERE expires_at < ?')
  return {
    revoke: (jti, expiresAt) => guarded(() => revoke.run(jti, expiresAt).changes === 1),
    isRevoked: (jti) => guarded(() => find.get(jti) !== undefined),
    purge: (now) => guarded(() => void purge.run(now)),
  }
}
