import { type Driver, run, type Script, sql, sqlOne, type Value } from '@tidegate/database'
import type { HostedRow, HostedStore, HostedTotals, HostedUse, NewHostedFile } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'

const COLUMNS =
  'id, owner, size, deferred, concat, final, received, metadata, created_at, expires_at, sha256, completed_at, used_at, place, hash'
const SELECT = `SELECT ${COLUMNS} FROM hosted_files WHERE removed_at IS NULL`
const ADD = sql(
  `INSERT INTO hosted_files (id, owner, size, deferred, concat, received, metadata, created_at, expires_at, lock_until, lock_wanted)
   VALUES (:id, :owner, :size, :deferred, :concat, 0, :metadata, :createdAt, :expiresAt, 0, 0) ON CONFLICT (id) DO NOTHING`,
)
// also locks the owner's row until the end of the transaction
const CHARGE = sql(
  `INSERT INTO hosted_totals (owner, files, bytes) VALUES (:owner, 1, :size)
   ON CONFLICT (owner) DO UPDATE SET files = hosted_totals.files + 1, bytes = hosted_totals.bytes + excluded.bytes
   WHERE hosted_totals.files < :files AND hosted_totals.bytes + excluded.bytes <= :bytes`,
)
const REFUND = sql('UPDATE hosted_totals SET files = files - 1, bytes = bytes - :size WHERE owner = :owner')
const CHARGE_MORE = sql(
  'UPDATE hosted_totals SET bytes = bytes + :more WHERE owner = :owner AND bytes + :more <= :bytes',
)
const DEFERRED = sqlOne(
  'SELECT owner, size FROM hosted_files WHERE id = :id AND lock_holder = :holder AND deferred = 1 AND removed_at IS NULL',
)
const RESIZE = sql(
  `UPDATE hosted_files SET size = :size, deferred = :deferred
   WHERE id = :id AND lock_holder = :holder AND size = :old AND removed_at IS NULL`,
)
const CLAIM = sqlOne(
  `UPDATE hosted_files SET final = :final WHERE id = :id AND owner = :owner AND concat = 'partial' AND final IS NULL
     AND completed_at IS NOT NULL AND removed_at IS NULL RETURNING size`,
)
const UNCLAIM = sql('UPDATE hosted_files SET final = NULL WHERE final = :id')
const UNADD = sql('DELETE FROM hosted_files WHERE id = :id')
const SET_SIZE = sql('UPDATE hosted_files SET size = :size WHERE id = :id')
const SPENT = sql(
  `SELECT id FROM hosted_files p WHERE final IS NOT NULL AND removed_at IS NULL AND NOT EXISTS (
     SELECT 1 FROM hosted_files f WHERE f.id = p.final AND f.removed_at IS NULL AND f.completed_at IS NULL) LIMIT :limit`,
)
const TOTALS_OF = sqlOne('SELECT files, bytes FROM hosted_totals WHERE owner = :owner')
const TOTALS = sqlOne('SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes FROM hosted_totals')
const UNFINISHED = sqlOne('SELECT count(*) AS n FROM hosted_files WHERE completed_at IS NULL AND removed_at IS NULL')
const FIND = sqlOne(`${SELECT} AND id = :id`)
const LIST = sql(`${SELECT} AND owner = :owner AND id > :after ORDER BY id LIMIT :limit`)
const LIST_ALL = sql(`${SELECT} AND id > :after ORDER BY id LIMIT :limit`)
const LOCK = sql(
  `UPDATE hosted_files SET lock_holder = :holder, lock_until = :until, lock_wanted = 0
   WHERE id = :id AND removed_at IS NULL AND (lock_holder IS NULL OR lock_until <= :now)`,
)
const WANT = sql('UPDATE hosted_files SET lock_wanted = 1 WHERE id = :id AND lock_wanted = 0')
const RENEW = sqlOne(
  `UPDATE hosted_files SET lock_until = :until WHERE id = :id AND lock_holder = :holder AND removed_at IS NULL
   RETURNING lock_wanted`,
)
const UNLOCK = sql('UPDATE hosted_files SET lock_holder = NULL WHERE id = :id AND lock_holder = :holder')
const MOVE =
  'received = :to, place = :place, hash = :hash, lock_holder = :next WHERE id = :id AND lock_holder = :holder AND received = :from AND removed_at IS NULL'
const ADVANCE = sql(`UPDATE hosted_files SET ${MOVE}`)
const COMPLETE = sql(`UPDATE hosted_files SET sha256 = :sha256, completed_at = :at, ${MOVE}`)
const EXPIRED = sql(
  `SELECT id FROM hosted_files WHERE completed_at IS NULL AND removed_at IS NULL AND expires_at <= :now
     AND (lock_holder IS NULL OR lock_until <= :now) LIMIT :limit`,
)
const IDLE = sql(
  `${SELECT} AND completed_at < :since AND final IS NULL AND (used_at IS NULL OR used_at < :since) AND id > :after
   ORDER BY id LIMIT :limit`,
)
const SET_USED = sql('UPDATE hosted_files SET used_at = :at WHERE id = :id')
const SET_USED_AGAIN = sql(
  'UPDATE hosted_files SET used_at = :at WHERE id = :id AND (used_at IS NULL OR used_at < :before)',
)
const REMOVE = sqlOne(
  'UPDATE hosted_files SET removed_at = :at WHERE id = :id AND removed_at IS NULL RETURNING owner, CASE WHEN final IS NULL THEN size ELSE 0 END AS size',
)
const REMOVED = sql('SELECT id, place, metadata FROM hosted_files WHERE removed_at IS NOT NULL LIMIT :limit')
const FORGET = sql('DELETE FROM hosted_files WHERE id = :id AND removed_at IS NOT NULL')
const USE = sql(
  `INSERT INTO hosted_uses (file, chain_id, nft, list) SELECT :file, :chainId, :nft, :list
   WHERE (SELECT count(*) FROM hosted_uses WHERE file = :file) < :limit ON CONFLICT DO NOTHING`,
)
const USES = sql('SELECT chain_id, nft, list FROM hosted_uses WHERE file = :file LIMIT :limit')
const FORGET_USES = sql('DELETE FROM hosted_uses WHERE file = :file')

/** Ids per statement. A shorter list is padded, so that there is only one statement to prepare. */
const KNOWN_AT_ONCE = 100
const KNOWN = `SELECT id, metadata FROM hosted_files WHERE removed_at IS NULL AND (concat IS NULL OR concat <> 'partial') AND id IN (${Array(KNOWN_AT_ONCE).fill('?').join(', ')})`

function* create(file: NewHostedFile, limits: HostedTotals): Script<keyof HostedTotals | 'exists' | undefined> {
  if (file.size > limits.bytes) return 'bytes'
  if ((yield* run(CHARGE({ ...limits, owner: file.owner, size: file.size }))).changes !== 1) {
    const has = (yield* run(TOTALS_OF({ owner: file.owner }))).rows[0] as unknown as HostedTotals
    return has.files >= limits.files ? 'files' : 'bytes'
  }
  if ((yield* run(ADD(newRow(file)))).changes === 1) return undefined
  yield* run(REFUND(file))
  return 'exists'
}

function newRow({ isDeferred = false, concat = null, ...row }: NewHostedFile) {
  return { ...row, concat, deferred: Number(isDeferred) }
}

function* join(
  file: Omit<NewHostedFile, 'size'>,
  partials: readonly string[],
  limits: HostedTotals,
): Script<keyof HostedTotals | 'exists' | 'partials' | undefined> {
  const { id, owner } = file
  if ((yield* run(ADD(newRow({ ...file, size: 0 })))).changes !== 1) return 'exists'
  const refused = yield* claimAll()
  if (!refused) return undefined
  yield* run(UNCLAIM({ id }))
  yield* run(UNADD({ id }))
  return refused

  function* claimAll(): Script<keyof HostedTotals | 'partials' | undefined> {
    let size = 0
    // sorted, so that concurrent transactions do not wait for each other
    for (const partial of [...partials].sort()) {
      const [row] = (yield* run(CLAIM({ id: partial, owner, final: id }))).rows
      if (!row) return 'partials'
      size += Number(row.size)
      if (size > limits.bytes) return 'bytes'
    }
    yield* run(SET_SIZE({ id, size }))
    const charged = yield* run(CHARGE({ owner, size: 0, files: limits.files, bytes: Number.MAX_SAFE_INTEGER }))
    return charged.changes === 1 ? undefined : 'files'
  }
}

function* resize(
  id: string,
  holder: string,
  { size, isDeferred }: Pick<HostedRow, 'size' | 'isDeferred'>,
  bytes: number,
): Script<'bytes' | 'lost' | undefined> {
  const [row] = (yield* run(DEFERRED({ id, holder }))).rows
  if (!row) return 'lost'
  const old = Number(row.size)
  if ((yield* run(RESIZE({ id, holder, size, deferred: Number(isDeferred), old }))).changes !== 1) return 'lost'
  const most = size > old ? bytes : Number.MAX_SAFE_INTEGER
  const charged = yield* run(CHARGE_MORE({ owner: row.owner as string, more: size - old, bytes: most }))
  if (charged.changes === 1) return undefined
  yield* run(RESIZE({ id, holder, size: old, deferred: 1, old: size }))
  return 'bytes'
}

function* remove(id: string, at: number): Script<boolean> {
  const [row] = (yield* run(REMOVE({ id, at }))).rows
  if (row) yield* run(REFUND(row))
  return row !== undefined
}

function* forget(id: string, uses: readonly string[]): Script<void> {
  for (const file of uses) yield* run(FORGET_USES({ file }))
  yield* run(FORGET({ id }))
}

function* recordUses(
  files: readonly { id: string; hash: string }[],
  use: HostedUse,
  limit: number,
  at: number,
): Script<void> {
  for (const { id, hash } of files) {
    yield* run(USE({ file: hash, ...use, limit }))
    yield* run(SET_USED_AGAIN({ id, at, before: at - HOSTING_LIMITS.hosting.usedAgain }))
  }
}

export function hostedStore(db: Driver): HostedStore {
  const rows = async (query: ReturnType<typeof FIND>) => (await db.query(query)).rows
  return {
    create: (file, limits) => db.transact(create(file, limits)),
    find: async (id) => (await rows(FIND({ id }))).map(fileOf)[0],
    async list(owner, after, limit) {
      const query = owner === undefined ? LIST_ALL({ after, limit }) : LIST({ owner, after, limit })
      return (await rows(query)).map(fileOf)
    },
    async totals(owner) {
      const [row] = await rows(owner === undefined ? TOTALS() : TOTALS_OF({ owner }))
      return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) }
    },
    unfinished: async () => Number((await rows(UNFINISHED()))[0]?.n),
    async lock(id, holder, now, until) {
      if ((await db.query(LOCK({ id, holder, now, until }))).changes === 1) return true
      await db.query(WANT({ id }))
      return false
    },
    async renew(id, holder, until) {
      const [row] = await rows(RENEW({ id, holder, until }))
      return row ? (row.lock_wanted ? 'wanted' : 'held') : 'lost'
    },
    unlock: async (id, holder) => void (await db.query(UNLOCK({ id, holder }))),
    async advance(id, holder, { done, from, to, place = null, hash = null, unlocks = false }) {
      const move = { id, holder, from, to, place, hash, next: unlocks ? null : holder }
      const query = done ? COMPLETE({ ...move, ...done }) : ADVANCE(move)
      return (await db.query(query)).changes === 1
    },
    join: (file, partials, limits) => db.transact(join(file, partials, limits)),
    spent: async (limit) => (await rows(SPENT({ limit }))).map(({ id }) => id as string),
    resize: (id, holder, to, bytes) => db.transact(resize(id, holder, to, bytes)),
    expired: async (now, limit) => (await rows(EXPIRED({ now, limit }))).map(({ id }) => id as string),
    idle: async (since, after, limit) => (await rows(IDLE({ since, after, limit }))).map(fileOf),
    setUsed: async (id, at) => void (await db.query(SET_USED({ id, at }))),
    remove: (id, at) => db.transact(remove(id, at)),
    removed: async (limit) =>
      (await rows(REMOVED({ limit }))) as unknown as Pick<HostedRow, 'id' | 'place' | 'metadata'>[],
    forget: (id, uses) => db.transact(forget(id, uses)),
    async known(ids) {
      const [first] = ids
      if (first === undefined) return []
      const values = Array.from({ length: KNOWN_AT_ONCE }, (_, at) => ids[at] ?? first)
      return (await rows({ text: KNOWN, values })) as unknown as Pick<HostedRow, 'id' | 'metadata'>[]
    },
    recordUses: (files, use, limit, at) => db.transact(recordUses(files, use, limit, at)),
    uses: async (file, limit) =>
      (await rows(USES({ file, limit }))).map(
        ({ chain_id: chainId, ...use }) => ({ chainId, ...use }) as unknown as HostedUse,
      ),
  }
}

function fileOf(row: Record<string, Value>): HostedRow {
  const { id, owner, size, concat, final, received, metadata, sha256, place, hash } = row as unknown as HostedRow
  const { created_at: createdAt, expires_at: expiresAt, completed_at: completedAt, used_at: usedAt } = row
  const times = { createdAt, expiresAt, completedAt, usedAt }
  const isDeferred = row.deferred === 1
  return { id, owner, size, isDeferred, concat, final, received, metadata, sha256, place, hash, ...times } as HostedRow
}
