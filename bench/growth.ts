import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { authenticate } from '../src/auth/authenticate.js'
import { parseNonce } from '../src/auth/nonce.js'
import { type ProviderKey, providerKey } from '../src/crypto/keys.js'
import { openPostgresStore } from '../src/state/postgres.js'
import { openSqliteStore } from '../src/state/sqlite.js'
import { DATABASE_FILE } from '../src/state/sqlite-file.js'
import type { StateStore } from '../src/state/store.js'
import { startPostgres } from '../test/helpers/backends.js'
import { signatureOf } from '../test/helpers/requests.js'
import type { Benchmark } from './lib/benchmark.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'
import { nextNonce } from './lib/stage.js'

/** A database under measurement, and a way to fill it without the service. */
interface Filled {
  name: string
  sizes: number[]
  store: StateStore
  /** Runs a statement over the numbers of a range, with `:hex` for the 40 hex digits of `spreadHex`. */
  fill(statement: string, range: Range): Promise<void>
}

/** Numbers from `from` up to, but not including, `to`. */
interface Range {
  from: number
  to: number
}

/** One thing that is measured: the entries that it is measured among, and what is done again and again. */
interface Kind {
  what: string
  most: number
  fill: string[]
  /** Makes what is to be done in one round: so many operations. */
  prepare(amount: number, range: Range): (() => Promise<unknown>)[]
}

const AT_ONCE = 32
const SIGNERS = 5000
const PREFIX = 0xffffffff

/** 40 hex digits for a number of a range, spread evenly, as addresses are, and in their order, as a database likes it. */
function spreadHex(i: number, { from, to }: Range): string {
  const prefix = Math.floor(((i - from) * PREFIX) / (to - from))
  return prefix.toString(16).padStart(8, '0') + i.toString(16).padStart(32, '0')
}

const any = ({ from, to }: Range) => from + Math.floor(Math.random() * (to - from))

/** How consuming a nonce and looking up a token or an asset slow down as there are more of them. */
export const growth: Benchmark = async (options) => {
  const { smoke } = options
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const postgres = await startPostgres()
  const rows: Row[] = []
  try {
    for (const filled of [embedded(folder, smoke), await remote(postgres.url(), smoke)]) {
      // the assets belong to what was read of this chain
      await filled.store.index.commit({ chainId: 1, from: undefined, to: { block: 1, hash: '0x1' }, changes: [] })
      rows.push(...(await measure(filled, smoke)))
    }
  } finally {
    await postgres.close()
    rmSync(folder, { recursive: true })
  }
  report('growth', 'Operations per second of one process as the database grows', rows, options)
}

async function measure({ name, sizes, store, fill }: Filled, smoke: boolean): Promise<Row[]> {
  const rows: Row[] = []
  for (const kind of kindsOf(store, smoke ? 100 : SIGNERS)) {
    let from = 0
    let first: number | undefined
    for (const to of sizes.filter((one) => one <= kind.most)) {
      for (const statement of kind.fill) await fill(statement, { from, to })
      const rates: number[] = []
      for (let round = 0; round < 3; round++) {
        const operations = kind.prepare(smoke ? 100 : 20_000, { from, to })
        const amount = operations.length
        const begun = performance.now()
        const worker = async () => {
          for (let next = operations.pop(); next; next = operations.pop()) await next()
        }
        await Promise.all(Array.from({ length: AT_ONCE }, worker))
        rates.push(amount / ((performance.now() - begun) / 1000))
      }
      from = to
      first ??= median(rates)
      rows.push({
        database: name,
        what: kind.what,
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

function kindsOf(store: StateStore, signers: number): Kind[] {
  const keys = Array.from({ length: signers }, (_, at) => providerKey((at + 1).toString(16).padStart(64, '0')))
  const many = (amount: number, make: () => () => Promise<unknown>) => Array.from({ length: amount }, make)
  return [
    {
      what: 'check a signature and consume its nonce',
      most: Number.POSITIVE_INFINITY,
      fill: [`INSERT INTO nonces (address, nonce) SELECT '0x' || :hex, '${'0'.repeat(40)}'`],
      prepare: (amount) => {
        const requests = Array.from({ length: amount }, (_, at) => {
          const key = keys[at % keys.length] as ProviderKey
          const nonce = nextNonce()
          return { key, nonce, signature: signatureOf(key, key.address + nonce) }
        })
        // taken from the end
        return requests.reverse().map(({ key, nonce, signature }) => async () => {
          const asked = { address: key.address, nonce: parseNonce(nonce, 10n ** 39n), signature }
          const proven = await authenticate(
            { ...asked, messages: [key.address + nonce], chains: new Map() },
            store.nonces,
          )
          await proven.consumeNonce()
        })
      },
    },
    {
      what: 'is a token deleted',
      most: 1_000_000,
      fill: ['INSERT INTO revocations (jti, expires_at) SELECT :hex, 9000000000'],
      prepare: (amount, range) => many(amount, () => () => store.revocations.isRevoked(spreadHex(any(range), range))),
    },
    {
      what: 'find an asset',
      most: 1_000_000,
      fill: [
        "INSERT INTO index_nft (chain_id, address, name, symbol, token_uri, owner, created) SELECT 1, '0x' || :hex, 'n', 's', '', '0x', ''",
        "INSERT INTO index_datatoken (chain_id, address, nft, name, symbol, position) SELECT 1, '1x' || :hex, '0x' || :hex, 'n', 's', 0",
        `INSERT INTO index_asset (did, chain_id, nft, state, ddo, tx_id, block, sender, timestamp) SELECT :hex, 1, '0x' || :hex, 0, '${'x'.repeat(300)}', '0x', 1, '0x', 1`,
      ],
      prepare: (amount, range) =>
        many(amount, () => async () => {
          if (!(await store.index.asset(spreadHex(any(range), range)))) throw new Error('An asset was not found.')
        }),
    },
  ]
}

function embedded(folder: string, smoke: boolean): Filled {
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

async function remote(url: string, smoke: boolean): Promise<Filled> {
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
