import { randomBytes, randomUUID } from 'node:crypto'
import { type Dialect, type Driver, type Query, type Result, run, type Script, sql, sqlOne } from '@tidegate/database'

/** The identity of the state in a database. */
export interface Identity {
  id: string
  /** Other states that were moved into this one, or abandoned in its favour. */
  contains: string[]
  /** The state that this one was moved to. This one must not be used any more. */
  successor?: string
  /** The state that is being copied into this one. This one must not be used until that is complete. */
  copying?: string
}

/** Every state has a unique id, which distinguishes the current database from outdated ones. */
export interface IdentityStore {
  get(): Promise<Identity>
  /** Whether it holds nothing durable but the index. */
  isEmpty(): Promise<boolean>
  /** Records that other states were moved into this one, or abandoned. Clears `successor`. */
  contain(ids: string[]): Promise<void>
  /** Records that this state was moved to another one. */
  retire(successor: string): Promise<void>
  /** Continues a state that had been moved elsewhere, as a separate state with a new id. */
  fork(): Promise<void>
  /** Whether the database was loaded from a dump of PostgreSQL, and `replaceState` has not accepted that yet. */
  isRestored(): Promise<boolean>
}

/**
 * The role of an id in the table: this state, one that was moved into it, the one that it was moved to, or the one that
 * is being copied into it.
 */
type Role = 'self' | 'contained' | 'successor' | 'copying'

/** Tables with durable state: if all are empty, losing the database loses nothing. */
export const DURABLE_TABLES = ['nonces', 'wallet_nonces', 'cut_over', 'revocations', 'proofs', 'proven']

const ALL = sql('SELECT id, role FROM identity ORDER BY id')
const NAME = sql(
  `INSERT INTO identity (id, role) SELECT :id, 'self' WHERE NOT EXISTS (SELECT 1 FROM identity WHERE role = 'self')`,
)
const ADD = sql(
  `INSERT INTO identity (id, role) VALUES (:id, :role)
   ON CONFLICT (id) DO UPDATE SET role = excluded.role WHERE identity.role <> 'self'`,
)
const OPEN = sql(`DELETE FROM identity WHERE role = 'successor'`)
const COPIED = sql(`DELETE FROM identity WHERE role = 'copying'`)
const FORKED = sql(`UPDATE identity SET role = 'contained' WHERE role = 'successor'`)
const CLOSED = sql(`UPDATE identity SET role = 'contained' WHERE role IN ('self', 'successor')`)
const USED = sqlOne(
  `SELECT 1 AS found WHERE ${DURABLE_TABLES.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')}`,
)

/** Returns the statement that assigns an id to a new state. Must run in the transaction of the migrations. */
export const assignStateId = (): Query => NAME({ id: randomUUID() })

/** Reads the rows of the table. */
export function identityOf(rows: Result['rows']): Identity {
  const of = (role: Role) => rows.filter((row) => row.role === role).map(({ id }) => id as string)
  const [successor] = of('successor')
  const [copying] = of('copying')
  return {
    id: of('self')[0] as string,
    contains: of('contained'),
    ...(successor ? { successor } : {}),
    ...(copying ? { copying: copying.slice(COPYING.length) } : {}),
  }
}

/** Precedes the id of a state that is being copied, which may be the id of this state itself. */
const COPYING = 'copying '

function* beginCopy(source: string): Script<void> {
  yield* run(COPIED())
  yield* run(ADD({ id: COPYING + source, role: 'copying' }))
}

/** Marks a state as incomplete: `source` is being copied into it. No service starts on it until `contain` is called. */
export const markCopying = (db: Driver, source: string): Promise<void> => db.transact(beginCopy(source))

/** `xmin` is the transaction that wrote a row, modulo 2^32. */
const RESTORED = sqlOne(
  'SELECT 1 AS found FROM origin WHERE CAST(CAST(xmin AS TEXT) AS BIGINT) <> transaction % 4294967296',
)
const FORGET_ORIGIN = sql('DELETE FROM origin')
const RECORD_ORIGIN = sql('INSERT INTO origin VALUES (txid_current())')

function* replace(ids: string[], dialect: Dialect): Script<void> {
  if (dialect === 'postgres') {
    yield* run(FORGET_ORIGIN())
    yield* run(RECORD_ORIGIN())
  }
  yield* run(COPIED())
  yield* run(CLOSED())
  for (const id of ids) yield* run(ADD({ id, role: 'contained' }))
  yield* run(assignStateId())
}

/** Turns it into a new state that contains its former self and others, but not what any of them accepts from now on. */
export const replaceState = (db: Driver, ids: string[]): Promise<void> => db.transact(replace(ids, db.dialect))

function* contain(ids: string[]): Script<void> {
  yield* run(OPEN())
  yield* run(COPIED())
  for (const id of ids) yield* run(ADD({ id, role: 'contained' }))
}

function* retire(successor: string): Script<void> {
  yield* run(OPEN())
  yield* run(ADD({ id: successor, role: 'successor' }))
}

function* fork(): Script<void> {
  // the row lock lets one of several instances pass
  if ((yield* run(FORKED())).changes === 0) return
  yield* run(CLOSED())
  yield* run(assignStateId())
}

/** Creates the store of the state's identity. */
export function identityStore(db: Driver): IdentityStore {
  return {
    get: async () => identityOf((await db.query(ALL())).rows),
    isEmpty: async () => (await db.query(USED())).rows.length === 0,
    contain: (ids) => db.transact(contain(ids)),
    retire: (successor) => db.transact(retire(successor)),
    fork: () => db.transact(fork()),
    isRestored: async () => db.dialect === 'postgres' && (await db.query(RESTORED())).rows.length > 0,
  }
}

/** A statement that tests whether the database can be read. */
export const PING: Query = { text: 'SELECT id FROM identity', values: [] }

/**
 * Returns two statements, a transaction each, that test whether a database can be written, and undo themselves. The row
 * needs several pages: a small one could fit into free space of an existing page, and miss that the disk is full.
 */
export function probeWrites(): [Query, Query] {
  const row = { id: 'probe', role: randomBytes(16_384).toString('hex') }
  return [PROBE(row), UNDO_PROBE(row)]
}

const PROBE = sql(
  'INSERT INTO identity (id, role) VALUES (:id, :role) ON CONFLICT (id) DO UPDATE SET role = excluded.role',
)
const UNDO_PROBE = sql('DELETE FROM identity WHERE id = :id')
