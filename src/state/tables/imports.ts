import { UnstorableError } from '../../errors.js'
import type { Dialect } from '../dialect.js'
import { run } from '../script.js'
import { type Driver, type Query, type Script, sql } from '../sql.js'
import type { Cursor, IndexChange, IndexImports, IndexRow } from '../store.js'
import { queryFor } from './changes.js'
import { abandon, generationId, makeLive, start } from './generations.js'
import { touch } from './search.js'
import { refresh } from './search-rows.js'

// as in index.ts, :chainId is the id of a generation
const ORDERS = sql('UPDATE index_datatoken SET orders = :orders WHERE chain_id = :chainId AND address = :address')
// changes nothing, but locks the generation until the end of the transaction
const LOCK = sql("UPDATE index_reading SET role = role WHERE id = :id AND role = 'import'")
// locks the row until the end of the transaction, so that the live generation does not advance meanwhile
const LOCK_LIVE = sql('UPDATE index_cursor SET block = block WHERE chain_id = :id AND block < :block')
const CURSOR = sql('INSERT INTO index_cursor (chain_id, block, hash) VALUES (:id, :block, :hash)')
const CHECKPOINT = sql('INSERT INTO index_checkpoint (chain_id, block, hash) VALUES (:id, :block, :hash)')

/** Creates the store of imports into the index. */
export function indexImports(db: Driver): IndexImports {
  return {
    tryLead: (chainId) => db.tryLead(`import of chain ${chainId}`),
    begin: (chainId) => db.transact(begin(chainId)),
    async add(id, rows) {
      // a document that the search index cannot hold is not found, as where it is read from the chain
      const attempt = (lenient: boolean) => db.transact(add(id, rows, db.dialect, lenient))
      await attempt(false).catch((error: unknown) => {
        if (error instanceof UnstorableError) return attempt(true)
        throw error
      })
    },
    promote: (id, chainId, at) => db.transact(promote(id, chainId, at)),
    abandon: (chainId) => db.transact(abandon(chainId, 'import')),
  }
}

function* begin(chainId: number): Script<number> {
  yield* abandon(chainId, 'import')
  return yield* start(chainId, 'import')
}

function* add(id: number, rows: IndexRow[], dialect: Dialect, lenient: boolean): Script<void> {
  if ((yield* run(LOCK({ id }))).changes !== 1) throw new UnstorableError()
  const assets: IndexChange[] = []
  for (const row of rows) {
    const change = changeOf(row)
    yield* insert(queryFor(id, change))
    if (row.kind === 'datatoken' && row.datatoken.orders > 0) yield* run(ORDERS({ chainId: id, ...row.datatoken }))
    if (change.kind === 'metadata') assets.push(change)
  }
  yield* refresh(id, assets, dialect, lenient)
}

function changeOf(row: IndexRow): IndexChange {
  return row.kind === 'asset' ? { kind: 'metadata', metadata: row.metadata } : row
}

/** Where the row is there already, the statement does nothing: then it is not one of an index. */
function* insert(query: Query): Script<void> {
  if ((yield* run(query)).changes !== 1) throw new UnstorableError()
}

function* promote(id: number, chainId: number, at: Cursor): Script<boolean> {
  if ((yield* run(LOCK({ id }))).changes !== 1) return false
  const live = yield* generationId(chainId, 'live')
  if (live !== undefined && (yield* run(LOCK_LIVE({ id: live, block: at.block }))).changes !== 1) return false
  yield* makeLive(chainId, id)
  yield* run(CURSOR({ id, ...at }))
  yield* run(CHECKPOINT({ id, ...at }))
  yield* touch(id)
  return true
}
