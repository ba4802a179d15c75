import { type Driver, sql, sqlOne } from '../sql.js'
import type { NonceStore } from '../store.js'

const LAST = sqlOne('SELECT nonce FROM nonces WHERE address = :address')
const CONSUME = sql(
  `INSERT INTO nonces (address, nonce) VALUES (:address, :sortKey)
   ON CONFLICT (address) DO UPDATE SET nonce = excluded.nonce WHERE excluded.nonce > nonces.nonce`,
)

export function nonceStore(db: Driver): NonceStore {
  return {
    last: async (address) => (await db.query(LAST({ address }))).rows[0]?.nonce as string | undefined,
    consume: async (address, sortKey) => (await db.query(CONSUME({ address, sortKey }))).changes === 1,
  }
}
