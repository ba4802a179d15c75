import { type Driver, sql, sqlOne } from '@tidegate/database'

/** When and to whom a token was issued, or a link. */
export interface Issued {
  address: string
  /** Seconds since 1970. */
  at: number
}

export interface RevocationStore {
  /** Revokes a token id; expiresAt in seconds since 1970. Returns false if the id is revoked already. */
  revoke(jti: string, expiresAt: number): Promise<boolean>
  /** Returns whether a token is revoked, or was issued before its account was forgotten. Undefined: a link without a token. */
  isRevoked(jti: string | undefined, issued?: Issued): Promise<boolean>
  /** Deletes the revocations of tokens that expired before `now` (seconds since 1970). */
  purge(now: number): Promise<void>
}

const REVOKE = sql('INSERT INTO revocations (jti, expires_at) VALUES (:jti, :expiresAt) ON CONFLICT (jti) DO NOTHING', {
  isRepeatable: true,
})
const FIND = sqlOne(
  `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM revocations WHERE jti = :jti)
   OR EXISTS (SELECT 1 FROM forgotten_accounts WHERE address = :address AND at >= :at)`,
)
const PURGE = sql('DELETE FROM revocations WHERE expires_at < :now')

/** Creates the store of revoked tokens. */
export function revocationStore(db: Driver): RevocationStore {
  return {
    revoke: async (jti, expiresAt) => (await db.query(REVOKE({ jti, expiresAt }))).changes === 1,
    isRevoked: async (jti = '', issued = { address: '', at: 0 }) =>
      (await db.query(FIND({ jti, ...issued }))).rows.length > 0,
    purge: async (now) => void (await db.query(PURGE({ now }))),
  }
}
