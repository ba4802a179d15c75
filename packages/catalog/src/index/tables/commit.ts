import { attempt, type Query, run, type Script, sql } from '@tidegate/database'
import type { IndexConsumer } from '../index-consumer.js'
import type { Cursor, IndexBatch, IndexChange, IndexRole } from '../index-store.js'
import { fallbackFor, queriesFor } from './change-statements.js'
import { markOf, nextMark } from './format.js'
import { generationId, generationToWrite, renewVersion } from './generations.js'
import { dropSomeOrders, groupsOf } from './orders.js'
import { pruneUndo, restoreSome, saveUndo } from './undo.js'

// in writing statements, :chainId is the id of a generation; see generations.ts
const FIRST_CURSOR = sql(
  `INSERT INTO index_cursor (chain_id, block, hash, part_block, part_hash, part_log, format_mark)
   VALUES (:chainId, :block, :hash, :partBlock, :partHash, :partLog, :mark) ON CONFLICT DO NOTHING`,
)
// also locks the row until the end of the transaction, so that one of two concurrent instances fails
const NEXT_CURSOR = sql(
  `UPDATE index_cursor
   SET block = :block, hash = :hash, part_block = :partBlock, part_hash = :partHash, part_log = :partLog,
     format_mark = ${nextMark(':mark')}
   WHERE chain_id = :chainId AND block = :fromBlock AND hash = :fromHash
     AND coalesce(part_hash, '') = :fromPart AND coalesce(part_log, -1) = :fromLog AND undoing = 0`,
)
const BEGIN_UNDOING = sql(
  `UPDATE index_cursor SET block = :block, hash = :hash, part_block = NULL, part_hash = NULL, part_log = NULL, undoing = 1,
     format_mark = ${nextMark(':mark')}
   WHERE chain_id = :chainId`,
)
const UNDOING = sql('SELECT block FROM index_cursor WHERE chain_id = :chainId AND undoing = 1')
const END_UNDOING = sql('UPDATE index_cursor SET undoing = 0 WHERE chain_id = :chainId')
// the row lock that every change of a generation takes first
const LOCK = sql('UPDATE index_cursor SET block = block WHERE chain_id = :chainId')
const CHECKPOINT = sql(
  `INSERT INTO index_checkpoint (chain_id, block, hash, events, digest) VALUES (:chainId, :block, :hash, :events, :digest)
   ON CONFLICT (chain_id, block) DO UPDATE SET hash = excluded.hash, events = excluded.events, digest = excluded.digest`,
)
const CHECKPOINT_AT = sql(
  `SELECT block FROM index_checkpoint WHERE chain_id = :chainId AND block <= :block ORDER BY block DESC LIMIT 1`,
)
const DROP_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block < :block')
const DROP_LATER_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block > :block')

/** Implements IndexGeneration.commit. */
export function* commit(
  role: IndexRole,
  { chainId: chain, ...batch }: IndexBatch,
  consumer: IndexConsumer,
): Script<boolean> {
  const { from, to, changes, provisional = false, seen, onUnstorable } = batch
  const chainId = yield* generationToWrite(chain, role)
  if (chainId === undefined) return false
  if ((yield* run(move(chainId, from, to))).changes !== 1) return false
  const saves = provisional || to.part !== undefined
  const make = function* (group: IndexChange[], kept: Set<string>): Script<void> {
    if (saves) for (const change of group) yield* saveUndo(chainId, to.part?.block ?? to.block, change, kept)
    for (const query of queriesFor(chainId, group)) yield* run(query)
  }
  const kept = new Set<string>()
  if (!onUnstorable) for (const group of groupsOf(changes)) yield* make(group, kept)
  // a new set, since the rollback of the savepoint also discards its undo rows
  else
    for (const change of changes)
      if (!(yield* attempt(() => make([change], new Set())))) {
        onUnstorable(change)
        const lesser = fallbackFor(change)
        if (lesser) yield* attempt(() => make([lesser], new Set()))
      }
  yield* consumer.applied(chainId, changes, onUnstorable !== undefined)
  if (changes.length > 0) yield* renewVersion(chainId)
  // a batch without undo rows cannot be rolled back, so earlier checkpoints are void
  const base = provisional ? undefined : saves ? yield* checkpointAt(chainId, (from ?? to).block) : to.block
  if (base !== undefined) yield* dropUndo(chainId, base)
  // no checkpoint inside a block: the undo rows of earlier blocks in the batch belong to that block
  if (!to.part) yield* run(CHECKPOINT({ chainId, ...to, events: seen?.events ?? null, digest: seen?.digest ?? null }))
  return true
}

function move(chainId: number, from: Cursor | undefined, cursor: Cursor): Query {
  const { block, hash, part } = cursor
  const parts = { partBlock: part?.block ?? null, partHash: part?.hash ?? null, partLog: part?.log ?? null }
  const to = { block, hash, ...parts, mark: markOf(cursor) }
  if (!from) return FIRST_CURSOR({ chainId, ...to })
  const at = {
    fromBlock: from.block,
    fromHash: from.hash,
    fromPart: from.part?.hash ?? '',
    fromLog: from.part?.log ?? -1,
  }
  return NEXT_CURSOR({ chainId, ...to, ...at })
}

function* checkpointAt(chainId: number, block: number): Script<number | undefined> {
  return (yield* run(CHECKPOINT_AT({ chainId, block }))).rows[0]?.block as number | undefined
}

function* dropUndo(chainId: number, block: number): Script<void> {
  yield* run(DROP_CHECKPOINTS({ chainId, block }))
  yield* pruneUndo(chainId, block)
}

/** Implements IndexGeneration.confirm. */
export function* confirm(role: IndexRole, chain: number, block: number): Script<void> {
  const chainId = yield* generationId(chain, role)
  const base = chainId === undefined ? undefined : yield* checkpointAt(chainId, block)
  if (chainId !== undefined && base !== undefined) yield* dropUndo(chainId, base)
}

/** Moves the cursor of a generation to a checkpoint. Then `undoSome` restores the rows. */
export function* beginRollback(role: IndexRole, chain: number, to: Cursor): Script<void> {
  const chainId = yield* generationId(chain, role)
  if (chainId === undefined) return
  yield* run(BEGIN_UNDOING({ chainId, block: to.block, hash: to.hash, mark: markOf({ ...to, part: undefined }) }))
  yield* run(DROP_LATER_CHECKPOINTS({ chainId, block: to.block }))
  yield* renewVersion(chainId)
}

/** Restores some rows of a rollback. Returns false if none were left: the rollback has ended. */
export function* undoSome(role: IndexRole, chain: number, consumer: IndexConsumer): Script<boolean> {
  const chainId = yield* generationId(chain, role)
  if (chainId === undefined) return false
  yield* run(LOCK({ chainId }))
  const [cursor] = (yield* run(UNDOING({ chainId }))).rows
  if (!cursor) return false
  const block = cursor.block as number
  if (yield* dropSomeOrders(chainId, block)) return true
  const nfts = yield* restoreSome(chainId, block)
  if (nfts) yield* consumer.undone(chainId, nfts)
  else yield* run(END_UNDOING({ chainId }))
  yield* renewVersion(chainId)
  return nfts !== undefined
}
