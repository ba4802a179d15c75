import { type Driver, run, type Script, sql, sqlOne } from '@tidegate/database'
import { DAY } from '@tidegate/protocol/constants'
import type { NewProof, ProofStore, QueuedProof } from './delivery-store.js'

const ADD = sql(
  `INSERT INTO proofs (id, kind, body, due_at, attempts) VALUES (:id, :kind, :body, :now, 0)
   ON CONFLICT (id) DO NOTHING`,
)
// checks due_at again for each row: another instance may have claimed it meanwhile
const CLAIM = sql(
  `UPDATE proofs SET due_at = :until, attempts = attempts + 1
   WHERE id IN (SELECT id FROM proofs WHERE due_at <= :now ORDER BY due_at LIMIT :limit) AND due_at <= :now
   RETURNING id, kind, body, attempts, tx_id`,
)
const NOTE = sql('UPDATE proofs SET tx_id = :txId WHERE id = :id')
const DONE = sql('DELETE FROM proofs WHERE id = :id')
const RETRY = sql('UPDATE proofs SET due_at = :at WHERE id = :id')
const WAITING = sql('SELECT count(*) AS n FROM proofs')

const KNOWN = sqlOne('SELECT 1 AS found FROM proven WHERE subject = :subject')
const PROVE = sql('INSERT INTO proven (subject) VALUES (:subject) ON CONFLICT (subject) DO NOTHING')
// locks the row of the day until the end of the transaction
const SPEND = sql(
  `INSERT INTO proof_days (day, used) VALUES (:day, 1)
   ON CONFLICT (day) DO UPDATE SET used = proof_days.used + 1 WHERE proof_days.used < :limit`,
)
const REFUND = sql('UPDATE proof_days SET used = used - 1 WHERE day = :day')
const DELETE_DAYS = sql('DELETE FROM proof_days WHERE day < :day')

function* addOnce(
  subject: string,
  perDay: number,
  proof: NewProof,
  now: number,
): Script<'added' | 'known' | 'refused'> {
  const day = Math.floor(now / DAY)
  const limit = perDay === 0 ? Number.MAX_SAFE_INTEGER : perDay
  if ((yield* run(SPEND({ day, limit }))).changes !== 1) return 'refused'
  if ((yield* run(PROVE({ subject }))).changes !== 1) {
    yield* run(REFUND({ day }))
    return 'known'
  }
  yield* run(DELETE_DAYS({ day }))
  yield* run(ADD({ ...proof, now }))
  return 'added'
}

/** Creates the store of the queue of proofs. */
export function proofStore(db: Driver): ProofStore {
  return {
    add: async (proof, now) => void (await db.query(ADD({ ...proof, now }))),
    async addOnce(subject, perDay, proof, now) {
      // most downloads repeat an order, which this read detects without a write
      if ((await db.query(KNOWN({ subject }))).rows.length > 0) return 'known'
      return db.transact(addOnce(subject, perDay, proof, now))
    },
    claim: async (now, until, limit) => {
      const { rows } = await db.query(CLAIM({ now, until, limit }))
      return rows.map(({ tx_id: txId, ...row }) => ({ ...row, txId })) as unknown as QueuedProof[]
    },
    recordTransaction: async (id, txId) => void (await db.query(NOTE({ id, txId }))),
    done: async (id) => void (await db.query(DONE({ id }))),
    retry: async (id, at) => void (await db.query(RETRY({ id, at }))),
    count: async () => (await db.query(WAITING())).rows[0]?.n as number,
  }
}
