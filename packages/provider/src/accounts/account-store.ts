import { randomBytes } from 'node:crypto'
import { type Driver, type Query, sql } from '@tidegate/database'
import type { HostedStore } from '@tidegate/hosting'
import { anonymize } from './anonymous-rows.js'
import { HELD_ROWS, namesOf, ownedBy } from './held-rows.js'

/** Numbers of rows that were deleted or made anonymous, and of files that stay. */
export interface ForgottenRows {
  deliveries: number
  orderFees: number
  proofs: number
  /** Unfinished uploads. */
  uploads: number
  /** Finished hosted files, which stay. */
  files: number
}

/** The rows of accounts. Addresses have checksums. */
export interface AccountStore {
  /** Yields the parts of what the database holds, each with its rows. A part must be read before the next one. */
  held(address: string): Iterable<{ name: string; rows: AsyncIterable<Record<string, unknown>> }>
  /**
   * Ends all tokens and links of an account; deletes or makes anonymous what may go. Interrupted, it is repeated: every step is
   * bounded, and a repetition does no harm. `at`: milliseconds since 1970.
   */
  forget(address: string, at: number): Promise<ForgottenRows>
}

/** Rows per statement. */
const AT_ONCE = 500

const BEGIN = sql(
  `INSERT INTO forgotten_accounts (address, at, salt) VALUES (:address, :at, :salt)
   ON CONFLICT (address) DO UPDATE SET at = CASE WHEN excluded.at > forgotten_accounts.at THEN excluded.at ELSE forgotten_accounts.at END,
     salt = coalesce(forgotten_accounts.salt, excluded.salt)
   RETURNING salt`,
)
// nobody can relate the new transactions to the old ones without it
const END = sql('UPDATE forgotten_accounts SET salt = NULL WHERE address = :address')
const DELETE_PROOFS = sql(
  `DELETE FROM proofs WHERE id IN (SELECT id FROM proofs WHERE body LIKE :anywhere LIMIT ${AT_ONCE})`,
)
const OWNED = ownedBy('owner')
const UNFINISHED = sql(
  `SELECT id FROM hosted_files WHERE ${OWNED} AND removed_at IS NULL
   AND (completed_at IS NULL OR (concat = 'partial' AND final IS NULL)) LIMIT ${AT_ONCE}`,
)
const FILES = sql(`SELECT count(*) AS n FROM hosted_files WHERE ${OWNED} AND removed_at IS NULL`)
const DELETE_TOTALS = sql(`DELETE FROM hosted_totals WHERE ${OWNED} AND files = 0`)

/** Creates the store of what the database holds of an account. */
export function accountStore(db: Driver, hosted: Pick<HostedStore, 'remove'>): AccountStore {
  /** Repeats a statement until it changes nothing. */
  async function all(query: Query): Promise<number> {
    for (let count = 0; ; ) {
      const { changes } = await db.query(query)
      if (changes === 0) return count
      count += changes
    }
  }

  async function removeUploads(names: ReturnType<typeof namesOf>, at: number): Promise<number> {
    for (let count = 0; ; ) {
      const { rows } = await db.query(UNFINISHED(names))
      if (rows.length === 0) return count
      // the service deletes the bytes, and then the rows
      for (const { id } of rows) if (await hosted.remove(String(id), at)) count += 1
    }
  }

  return {
    *held(address) {
      const names = namesOf(address)
      for (const { name, query } of HELD_ROWS) yield { name, rows: db.stream(query(names)) }
    },
    async forget(address, at) {
      const names = namesOf(address)
      const begin = BEGIN({ address, at: Math.floor(at / 1000), salt: randomBytes(32).toString('hex') })
      const salt = String((await db.query(begin)).rows[0]?.salt)
      const account = { address, salt }
      const proofs = await all(DELETE_PROOFS(names))
      const uploads = await removeUploads(names, at)
      await db.query(DELETE_TOTALS(names))
      const deliveries = await anonymize(
        db,
        { table: 'deliveries', key: { at: 'BIGINT', id: 'BIGINT' }, order: 'order_tx' },
        account,
      )
      // their transactions are public, and keep a fee from being recorded twice
      const fees = { chain_id: 'BIGINT', tx_id: 'TEXT', datatoken: 'TEXT', position: 'BIGINT' } as const
      const orderFees = await anonymize(db, { table: 'order_fees', key: fees }, account)
      await db.query(END({ address }))
      const files = Number((await db.query(FILES(names))).rows[0]?.n)
      return { deliveries, orderFees, proofs, uploads, files }
    },
  }
}
