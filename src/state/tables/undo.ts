import { run } from '../script.js'
import { type Script, sql, type Value } from '../sql.js'
import type { IndexChange } from '../store.js'

/** The table of each kind of row, and the column that identifies a row within its chain. */
const ROWS = {
  nft: ['index_nft', 'address'],
  datatoken: ['index_datatoken', 'address'],
  asset: ['index_asset', 'nft'],
} as const

/** The kinds of rows that are saved. */
export type RowKind = keyof typeof ROWS

const KEEP = sql(
  `INSERT INTO index_undo (chain_id, block, kind, id, before) VALUES (:chainId, :block, :kind, :id, :before)
   ON CONFLICT DO NOTHING`,
)
const LATER = sql(
  'SELECT kind, id, before FROM index_undo WHERE chain_id = :chainId AND block > :block ORDER BY block DESC',
)
const DROP_LATER = sql('DELETE FROM index_undo WHERE chain_id = :chainId AND block > :block')
const DROP_OLD = sql('DELETE FROM index_undo WHERE chain_id = :chainId AND block <= :block')

function of(kind: RowKind, verb: 'SELECT *' | 'DELETE') {
  const [table, key] = ROWS[kind]
  return sql(`${verb} FROM ${table} WHERE chain_id = :chainId AND ${key} = :id`)
}
const FIND = { nft: of('nft', 'SELECT *'), datatoken: of('datatoken', 'SELECT *'), asset: of('asset', 'SELECT *') }
const DROP = { nft: of('nft', 'DELETE'), datatoken: of('datatoken', 'DELETE'), asset: of('asset', 'DELETE') }

/**
 * Saves the row that a change is about to modify, as it was before the batch that ends with `block`. Rows in `saved` are
 * not read again: one may hold a document of a megabyte, and be modified a thousand times.
 */
export function* saveUndo(chainId: number, block: number, change: IndexChange, saved: Set<string>): Script<void> {
  const [kind, id] = rowOf(change)
  const row = `${kind} ${id}`
  if (saved.has(row)) return
  const [before] = (yield* run(FIND[kind]({ chainId, id }))).rows
  yield* run(KEEP({ chainId, block, kind, id, before: before ? JSON.stringify(before) : null }))
  saved.add(row)
}

/** Restores every row that was modified after `block`. */
export function* undoAfter(chainId: number, block: number): Script<void> {
  const kept = (yield* run(LATER({ chainId, block }))).rows as { kind: RowKind; id: string; before: string | null }[]
  for (const { kind, id, before } of kept) {
    yield* run(DROP[kind]({ chainId, id }))
    if (before !== null) yield* run(insertion(ROWS[kind][0], JSON.parse(before) as Record<string, Value>))
  }
  yield* run(DROP_LATER({ chainId, block }))
}

/** Deletes the undo rows of batches that ended at `block` or before. */
export function* pruneUndo(chainId: number, block: number): Script<void> {
  yield* run(DROP_OLD({ chainId, block }))
}

function insertion(table: string, row: Record<string, Value>) {
  const columns = Object.keys(row)
  return sql(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`)(
    row,
  )
}

function rowOf(change: IndexChange): [kind: RowKind, id: string] {
  switch (change.kind) {
    case 'nft':
      return ['nft', change.nft.address]
    case 'datatoken':
      return ['datatoken', change.datatoken.address]
    case 'metadata':
      return ['asset', change.metadata.nft]
    case 'state':
    case 'unreadable':
      return ['asset', change.nft]
    case 'order':
      return ['datatoken', change.datatoken]
  }
}
