import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { DATABASE_FILE } from '../packages/database/src/sqlite/sqlite-file.js'
import { type ProviderKey, providerKey } from '../packages/protocol/src/crypto/keys.js'
import { authenticate } from '../packages/provider/src/auth/authenticate.js'
import { CutOver } from '../packages/provider/src/auth/nonces/cut-over.js'
import { parseNonce } from '../packages/provider/src/auth/nonces/nonce.js'
import { SignerRecovery } from '../packages/provider/src/auth/recovery.js'
import { SignatureMatcher } from '../packages/provider/src/auth/signature.js'
import { openPostgresStore } from '../packages/provider/src/state/postgres.js'
import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import type { StateStore } from '../packages/provider/src/state/stores.js'
import { signatureOf } from '../test/helpers/requests.js'
import type { Benchmark } from './lib/benchmark.js'
import { postgresFor } from './lib/database.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'
import { nextNonce } from './lib/stage.js'

/** A database under test, and a way to fill it without the service. */
interface TestDatabase {
  name: string
  sizes: number[]
  store: StateStore
  /** Runs a statement over the numbers of a range, with `:hex` for the 40 hex digits of `spreadHex`. */
  fill(statement: string, range: Range): Promise<void>
}

/** Integers from `from` up to, but not including, `to`. */
interface Range {
  from: number
  to: number
}

/** One measured operation, and the statements that fill its tables. */
interface Operation {
  what: string
  maxEntries: number
  fill: string[]
  /** Prepares `amount` operations for one round. */
  prepare(amount: number, range: Range): (() => Promise<unknown>)[]
}

const CONCURRENCY = 32
const SIGNERS = 5000
const PREFIX = 0xffffffff

/** Returns 40 hex digits for a number: evenly distributed, like addresses, and in ascending order, for fast inserts. */
function spreadHex(i: number, { from, to }: Range): string {
  const prefix = Math.floor(((i - from) * PREFIX) / (to - from))
  return prefix.toString(16).padStart(8, '0') + i.toString(16).padStart(32, '0')
}

const any = ({ from, to }: Range) => from + Math.floor(Math.random() * (to - from))

/** Measures how consuming a nonce and looking up a token or an asset slow down as the tables grow. */
export const growth: Benchmark = async (options) => {
  const { smoke } = options
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const postgres = await postgresFor(options)
  const rows: Row[] = []
  try {
    for (const database of [embedded(folder, smoke), await remote(postgres.url(), smoke)]) {
      // assets are only found on a chain with a cursor
      await database.store.index.commit({ chainId: 1, from: undefined, to: { block: 1, hash: '0x1' }, changes: [] })
      rows.push(...(await measure(database, smoke)))
    }
  } finally {
    await postgres.close()
    rmSync(folder, { recursive: true })
  }
  report('growth', 'Operations per second of one process as the database grows', rows, options)
}

async function measure({ name, sizes, store, fill }: TestDatabase, smoke: boolean): Promise<Row[]> {
  const rows: Row[] = []
  for (const operation of operationsOf(store, smoke ? 50 : SIGNERS)) {
    let from = 0
    let first: number | undefined
    for (const to of sizes.filter((size) => size <= operation.maxEntries)) {
      for (const statement of operation.fill) await fill(statement, { from, to })
      const rates: number[] = []
      for (let round = 0; round < (smoke ? 1 : 3); round++) {
        const calls = operation.prepare(smoke ? 50 : 20_000, { from, to })
        const amount = calls.length
        const begun = performance.now()
        const worker = async () => {
          for (let call = calls.pop(); call; call = calls.pop()) await call()
        }
        await Promise.all(Array.from({ length: CONCURRENCY }, worker))
        rates.push(amount / ((performance.now() - begun) / 1000))
      }
      from = to
      first ??= median(rates)
      rows.push({
        database: name,
        what: operation.what,
        entries: to,
        'per second': Math.round(median(rates)),
        spread: spread(rates),
        'times slower': rounded(first / median(rates)),
      })
      process.stdout.write('.')
    }
  }
  await store.close()
  return rows
}

function operationsOf(store: StateStore, signers: number): Operation[] {
  const keys = Array.from({ length: signers }, (_, at) => providerKey((at + 1).toString(16).padStart(64, '0')))
  const signatures = new SignatureMatcher(new SignerRecovery({ thread: false, isSingle: () => true }))
  const cutOver = new CutOver(store.cutOver)
  const many = (amount: number, make: () => () => Promise<unknown>) => Array.from({ length: amount }, make)
  return [
    {
      what: 'check a signature and consume its nonce',
      maxEntries: Number.POSITIVE_INFINITY,
      fill: [`INSERT INTO nonces (address, nonce) SELECT '0x' || :hex, '${'0'.repeat(40)}'`],
      prepare: (amount) => {
        const requests = Array.from({ length: amount }, (_, at) => {
          const key = keys[at % keys.length] as ProviderKey
          const nonce = nextNonce()
          return { key, nonce, signature: signatureOf(key, key.address + nonce) }
        })
        // workers take them from the end
        return requests.reverse().map(({ key, nonce, signature }) => async () => {
          const proof = { address: key.address, nonce: parseNonce(nonce, 10n ** 39n), signature }
          const proven = await authenticate(
            { ...proof, messages: [key.address + nonce], chains: new Map() },
            { nonces: store.nonces, signatures, cutOver },
          )
          await proven.consumeNonce()
        })
      },
    },
    {
      what: 'is a token deleted',
      maxEntries: 1_000_000,
      fill: ['INSERT INTO revocations (jti, expires_at) SELECT :hex, 9000000000'],
      prepare: (amount, range) => many(amount, () => () => store.revocations.isRevoked(spreadHex(any(range), range))),
    },
    {
      what: 'find an asset',
      maxEntries: 1_000_000,
      fill: [
        "INSERT INTO index_nft (chain_id, address, name, symbol, token_uri, owner, created) SELECT 1, '0x' || :hex, 'n', 's', '', '0x', ''",
        "INSERT INTO index_datatoken (chain_id, address, nft, name, symbol, position) SELECT 1, '1x' || :hex, '0x' || :hex, 'n', 's', 0",
        `INSERT INTO index_asset (did, chain_id, nft, state, ddo, encrypted, tx_id, block, sender, timestamp) SELECT :hex, 1, '0x' || :hex, 0, '${'x'.repeat(300)}', 0, '0x', 1, '0x', 1`,
      ],
      prepare: (amount, range) =>
        many(amount, () => async () => {
          if (!(await store.index.asset(spreadHex(any(range), range)))) throw new Error('An asset was not found.')
        }),
    },
  ]
}

function embedded(folder: string, smoke: boolean): TestDatabase {
  const store = openSqliteStore(folder)
  return {
    name: 'embedded',
    sizes: smoke ? [10, 100] : [1000, 100_000, 1_000_000, 10_000_000],
    store,
    async fill(statement, { from, to }) {
      const db = new Database(join(folder, DATABASE_FILE))
      const numbers = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})`
      const digits = `printf('%08x%032x', (i - ${from}) * ${PREFIX} / ${to - from}, i)`
      db.exec(`${statement.replace(' SELECT ', ` ${numbers} SELECT `).replaceAll(':hex', digits)} FROM n`)
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
    },
  }
}

async function remote(url: string, smoke: boolean): Promise<TestDatabase> {
  return {
    name: 'PostgreSQL',
    sizes: smoke ? [10, 100] : [1000, 100_000, 1_000_000, 10_000_000],
    store: await openPostgresStore({ url, connections: 10, timeout: 60_000 }),
    async fill(statement, { from, to }) {
      const client = new pg.Client(url)
      await client.connect()
      const prefix = `lpad(to_hex((i - ${from})::bigint * ${PREFIX} / ${to - from}), 8, '0')`
      const digits = `(${prefix} || lpad(to_hex(i), 32, '0'))`
      await client.query(`${statement.replaceAll(':hex', digits)} FROM generate_series(${from}, ${to - 1}) AS i`)
      await client.query('ANALYZE')
      await client.end()
    },
  }
}
