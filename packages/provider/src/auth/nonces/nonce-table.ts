import { type Driver, sql, sqlOne } from '@tidegate/database'
import { type Address, upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import { PROVIDER_LIMITS } from '../../limits.js'

/**
 * The last nonces of accounts and contract wallets. Wallets have one per chain (`chainId`), since an address may have
 * another owner there. The nonce of an account is a lower bound for wallets at its address, so that no nonce decreases.
 */
export interface NonceStore {
  /** Returns the sort key of the last consumed nonce of an address. Without a chain, returns the greatest of all. */
  last(address: Address, chainId?: number): Promise<string | undefined>
  /**
   * Returns whether a nonce may be above the last one. False is final; true must be confirmed by `consume`. Queries the
   * database only for uncached addresses.
   */
  mayPass(address: Address, sortKey: string, chainId?: number): Promise<boolean>
  /** Stores the sort key if it is greater than the last one of this address, bytewise. Returns whether it was. Atomic. */
  consume(address: Address, sortKey: string, chainId?: number): Promise<boolean>
}

const OWN = sqlOne('SELECT nonce FROM nonces WHERE address = :address')
const CONSUME = sql(
  `INSERT INTO nonces (address, nonce) VALUES (:address, :sortKey)
   ON CONFLICT (address) DO UPDATE SET nonce = excluded.nonce WHERE excluded.nonce > nonces.nonce`,
  { isRepeatable: true },
)

/** SQL for the last nonce of an account, and the greatest of its contract wallets. */
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
  { isRepeatable: true },
)

/** Creates the store of nonces, with a cache of the last ones. */
export function nonceStore(db: Driver): NonceStore {
  // nonces only grow: a stale entry can refuse a nonce, but never accept one
  const cache = new LRUCache<string, string>(upTo(PROVIDER_LIMITS.nonces.cached))
  const keyOf = (address: string, chainId?: number) => (chainId === undefined ? address : `${address} ${chainId}`)
  const remember = (key: string, last: string | null | undefined) => {
    if (last && last > (cache.get(key) ?? '')) cache.set(key, last)
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
      const load = () => (chainId === undefined ? lastOwn(address) : last(address, chainId))
      const lastKnown = cache.get(keyOf(address, chainId)) ?? (await load())
      return lastKnown === undefined || sortKey > lastKnown
    },
    async consume(address, sortKey, chainId) {
      const key = keyOf(address, chainId)
      if (sortKey <= (cache.get(key) ?? '')) return false
      const query =
        chainId === undefined ? CONSUME({ address, sortKey }) : CONSUME_WALLET({ address, chainId, sortKey })
      const consumed = (await db.query(query)).changes === 1
      // a refused nonce is a lower bound, so the next refusal needs no statement
      remember(key, sortKey)
      return consumed
    },
  }
}
