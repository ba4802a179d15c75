import { UnstorableError } from '../errors.js'
import type { Driver, Query, Result, Value } from './sql.js'
import { identityStore } from './tables/identity.js'
import { GROUPS, type Group, type Table } from './tables/moving.js'

/** Rows that are read and written at once: a document of the index has up to a megabyte. */
const BATCH = 50

/** What became of the rows of a group. */
export interface Moved {
  what: string
  /** Rows that were written. */
  moved: number
  /** Rows that were not, since the target has what is newer. */
  left: number
}

/** The state cannot be moved so. */
export class MoveError extends Error {}

/**
 * Moves the state of one database into another one: what the target has of its own stays, and no nonce goes down. Each
 * group of tables comes over as a whole; after an end in between it may be done again. Only then the one is marked as
 * moved, and the other one as what it was moved to. Nobody else may use either meanwhile. False where it was moved
 * already. Throws MoveError.
 */
export async function moveState(from: Driver, to: Driver, told: (moved: Moved) => void): Promise<boolean> {
  const [source, target] = [identityStore(from), identityStore(to)]
  const [given, own] = [await source.get(), await target.get()]
  if (given.successor !== undefined && given.successor !== own.id)
    throw new MoveError('its state was moved to another database than this one')
  if (given.successor !== undefined && own.contains.includes(given.id)) return false
  if (own.successor !== undefined && own.successor !== given.id)
    throw new MoveError('the state of the target was moved to another database than this one')
  // what the target has went into the source once, and has changed there since
  const older = own.successor === given.id && given.contains.includes(own.id)
  for (const group of GROUPS) {
    const moved = await to
      .session((run) => moveGroup(group, from, run, older))
      .catch((error: unknown) => {
        throw error instanceof UnstorableError ? new MoveError(`the target does not take its ${group.what}`) : error
      })
    told(moved)
  }
  // in this order: at no moment both of them could be started with
  await source.retire(own.id)
  await target.contain([given.id, ...given.contains])
  return true
}

type Run = (query: Query) => Promise<Result>

async function moveGroup(group: Group, from: Driver, run: Run, older: boolean): Promise<Moved> {
  const { what, tables } = group
  const counts = { what, moved: 0, left: 0 }
  if (group.replaces && older) for (const { name } of tables) await run({ text: `DELETE FROM ${name}`, values: [] })
  if (group.keepsOwn) {
    const [first] = tables as [Table]
    const count = { text: `SELECT count(*) AS n FROM ${first.name}`, values: [] }
    if (Number((await run(count)).rows[0]?.n) > 0)
      return { ...counts, left: Number((await from.query(count)).rows[0]?.n) }
  }
  for (const table of tables)
    for await (const rows of batches(table, from)) {
      const { changes } = await run(insertion(table, rows))
      counts.moved += changes
      counts.left += rows.length - changes
    }
  return counts
}

async function* batches({ name, columns, key }: Table, from: Driver): AsyncGenerator<Result['rows']> {
  const keys = columns.slice(0, key)
  const marks = keys.map(() => '?').join(', ')
  let last: Value[] | undefined
  for (;;) {
    const { rows } = await from.query({
      text: `SELECT ${columns.join(', ')} FROM ${name} ${last ? `WHERE (${keys.join(', ')}) > (${marks})` : ''}
        ORDER BY ${keys.join(', ')} LIMIT ${BATCH}`,
      values: last ?? [],
    })
    if (rows.length > 0) yield rows
    if (rows.length < BATCH) return
    last = keys.map((column) => rows.at(-1)?.[column] as Value)
  }
}

function insertion({ name, columns, conflict = '' }: Table, rows: Result['rows']): Query {
  const marks = `(${columns.map(() => '?').join(', ')})`
  return {
    text: `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${rows.map(() => marks).join(', ')} ${conflict}`,
    values: rows.flatMap((row) => columns.map((column) => row[column] as Value)),
  }
}
