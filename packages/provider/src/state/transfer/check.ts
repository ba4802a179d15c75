import { PROVIDER_LIMITS } from '../../limits.js'
import { countOf } from './pass.js'
import type { Place } from './place.js'
import { backupTime } from './restore.js'
import { ageOfState, allTables, copiedTables } from './schema.js'
import { identityIn, openSnapshot, type Snapshot, text } from './snapshot.js'

/** The result of one check. */
export interface Finding {
  ok: boolean
  text: string
}

/** Contradictions between rows: SQL that counts them, and its tables. */
const CONTRADICTIONS: { what: string; tables: string[]; count: string }[] = [
  ...[
    'index_cursor',
    'index_nft',
    'index_datatoken',
    'index_asset',
    'index_order',
    'index_market',
    'index_offer',
    'index_checkpoint',
    'index_undo',
  ].map((table) => ({
    what: `rows of ${table} without a reading of the chain`,
    tables: [table, 'index_reading'],
    count: `${table} AS t WHERE NOT EXISTS (SELECT 1 FROM index_reading AS r WHERE r.id = t.chain_id)`,
  })),
  {
    what: 'readings of a chain that serve requests without a cursor',
    tables: ['index_reading', 'index_cursor'],
    count: `index_reading AS r WHERE role = 'live' AND NOT EXISTS (SELECT 1 FROM index_cursor AS c WHERE c.chain_id = r.id)`,
  },
  {
    what: 'assets of the index that are newer than its cursor',
    tables: ['index_asset', 'index_cursor'],
    count: 'index_asset AS a JOIN index_cursor AS c ON c.chain_id = a.chain_id WHERE a.block > c.block',
  },
  {
    what: 'checkpoints of the index that are newer than its cursor',
    tables: ['index_checkpoint', 'index_cursor'],
    count: 'index_checkpoint AS p JOIN index_cursor AS c ON c.chain_id = p.chain_id WHERE p.block > c.block',
  },
  {
    what: 'assets of the index without their NFT',
    tables: ['index_asset', 'index_nft'],
    count:
      'index_asset AS a WHERE NOT EXISTS (SELECT 1 FROM index_nft AS n WHERE n.chain_id = a.chain_id AND n.address = a.nft)',
  },
  {
    what: 'search rows without a document',
    tables: ['search_value', 'search_document'],
    count: 'search_value AS v WHERE NOT EXISTS (SELECT 1 FROM search_document AS d WHERE d.id = v.doc)',
  },
  {
    what: 'documents of the search without an asset',
    tables: ['search_document', 'search_pending', 'index_asset'],
    count: `search_document AS d
      WHERE NOT EXISTS (SELECT 1 FROM index_asset AS a WHERE a.chain_id = d.chain_id AND a.nft = d.nft)
        AND NOT EXISTS (SELECT 1 FROM search_pending AS p WHERE p.chain_id = d.chain_id AND p.nft = d.nft)`,
  },
]

/** Format of a stored nonce: 40 digits and an optional fraction. */
const NONCE = new RegExp(`^\\d{${PROVIDER_LIMITS.nonces.digits}}(\\.\\d*[1-9])?$`)

/** Checks a database or a backup, also while a service uses it. Changes nothing. Throws StartError if it cannot be opened. */
export async function* checkState(place: Place): AsyncGenerator<Finding> {
  const snapshot = await openSnapshot(place)
  try {
    const age = ageOfState(snapshot.versions)
    const isKnown = age === 'current' || age === 'older'
    yield { ok: isKnown, text: SCHEMA_LINES[age] }
    if (!isKnown) return
    yield await integrity(snapshot)
    if (place.kind === 'file') {
      const at = await backupTime(snapshot)
      yield {
        ok: true,
        text: `backup: ${at === undefined ? 'does not say when it was made' : `of ${new Date(at).toISOString()}`}`,
      }
    }
    yield await identity(snapshot)
    const tables = copiedTables(snapshot.versions).map(({ name }) => name)
    for (const name of tables) yield { ok: true, text: `${name}: ${await countOf(name, snapshot.run)} rows` }
    for (const name of ['nonces', 'wallet_nonces'].filter((name) => tables.includes(name)))
      yield* malformedNonces(name, snapshot)
    yield* contradictions(snapshot)
  } finally {
    await snapshot.close()
  }
}

const SCHEMA_LINES = {
  none: 'schema: none, this is not a database of Tidegate',
  current: 'schema: of this version',
  older: 'schema: of an earlier version, the next start upgrades it',
  newer: 'schema: of a newer Tidegate',
}

/** Reads the whole database. */
async function integrity({ dialect, versions, run }: Snapshot): Promise<Finding> {
  if (dialect === 'sqlite') {
    const { rows } = await run(text('SELECT integrity_check AS result FROM pragma_integrity_check(10)'))
    const ok = rows.length === 1 && rows[0]?.result === 'ok'
    return { ok, text: ok ? 'integrity: every page is sound' : `integrity: damaged, ${rows.length} or more findings` }
  }
  const names = [...allTables(versions).map(({ name }) => name), 'search_text']
  // as text, so that large values are read too
  for (const name of names) await run(text(`SELECT sum(length(CAST(t AS text))) AS n FROM ${name} AS t`))
  return { ok: true, text: 'integrity: every row can be read' }
}

async function identity(snapshot: Snapshot): Promise<Finding> {
  const found = await identityIn(snapshot)
  if (found?.id === undefined) return { ok: false, text: 'identity: missing' }
  if (found.copying !== undefined)
    return { ok: false, text: `identity: ${found.id}, an unfinished copy of ${found.copying}` }
  if (found.successor !== undefined)
    return { ok: false, text: `identity: ${found.id}, was moved to ${found.successor} and must not be used any more` }
  return { ok: true, text: `identity: ${found.id}` }
}

async function* malformedNonces(name: string, { run }: Snapshot): AsyncGenerator<Finding> {
  const lengths = `length(nonce) NOT BETWEEN 40 AND 81 OR nonce < '0' OR nonce >= ':'`
  const { rows } = await run(text(`SELECT nonce FROM ${name} WHERE ${lengths} OR nonce LIKE '%.%' LIMIT 100000`))
  const wrong = rows.filter(({ nonce }) => !NONCE.test(nonce as string)).length
  if (wrong > 0) yield { ok: false, text: `${name}: ${wrong} are no nonces` }
}

async function* contradictions({ versions, run }: Snapshot): AsyncGenerator<Finding> {
  const tables = new Set(allTables(versions).map(({ name }) => name))
  let found = 0
  for (const { what, tables: needed, count } of CONTRADICTIONS) {
    if (!needed.every((name) => tables.has(name))) continue
    const n = Number((await run(text(`SELECT count(*) AS n FROM ${count}`))).rows[0]?.n)
    if (n > 0) yield { ok: false, text: `${what}: ${n}` }
    found += n
  }
  if (found === 0) yield { ok: true, text: 'cross-checks: no row contradicts another one' }
}
