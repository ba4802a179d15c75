import { type Driver, sql, sqlOne } from '@tidegate/database'

export interface RevocationStore {
  /** Revokes a token id; expiresAt in seconds since 1970. Returns false if the id is revoked already. */
  revoke(jti: string, expiresAt: number): Promise<boolean>
  isRevoked(jti: string): Promise<boolean>
  /** Deletes the revocations of tokens that expired before `now` (seconds since 1970). */
  purge(now: number): Promise<void>
}

const REVOKE = sql('INSERT INTO revocations (jti, expires_at) VALUES (:jti, :expiresAt) ON CONFLICT (jti) DO NOTHING', {
  isRepeatable: true,
})
const FIND = sqlOne('SELECT 1 AS found FROM revocations WHERE jti = :jti')
const PURGE = sql('DELETE FROM revocations WHERE expires_at < :now')

/** Creates the store of revoked tokens. */
export function revocationStore(db: Driver): RevocationStore {
  return {
    revoke: async (jti, expiresAt) => (await db.query(REVOKE({ jti, expiresAt }))).changes === 1,
    isRevoked: async (jti) => (await db.query(FIND({ jti }))).rows.length > 0,
    purge: async (now) => void (await db.query(PURGE({ now }))),
  }
}
