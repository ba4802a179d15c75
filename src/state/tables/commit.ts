import type { Dialect } from '../dialect.js'
import { attempt, run } from '../script.js'
import { type Script, sql } from '../sql.js'
import type { Cursor, IndexBatch, IndexChange, IndexRole } from '../store.js'
import { fallbackFor, queryFor } from './changes.js'
import { generationId, generationToWrite } from './generations.js'
import { touch } from './search.js'
import { refresh, refreshAll, touchedAfter } from './search-rows.js'
import { pruneUndo, saveUndo, undoAfter } from './undo.js'

// in statements that write, :chainId is the id of a generation; see generations.ts
const FIRST_CURSOR = sql(
  'INSERT INTO index_cursor (chain_id, block, hash) VALUES (:chainId, :block, :hash) ON CONFLICT DO NOTHING',
)
// locks the row until the end of the transaction, so that of two concurrent instances one fails
const NEXT_CURSOR = sql(
  `UPDATE index_cursor SET block = :block, hash = :hash
   WHERE chain_id = :chainId AND block = :fromBlock AND hash = :fromHash`,
)
const SET_CURSOR = sql('UPDATE index_cursor SET block = :block, hash = :hash WHERE chain_id = :chainId')
const CHECKPOINT = sql(
  `INSERT INTO index_checkpoint (chain_id, block, hash) VALUES (:chainId, :block, :hash)
   ON CONFLICT (chain_id, block) DO UPDATE SET hash = excluded.hash`,
)
const CHECKPOINT_AT = sql(
  `SELECT block FROM index_checkpoint WHERE chain_id = :chainId AND block <= :block ORDER BY block DESC LIMIT 1`,
)
const DROP_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block < :block')
const DROP_LATER_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block > :block')

/**
 * Applies a batch to a generation and moves its cursor; see `IndexGeneration.commit`. Returns false, and writes nothing,
 * where the cursor is elsewhere.
 */
export function* commit(role: IndexRole, { chainId: chain, ...batch }: IndexBatch, dialect: Dialect): Script<boolean> {
  const { from, to, changes, undoSince, onUnstorable } = batch
  const chainId = yield* generationToWrite(chain, role)
  if (chainId === undefined) return false
  const move = from
    ? NEXT_CURSOR({ chainId, ...to, fromBlock: from.block, fromHash: from.hash })
    : FIRST_CURSOR({ chainId, ...to })
  if ((yield* run(move)).changes !== 1) return false
  const make = function* (change: IndexChange, kept: Set<string>): Script<void> {
    if (undoSince !== undefined) yield* saveUndo(chainId, to.block, change, kept)
    yield* run(queryFor(chainId, change))
  }
  const kept = new Set<string>()
  for (const change of changes) {
    if (!onUnstorable) yield* make(change, kept)
    // the rollback of the savepoint also discards the saved undo rows
    else if (!(yield* attempt(() => make(change, new Set())))) {
      onUnstorable(change)
      const lesser = fallbackFor(change)
      if (lesser) yield* attempt(() => make(lesser, new Set()))
    }
  }
  yield* refresh(chainId, changes, dialect, onUnstorable !== undefined)
  if (changes.length > 0) yield* touch(chainId)
  // a batch without undo rows cannot be rolled back, so earlier checkpoints are void
  const base = undoSince === undefined ? to.block : yield* checkpointAt(chainId, undoSince)
  if (base !== undefined) {
    yield* run(DROP_CHECKPOINTS({ chainId, block: base }))
    yield* pruneUndo(chainId, base)
  }
  yield* run(CHECKPOINT({ chainId, ...to }))
  return true
}

function* checkpointAt(chainId: number, block: number): Script<number | undefined> {
  return (yield* run(CHECKPOINT_AT({ chainId, block }))).rows[0]?.block as number | undefined
}

/** Rolls a generation back to a checkpoint. */
export function* rollback(role: IndexRole, chain: number, to: Cursor, dialect: Dialect): Script<void> {
  const chainId = yield* generationId(chain, role)
  if (chainId === undefined) return
  yield* run(SET_CURSOR({ chainId, ...to }))
  const touched = yield* touchedAfter(chainId, to.block)
  yield* undoAfter(chainId, to.block)
  yield* refreshAll(chainId, touched, dialect)
  yield* touch(chainId)
  yield* run(DROP_LATER_CHECKPOINTS({ chainId, block: to.block }))
}
