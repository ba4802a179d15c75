import { randomInt } from 'node:crypto'
import { step } from '../script.js'
import { type Script, sql } from '../sql.js'
import type { Cursor, Readings } from '../store.js'

/** What a reading of a chain is for: it answers, is to replace that one, or is to be deleted. */
export type Role = 'live' | 'next' | 'old'

/** The id of a reading, as a part of statements that name a chain. It stands where rows have `chain_id`. */
export const idOf = (role: Role, chain = ':chainId') =>
  `(SELECT id FROM index_reading WHERE chain_id = ${chain} AND role = '${role}')`

const ID = sql('SELECT id FROM index_reading WHERE chain_id = :chainId AND role = :role')
const FIRST = sql(
  "INSERT INTO index_reading (id, chain_id, role, wanted) VALUES (:chainId, :chainId, 'live', 0) ON CONFLICT DO NOTHING",
)
const NEXT = sql("INSERT INTO index_reading (id, chain_id, role, wanted) VALUES (:id, :chainId, 'next', :wanted)")
const SET_ROLE = sql('UPDATE index_reading SET role = :role, wanted = 0 WHERE id = :id')
const FORGET = sql('DELETE FROM index_reading WHERE id = :id')
const ALL = sql(
  `SELECT r.id, r.role, r.wanted, c.block, c.hash FROM index_reading r LEFT JOIN index_cursor c ON c.chain_id = r.id
   WHERE r.chain_id = :chainId`,
)
// takes the lock of the row, so that nobody reads on meanwhile
const AT = sql('UPDATE index_cursor SET block = block WHERE chain_id = :id AND block = :block AND hash = :hash')
const DROP_CURSOR = sql('DELETE FROM index_cursor WHERE chain_id = :id')

/** Rows of a table that are deleted at once: assets have documents of up to a megabyte. */
const SWEPT = 100
const SWEEPS = [
  some('index_asset', 'nft'),
  some('index_nft', 'address'),
  some('index_datatoken', 'address'),
  sql('DELETE FROM index_checkpoint WHERE chain_id = :id'),
  some('index_undo', 'block'),
  DROP_CURSOR,
]

function some(table: string, key: string) {
  const first = `SELECT ${key} FROM ${table} WHERE chain_id = :id ORDER BY ${key} LIMIT ${SWEPT}`
  return sql(`DELETE FROM ${table} WHERE chain_id = :id AND ${key} IN (${first})`)
}

/** The id of a reading; undefined where there is none. */
export function* readingId(chainId: number, role: Role): Script<number | undefined> {
  return (yield* step(ID({ chainId, role }))).rows[0]?.id as number | undefined
}

/** The id of a reading to write to: the first one of a chain is made with its first rows. */
export function* readingToWrite(chainId: number, role: Role): Script<number | undefined> {
  const id = yield* readingId(chainId, role)
  if (id !== undefined || role !== 'live') return id
  yield* step(FIRST({ chainId }))
  return chainId
}

/** The statement that lists the readings of a chain, and what its rows say. */
export const listReadings = ALL

interface ReadingRow {
  id: number
  role: Role
  wanted: number
  block: number | null
  hash: Cursor['hash'] | null
}

export function readingsFrom(rows: ReadingRow[]): Readings {
  const found = (role: Role) => rows.find((row) => row.role === role)
  const [live, next] = [found('live'), found('next')]
  const at = ({ block, hash }: ReadingRow) => (block === null || hash === null ? undefined : { block, hash })
  const cursor = live && at(live)
  return {
    ...(live && cursor ? { live: { id: live.id, cursor } } : {}),
    ...(next ? { next: { id: next.id, cursor: at(next), wanted: next.wanted !== 0 } } : {}),
    old: found('old') !== undefined,
  }
}

export function* begin(chainId: number, wanted: boolean): Script<void> {
  yield* giveUp(chainId)
  if ((yield* readingId(chainId, 'live')) === undefined) return
  // those of first readings are the ids of their chains; instances that begin at once must not draw the same
  const id = -randomInt(1, 2 ** 47)
  yield* step(NEXT({ id, chainId, wanted: Number(wanted) }))
}

export function* giveUp(chainId: number): Script<void> {
  const id = yield* readingId(chainId, 'next')
  if (id !== undefined) yield* retire(id)
}

export function* replace(chainId: number, at: Cursor): Script<boolean> {
  const id = yield* readingId(chainId, 'next')
  if (id === undefined || (yield* step(AT({ id, ...at }))).changes !== 1) return false
  const before = yield* readingId(chainId, 'live')
  if (before !== undefined) yield* retire(before)
  yield* step(SET_ROLE({ id, role: 'live' }))
  return true
}

/** Without its cursor nobody adds anything to it any more. */
function* retire(id: number): Script<void> {
  yield* step(DROP_CURSOR({ id }))
  yield* step(SET_ROLE({ id, role: 'old' }))
}

export function* sweep(chainId: number): Script<boolean> {
  const id = yield* readingId(chainId, 'old')
  if (id === undefined) return false
  let deleted = 0
  for (const statement of SWEEPS) deleted += (yield* step(statement({ id }))).changes
  if (deleted === 0) yield* step(FORGET({ id }))
  return true
}
