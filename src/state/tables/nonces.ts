import { LRUCache } from 'lru-cache'
import { type Driver, sql, sqlOne } from '../sql.js'
import type { NonceStore } from '../store.js'

const LAST = sqlOne('SELECT nonce FROM nonces WHERE address = :address')
const CONSUME = sql(
  `INSERT INTO nonces (address, nonce) VALUES (:address, :sortKey)
   ON CONFLICT (address) DO UPDATE SET nonce = excluded.nonce WHERE excluded.nonce > nonces.nonce`,
)

/** Accounts whose last nonce is remembered. */
const REMEMBERED = 100_000

export function nonceStore(db: Driver): NonceStore {
  // at most what the database has, since nonces only grow: good to refuse with, never to accept
  const seen = new LRUCache<string, string>({ max: REMEMBERED })
  const last = async (address: string) => {
    const found = (await db.query(LAST({ address }))).rows[0]?.nonce as string | undefined
    if (found !== undefined) seen.set(address, found)
    return found
  }
  return {
    last,
    async mayPass(address, sortKey) {
      const known = seen.get(address) ?? (await last(address))
      return known === undefined || sortKey > known
    },
    async consume(address, sortKey) {
      const consumed = (await db.query(CONSUME({ address, sortKey }))).changes === 1
      if (consumed && sortKey > (seen.get(address) ?? '')) seen.set(address, sortKey)
      return consumed
    },
  }
}
