import { randomUUID } from 'node:crypto'
import { type Dialect, type Driver, type Query, type Result, run, type Script, sql, sqlOne } from '@tidegate/database'

/** The identity of the state in a database. */
export interface Identity {
  id: string
  /** States that were moved into this one, or abandoned for it. */
  contains: string[]
  /** The state that replaces this one, which must not be used. */
  successor?: string
  /** The state that is being copied into this one, which must not be used until the copy is complete. */
  copying?: string
}

/** The id of a state distinguishes the current database from outdated copies. */
export interface IdentityStore {
  get(): Promise<Identity>
  /** Whether the database has no durable rows. The index does not count. */
  isEmpty(): Promise<boolean>
  /** Records states that were moved into this one, or abandoned. Clears `successor`. */
  contain(ids: string[]): Promise<void>
  /** Records the state that replaces this one. */
  retire(successor: string): Promise<void>
  /** Continues a replaced state as a separate state with a new id. */
  fork(): Promise<void>
  /** Whether a PostgreSQL dump was loaded into the database and `replaceState` has not accepted it yet. */
  isRestored(): Promise<boolean>
}

/** Role of an id in the table: this state, a contained one, the successor, or the source of a running copy. */
type Role = 'self' | 'contained' | 'successor' | 'copying'

/** Tables with durable state. If all are empty, losing the database loses nothing. */
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

/** Returns the statement that gives a new state its id. Must run in the transaction of the migrations. */
export const assignStateId = (): Query => NAME({ id: randomUUID() })

/** Converts the rows of the table. */
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

/** Prefix of the id of a source, which may equal the id of this state. */
const COPYING = 'copying '

function* beginCopy(source: string): Script<void> {
  yield* run(COPIED())
  yield* run(ADD({ id: COPYING + source, role: 'copying' }))
}

/** Marks a state as incomplete while `source` is copied into it. No service starts on it before `contain`. */
export const markCopying = (db: Driver, source: string): Promise<void> => db.transact(beginCopy(source))

/** `xmin` is the id of the transaction that wrote a row, modulo 2^32. */
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

/** Makes a new state of this one. It contains the old id and `ids`, but no later changes of those states. */
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
  // the row lock admits one of several instances
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
