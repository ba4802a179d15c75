import { type Driver, sql } from '../sql.js'
import type { ProofStore, QueuedProof } from '../store.js'

const ADD = sql(
  `INSERT INTO proofs (id, kind, body, due_at, attempts) VALUES (:id, :kind, :body, :now, 0)
   ON CONFLICT (id) DO NOTHING`,
)
// the time is looked at again for each row, since another taker may have been faster
const CLAIM = sql(
  `UPDATE proofs SET due_at = :until, attempts = attempts + 1
   WHERE id IN (SELECT id FROM proofs WHERE due_at <= :now ORDER BY due_at LIMIT :limit) AND due_at <= :now
   RETURNING id, kind, body, attempts, tx_id`,
)
const NOTE = sql('UPDATE proofs SET tx_id = :txId WHERE id = :id')
const DONE = sql('DELETE FROM proofs WHERE id = :id')
const RETRY = sql('UPDATE proofs SET due_at = :at WHERE id = :id')
const WAITING = sql('SELECT count(*) AS n FROM proofs')

/** The queue of proofs. */
export function proofStore(db: Driver): ProofStore {
  return {
    add: async (id, kind, body, now) => void (await db.query(ADD({ id, kind, body, now }))),
    claim: async (now, until, limit) => {
      const { rows } = await db.query(CLAIM({ now, until, limit }))
      return rows.map(({ tx_id: txId, ...row }) => ({ ...row, txId })) as unknown as QueuedProof[]
    },
    noteTransaction: async (id, txId) => void (await db.query(NOTE({ id, txId }))),
    done: async (id) => void (await db.query(DONE({ id }))),
    retry: async (id, at) => void (await db.query(RETRY({ id, at }))),
    waiting: async () => (await db.query(WAITING())).rows[0]?.n as number,
  }
}
