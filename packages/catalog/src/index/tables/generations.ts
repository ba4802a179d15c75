import { randomInt } from 'node:crypto'
import { RANDOM_IDS, run, type Script, sql } from '@tidegate/database'
import type { IndexConsumer } from '../index-consumer.js'
import type { Cursor, Generations } from '../index-store.js'
import { isComplete } from './format.js'
import { SWEEP_ORDERS } from './orders.js'

/** The role of a generation: serves requests, will replace the live one, or will be deleted. */
export type Role = 'live' | 'next' | 'old'

/** Returns SQL for the id of a chain's generation: the `chain_id` of index rows. */
export const idSubquery = (role: Role, chain = ':chainId') =>
  `(SELECT id FROM index_reading WHERE chain_id = ${chain} AND role = '${role}')`

const ID = sql('SELECT id FROM index_reading WHERE chain_id = :chainId AND role = :role')
const FIRST = sql(
  "INSERT INTO index_reading (id, chain_id, role, wanted) VALUES (:chainId, :chainId, 'live', 0) ON CONFLICT DO NOTHING",
)
const START = sql("INSERT INTO index_reading (id, chain_id, role, wanted) VALUES (:id, :chainId, 'next', :wanted)")
const SET_ROLE = sql('UPDATE index_reading SET role = :role, wanted = 0 WHERE id = :id')
const FORGET = sql('DELETE FROM index_reading WHERE id = :id')
export const listGenerations = sql(
  `SELECT r.id, r.role, r.wanted, c.block, c.hash, c.part_block, c.part_hash, c.part_log, c.undoing,
     CASE WHEN ${isComplete('r.id')} THEN 1 ELSE 0 END AS complete
   FROM index_reading r LEFT JOIN index_cursor c ON c.chain_id = r.id WHERE r.chain_id = :chainId`,
)
// locks the row, so that no other instance advances the cursor
const LOCK_CURSOR = sql(
  'UPDATE index_cursor SET block = block WHERE chain_id = :id AND block = :block AND hash = :hash AND undoing = 0',
)
const SET_VERSION = sql('UPDATE index_reading SET version = :version WHERE id = :id')
const DROP_CURSOR = sql('DELETE FROM index_cursor WHERE chain_id = :id')

/** Rows per table and transaction of a sweep: a consumer may have thousands per asset. */
const SWEEP_BATCH = 24
const SWEEPS = [
  deleteBatch('index_asset', 'nft'),
  deleteBatch('index_nft', 'address'),
  deleteBatch('index_datatoken', 'address'),
  sql('DELETE FROM index_checkpoint WHERE chain_id = :id'),
  deleteBatch('index_undo', 'block'),
  SWEEP_ORDERS,
  deleteBatch('index_offer', 'id'),
  deleteBatch('index_market', 'address'),
  DROP_CURSOR,
]

function deleteBatch(table: string, key: string) {
  const first = `SELECT ${key} FROM ${table} WHERE chain_id = :id ORDER BY ${key} LIMIT ${SWEEP_BATCH}`
  return sql(`DELETE FROM ${table} WHERE chain_id = :id AND ${key} IN (${first})`)
}

/** Returns the id of a generation; undefined if there is none. */
export function* generationId(chainId: number, role: Role): Script<number | undefined> {
  return (yield* run(ID({ chainId, role }))).rows[0]?.id as number | undefined
}

/** Returns the id of the generation to write to. Creates the first one of a chain. */
export function* generationToWrite(chainId: number, role: Role): Script<number | undefined> {
  const id = yield* generationId(chainId, role)
  if (id !== undefined || role !== 'live') return id
  const { changes } = yield* run(FIRST({ chainId }))
  // if another instance was first, its id
  return changes === 1 ? chainId : yield* generationId(chainId, role)
}

/** A row of index_cursor; null in each column if there is none. */
export interface CursorRow {
  block: number | null
  hash: Cursor['hash'] | null
  part_block: number | null
  part_hash: Cursor['hash'] | null
  part_log: number | null
}

interface ReadingRow extends CursorRow {
  id: number
  role: Role
  wanted: number
  complete: number
  undoing: number | null
}

/** Reads a row of index_cursor. */
export function cursorOf(row: CursorRow): Cursor | undefined {
  const { block, hash, part_block: partBlock, part_hash: partHash, part_log: log } = row
  if (block === null || hash === null) return undefined
  if (partBlock === null || partHash === null || log === null) return { block, hash }
  return { block, hash, part: { block: partBlock, hash: partHash, log } }
}

export function generationsFrom(rows: ReadingRow[]): Generations {
  const ofRole = (role: Role) => rows.find((row) => row.role === role)
  const [live, next] = [ofRole('live'), ofRole('next')]
  const at = (row: ReadingRow) => {
    const cursor = cursorOf(row)
    return {
      id: row.id,
      ...(cursor ? { cursor } : {}),
      ...(row.undoing === 1 ? { undoing: true as const } : {}),
      ...(cursor && row.complete === 0 ? { isOutdated: true as const } : {}),
    }
  }
  const cursor = live && cursorOf(live)
  return {
    ...(live && cursor ? { live: { ...at(live), cursor } } : {}),
    ...(next ? { next: { ...at(next), wanted: next.wanted !== 0 } } : {}),
    old: ofRole('old') !== undefined,
  }
}

/** Starts the next generation of a chain, and abandons a previous one. */
export function* begin(chainId: number, wanted: boolean): Script<void> {
  yield* abandonNext(chainId)
  if ((yield* generationId(chainId, 'live')) === undefined) return
  // negative, since the first generation has the id of its chain; random, so that concurrent instances choose different ids
  yield* run(START({ id: -randomInt(1, RANDOM_IDS), chainId, wanted: Number(wanted) }))
}

/** Abandons the next generation of a chain, if any. */
export function* abandonNext(chainId: number): Script<void> {
  const id = yield* generationId(chainId, 'next')
  if (id !== undefined) yield* retire(id)
}

/** Makes the next generation live if it is at this cursor. Returns whether it was. */
export function* promote(chainId: number, at: Cursor): Script<boolean> {
  const id = yield* generationId(chainId, 'next')
  if (id === undefined || (yield* run(LOCK_CURSOR({ id, ...at }))).changes !== 1) return false
  const previous = yield* generationId(chainId, 'live')
  if (previous !== undefined) yield* retire(previous)
  yield* run(SET_ROLE({ id, role: 'live' }))
  return true
}

/** Sets a new version, which invalidates cached results. Random, so that a restored database repeats no version. */
export function* renewVersion(id: number): Script<void> {
  yield* run(SET_VERSION({ id, version: randomInt(1, RANDOM_IDS) }))
}

/** Makes a generation obsolete. Without a cursor no instance can write to it. */
function* retire(id: number): Script<void> {
  yield* run(DROP_CURSOR({ id }))
  yield* run(SET_ROLE({ id, role: 'old' }))
}

/** Deletes some rows of an obsolete generation. Returns false if there is none. */
export function* sweep(chainId: number, consumer: IndexConsumer): Script<boolean> {
  const id = yield* generationId(chainId, 'old')
  if (id === undefined) return false
  let deleted = yield* consumer.sweep(id, SWEEP_BATCH)
  for (const statement of SWEEPS) deleted += (yield* run(statement({ id }))).changes
  if (deleted === 0) yield* run(FORGET({ id }))
  return true
}
