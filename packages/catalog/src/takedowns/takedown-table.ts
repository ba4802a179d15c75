import { type Dialect, type Driver, type Query, run, type Script, sql, sqlOne } from '@tidegate/database'
import { didHash, didsWith } from '@tidegate/protocol'
import { among } from '../index/tables/assets.js'
import { renewVersion } from '../index/tables/generations.js'
import { rewriteIfStorable } from '../search/tables/document-rows.js'

/** An asset that the operator has taken down. */
export interface Takedown {
  did: string
  /** In general words: everybody who asks for the asset reads it. */
  reason: string
  /** Milliseconds since 1970. */
  at: number
}

/** A takedown that began, changed or ended. */
export interface TakedownChange extends Takedown {
  hasEnded: boolean
  /** Grows with each change of the table. */
  change: number
}

/** Takedowns hold for both DIDs of an asset: its publisher may change the version of the document, and with it the DID. */
export interface TakedownStore {
  /**
   * Takes an asset down: searches do not find it from then on. `isNew`: whether it was not taken down. `isIndexed`: whether the index
   * knows it. Replaces the reason.
   */
  add(takedown: Takedown): Promise<{ isNew: boolean; isIndexed: boolean }>
  /** Ends the takedown of an asset. Returns false if it is not taken down. `at`: milliseconds since 1970. */
  undo(did: string, at: number): Promise<boolean>
  /** Returns the takedown of a DID; undefined if there is none. */
  find(did: string): Promise<Takedown | undefined>
  /** Returns those of some DIDs that are taken down. */
  among(dids: readonly string[]): Promise<Set<string>>
  /** Returns takedowns after a DID, ordered by the hash of the DID. */
  list(after: string, limit: number): Promise<Takedown[]>
  /** Returns the newest takedowns. */
  newest(limit: number): Promise<Takedown[]>
  count(): Promise<number>
  /** Returns the number of the last change. */
  lastChange(): Promise<number>
  /** Returns the changes after one, in order. */
  changesAfter(change: number, limit: number): Promise<TakedownChange[]>
}

const COLUMNS = 'did, reason, at'
const IN_FORCE = 'ended_at IS NULL'
const NEXT_CHANGE = '(SELECT coalesce(max(change), 0) + 1 FROM takedowns)'
const ADD = sql(
  `INSERT INTO takedowns (hash, did, reason, at, ended_at, change) VALUES (:hash, :did, :reason, :at, NULL, ${NEXT_CHANGE})
   ON CONFLICT (hash) DO UPDATE SET did = excluded.did, reason = excluded.reason, change = excluded.change, ended_at = NULL,
     at = CASE WHEN takedowns.ended_at IS NULL THEN takedowns.at ELSE excluded.at END`,
)
const END = sql(`UPDATE takedowns SET ended_at = :at, change = ${NEXT_CHANGE} WHERE hash = :hash AND ${IN_FORCE}`)
const FIND = sqlOne(`SELECT ${COLUMNS} FROM takedowns WHERE hash = :hash AND ${IN_FORCE}`)
const AMONG = `SELECT hash FROM takedowns WHERE ${IN_FORCE} AND hash IN`
/** DIDs per statement. */
const AT_ONCE = 50
const LIST = sql(`SELECT ${COLUMNS} FROM takedowns WHERE ${IN_FORCE} AND hash > :hash ORDER BY hash LIMIT :limit`)
const NEWEST = sql(`SELECT ${COLUMNS} FROM takedowns WHERE ${IN_FORCE} ORDER BY change DESC LIMIT :limit`)
const COUNT = sqlOne(`SELECT count(*) AS n FROM takedowns WHERE ${IN_FORCE}`)
const LAST = sqlOne('SELECT coalesce(max(change), 0) AS n FROM takedowns')
const CHANGES = sql(
  `SELECT ${COLUMNS}, change, CASE WHEN ${IN_FORCE} THEN 0 ELSE 1 END AS ended FROM takedowns
   WHERE change > :change ORDER BY change LIMIT :limit`,
)
// changes become visible in the order of their numbers
const LOCK = sql('LOCK TABLE takedowns IN EXCLUSIVE MODE')
const INDEXED = 'SELECT chain_id AS generation, nft FROM index_asset WHERE did IN'
// the row lock that every change of a generation takes first
const LOCK_CURSOR = sql('UPDATE index_cursor SET block = block WHERE chain_id = :generation')

/** An asset in a generation of the index. */
interface IndexedRow {
  generation: number
  nft: string
}

/** Returns the rows of an asset in all generations of the index, which do not change until the transaction ends. */
function* indexedRows(hash: string): Script<IndexedRow[]> {
  const read = function* () {
    const { rows } = yield* run(among(INDEXED, didsWith(hash)))
    return (rows as unknown as IndexedRow[]).sort((a, b) => a.generation - b.generation)
  }
  for (const { generation } of yield* read()) yield* run(LOCK_CURSOR({ generation }))
  return yield* read()
}

/** Changes the takedown of an asset, and writes its search rows anew: while it is taken down it has none. */
function* changed(
  hash: string,
  dialect: Dialect,
  work: () => Script<boolean>,
): Script<{ isChanged: boolean; isIndexed: boolean }> {
  if (dialect === 'postgres') yield* run(LOCK())
  const isChanged = yield* work()
  const rows = yield* indexedRows(hash)
  for (const { generation, nft } of rows) {
    yield* rewriteIfStorable(generation, nft, dialect)
    yield* renewVersion(generation)
  }
  return { isChanged, isIndexed: rows.length > 0 }
}

/** Creates the store of takedowns. A row stays when its takedown has ended, as the record of the operator. */
export function takedownStore(db: Driver): TakedownStore {
  const takedowns = async (query: Query) => (await db.query(query)).rows as unknown as Takedown[]
  const number = async (query: Query) => Number((await db.query(query)).rows[0]?.n)
  return {
    async add(takedown) {
      const hash = didHash(takedown.did)
      const { isChanged, isIndexed } = await db.transact(
        changed(hash, db.dialect, function* () {
          const isNew = (yield* run(FIND({ hash }))).rows.length === 0
          yield* run(ADD({ ...takedown, hash }))
          return isNew
        }),
      )
      return { isNew: isChanged, isIndexed }
    },
    async undo(did, at) {
      const hash = didHash(did)
      const end = function* () {
        return (yield* run(END({ hash, at }))).changes > 0
      }
      return (await db.transact(changed(hash, db.dialect, end))).isChanged
    },
    find: async (did) => (await takedowns({ ...FIND({ hash: didHash(did) }), isBrief: true }))[0],
    async among(dids) {
      const down = new Set<unknown>()
      for (let at = 0; at < dids.length; at += AT_ONCE) {
        const { rows } = await db.query(among(AMONG, dids.slice(at, at + AT_ONCE).map(didHash)))
        for (const { hash } of rows) down.add(hash)
      }
      return new Set(dids.filter((did) => down.has(didHash(did))))
    },
    list: (after, limit) => takedowns(LIST({ hash: after && didHash(after), limit })),
    newest: (limit) => takedowns(NEWEST({ limit })),
    count: () => number(COUNT()),
    lastChange: () => number({ ...LAST(), isBrief: true }),
    async changesAfter(change, limit) {
      const { rows } = await db.query(CHANGES({ change, limit }))
      return rows.map(({ ended, ...row }) => ({ ...(row as unknown as TakedownChange), hasEnded: ended === 1 }))
    },
  }
}
