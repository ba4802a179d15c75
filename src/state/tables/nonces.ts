import { LRUCache } from 'lru-cache'
import { type Driver, sql, sqlOne } from '../sql.js'
import type { NonceStore } from '../store.js'

const OWN = sqlOne('SELECT nonce FROM nonces WHERE address = :address')
const CONSUME = sql(
  `INSERT INTO nonces (address, nonce) VALUES (:address, :sortKey)
   ON CONFLICT (address) DO UPDATE SET nonce = excluded.nonce WHERE excluded.nonce > nonces.nonce`,
)

/** What an address used up itself, and the last one of the wallets with it. */
function lastOf(wallets: string) {
  return sqlOne(
    `SELECT (SELECT nonce FROM nonces WHERE address = :address) AS own,
       (SELECT max(nonce) FROM wallet_nonces WHERE ${wallets}) AS wallets`,
  )
}
const OF_ALL = lastOf('address = :address')
const OF_WALLET = lastOf('address = :address AND chain_id = :chainId')
const CONSUME_WALLET = sql(
  `INSERT INTO wallet_nonces (address, chain_id, nonce)
   SELECT CAST(:address AS TEXT), CAST(:chainId AS BIGINT), CAST(:sortKey AS TEXT)
   WHERE NOT EXISTS (SELECT 1 FROM nonces WHERE address = :address AND nonce >= :sortKey)
   ON CONFLICT (address, chain_id) DO UPDATE SET nonce = excluded.nonce WHERE excluded.nonce > wallet_nonces.nonce`,
)

/** Accounts whose last nonce is remembered. */
const REMEMBERED = 100_000

export function nonceStore(db: Driver): NonceStore {
  // at most what the database has, since nonces only grow: good to refuse with, never to accept
  const seen = new LRUCache<string, string>({ max: REMEMBERED })
  const keyOf = (address: string, chainId?: number) => (chainId === undefined ? address : `${address} ${chainId}`)
  const remember = (key: string, last: string | null | undefined) => {
    if (last && last > (seen.get(key) ?? '')) seen.set(key, last)
  }
  async function last(address: string, chainId?: number) {
    const query = chainId === undefined ? OF_ALL({ address }) : OF_WALLET({ address, chainId })
    const { own, wallets } = (await db.query(query)).rows[0] as { own: string | null; wallets: string | null }
    const greatest = (wallets ?? '') > (own ?? '') ? wallets : own
    remember(address, own)
    if (chainId !== undefined) remember(keyOf(address, chainId), greatest)
    return greatest ?? undefined
  }
  async function lastOwn(address: string) {
    const own = (await db.query(OWN({ address }))).rows[0]?.nonce as string | undefined
    remember(address, own)
    return own
  }
  return {
    last,
    async mayPass(address, sortKey, chainId) {
      const asked = () => (chainId === undefined ? lastOwn(address) : last(address, chainId))
      const known = seen.get(keyOf(address, chainId)) ?? (await asked())
      return known === undefined || sortKey > known
    },
    async consume(address, sortKey, chainId) {
      const query =
        chainId === undefined ? CONSUME({ address, sortKey }) : CONSUME_WALLET({ address, chainId, sortKey })
      const consumed = (await db.query(query)).changes === 1
      if (consumed) remember(keyOf(address, chainId), sortKey)
      return consumed
    },
  }
}
