import type Database from 'libsql'
import type { Guard } from './sqlite-tools.js'
import type { ProofStore, QueuedProof } from './store.js'

/** The queue of proofs in the embedded store. */
export function sqliteProofStore(db: Database.Database, guarded: Guard): ProofStore {
  const add = db.prepare(
    'INSERT INTO proofs (id, kind, body, due_at, attempts) VALUES (?, ?, ?, ?, 0) ON CONFLICT (id) DO NOTHING',
  )
  const claim = db.prepare(
    `UPDATE proofs SET due_at = ?, attempts = attempts + 1
     WHERE id IN (SELECT id FROM proofs WHERE due_at <= ? ORDER BY due_at LIMIT ?)
     RETURNING id, kind, body, attempts, tx_id`,
  )
  const note = db.prepare('UPDATE proofs SET tx_id = ? WHERE id = ?')
  const done = db.prepare('DELETE FROM proofs WHERE id = ?')
  const retry = db.prepare('UPDATE proofs SET due_at = ? WHERE id = ?')
  const waiting = db.prepare('SELECT count(*) AS n FROM proofs')
  return {
    add: (id, kind, body, now) => guarded(() => void add.run(id, kind, body, now)),
    claim: (now, until, limit) =>
      guarded(() =>
        (claim.all(until, now, limit) as (Omit<QueuedProof, 'txId'> & { tx_id: QueuedProof['txId'] })[]).map(
          ({ id, kind, body, attempts, tx_id: txId }) => ({ id, kind, body, attempts, txId }),
        ),
      ),
    noteTransaction: (id, txId) => guarded(() => void note.run(txId, id)),
    done: (id) => guarded(() => void done.run(id)),
    retry: (id, at) => guarded(() => void retry.run(at, id)),
    waiting: () => guarded(() => (waiting.get() as { n: number }).n),
  }
}
