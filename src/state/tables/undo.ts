import { step } from '../script.js'
import { type Script, sql, type Value } from '../sql.js'
import type { IndexChange } from '../store.js'

/** The table of each kind of row, and the column that names a row within its chain. */
const ROWS = {
  nft: ['index_nft', 'address'],
  datatoken: ['index_datatoken', 'address'],
  asset: ['index_asset', 'nft'],
} as const

type RowKind = keyof typeof ROWS

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

/** Keeps the row that a change is about to touch, as it was before the batch that ends with `block`. */
export function* keep(chainId: number, block: number, change: IndexChange): Script<void> {
  const [kind, id] = rowOf(change)
  const [before] = (yield* step(FIND[kind]({ chainId, id }))).rows
  yield* step(KEEP({ chainId, block, kind, id, before: before ? JSON.stringify(before) : null }))
}

/** Puts every row back that was touched after `block`. */
export function* takeBack(chainId: number, block: number): Script<void> {
  const kept = (yield* step(LATER({ chainId, block }))).rows as { kind: RowKind; id: string; before: string | null }[]
  for (const { kind, id, before } of kept) {
    yield* step(DROP[kind]({ chainId, id }))
    if (before !== null) yield* step(insertion(ROWS[kind][0], JSON.parse(before) as Record<string, Value>))
  }
  yield* step(DROP_LATER({ chainId, block }))
}

/** Lets go of what was kept for batches that ended at `block` or before. */
export function* forget(chainId: number, block: number): Script<void> {
  yield* step(DROP_OLD({ chainId, block }))
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
