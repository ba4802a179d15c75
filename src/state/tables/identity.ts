import { randomUUID } from 'node:crypto'
import { step } from '../script.js'
import { type Driver, type Query, type Result, type Script, sql, sqlOne } from '../sql.js'
import type { Identity, IdentityStore } from '../store.js'

/** What an id in the table is: this state's own, one that is contained in it, or the one that it was moved to. */
type Role = 'self' | 'contained' | 'successor'

/** Tables without a row in which a state is no loss. */
export const MUST_SURVIVE = ['nonces', 'wallet_nonces', 'revocations', 'proofs', 'proven']

const ALL = sql('SELECT id, role FROM identity ORDER BY id')
const NAME = sql(
  `INSERT INTO identity (id, role) SELECT :id, 'self' WHERE NOT EXISTS (SELECT 1 FROM identity WHERE role = 'self')`,
)
const ADD = sql(
  `INSERT INTO identity (id, role) VALUES (:id, :role)
   ON CONFLICT (id) DO UPDATE SET role = excluded.role WHERE identity.role <> 'self'`,
)
const OPEN = sql(`DELETE FROM identity WHERE role = 'successor'`)
const CLOSED = sql(`UPDATE identity SET role = 'contained' WHERE role IN ('self', 'successor')`)
const USED = sqlOne(
  `SELECT 1 AS found WHERE ${MUST_SURVIVE.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')}`,
)

/** The statement that gives a state without an id one: run in the transaction that makes the tables. */
export const nameState = (): Query => NAME({ id: randomUUID() })

/** What the rows of the table say. */
export function identityOf(rows: Result['rows']): Identity {
  const of = (role: Role) => rows.filter((row) => row.role === role).map(({ id }) => id as string)
  const [successor] = of('successor')
  return { id: of('self')[0] as string, contains: of('contained'), ...(successor ? { successor } : {}) }
}

function* contain(ids: string[]): Script<void> {
  yield* step(OPEN())
  for (const id of ids) yield* step(ADD({ id, role: 'contained' }))
}

function* retire(successor: string): Script<void> {
  yield* step(OPEN())
  yield* step(ADD({ id: successor, role: 'successor' }))
}

function* fork(): Script<void> {
  const { successor } = identityOf((yield* step(ALL())).rows)
  if (successor === undefined) return // another instance was faster
  yield* step(CLOSED())
  yield* step(nameState())
}

export function identityStore(db: Driver): IdentityStore {
  return {
    get: async () => identityOf((await db.query(ALL())).rows),
    isEmpty: async () => (await db.query(USED())).rows.length === 0,
    contain: (ids) => db.transact(contain(ids)),
    retire: (successor) => db.transact(retire(successor)),
    fork: () => db.transact(fork()),
  }
}
