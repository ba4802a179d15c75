import type Database from 'libsql'
import { firstRow } from './sqlite-tools.js'
import type { IndexChange } from './store.js'

/** What was in the index before its latest batches, row by row, so that a reorganisation can be taken back. */
export interface UndoJournal {
  /** Keeps the row that a change is about to touch, as it was before the batch that ends with `block`. */
  keep(chainId: number, block: number, change: IndexChange): void
  /** Puts every row back that was touched after `block`. */
  takeBack(chainId: number, block: number): void
  /** Lets go of what was kept for batches that ended at `block` or before. */
  forget(chainId: number, block: number): void
}

/** The table of each kind of row, and the column that names a row within its chain. */
const ROWS = {
  nft: ['index_nft', 'address'],
  datatoken: ['index_datatoken', 'address'],
  asset: ['index_asset', 'nft'],
} as const

type RowKind = keyof typeof ROWS

export function undoJournal(db: Database.Database): UndoJournal {
  const insert = db.prepare(
    'INSERT INTO index_undo (chain_id, block, kind, id, before) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const later = db.prepare(
    'SELECT kind, id, before FROM index_undo WHERE chain_id = ? AND block > ? ORDER BY block DESC',
  )
  const dropLater = db.prepare('DELETE FROM index_undo WHERE chain_id = ? AND block > ?')
  const dropOld = db.prepare('DELETE FROM index_undo WHERE chain_id = ? AND block <= ?')
  const find = Object.fromEntries(
    Object.entries(ROWS).map(([kind, [table, key]]) => [
      kind,
      db.prepare(`SELECT * FROM ${table} WHERE chain_id = ? AND ${key} = ?`),
    ]),
  ) as Record<RowKind, Database.Statement>

  return {
    keep(chainId, block, change) {
      const [kind, id] = rowOf(change)
      const before = firstRow<object>(find[kind], chainId, id)
      insert.run(chainId, block, kind, id, before ? JSON.stringify(before) : null)
    },
    takeBack(chainId, block) {
      const kept = later.all(chainId, block) as { kind: RowKind; id: string; before: string | null }[]
      for (const { kind, id, before } of kept) {
        const [table, key] = ROWS[kind]
        db.prepare(`DELETE FROM ${table} WHERE chain_id = ? AND ${key} = ?`).run(chainId, id)
        if (before === null) continue
        const row = JSON.parse(before) as Record<string, string | number | null>
        const columns = Object.keys(row)
        db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(
          ...(Object.values(row) as string[]),
        )
      }
      dropLater.run(chainId, block)
    },
    forget: (chainId, block) => void dropOld.run(chainId, block),
  }
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
      return ['asset', change.nft]
    case 'order':
      return ['datatoken', change.datatoken]
  }
}
