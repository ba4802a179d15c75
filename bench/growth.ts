import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { openPostgresStore } from '../src/state/postgres.js'
import { DATABASE_FILE, openSqliteStore } from '../src/state/sqlite.js'
import type { StateStore } from '../src/state/store.js'
import { startPostgres } from '../test/helpers/backends.js'
import type { Benchmark } from './lib/benchmark.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'

/** A database under measurement, and a way to fill it without the service. */
interface Filled {
  name: string
  sizes: number[]
  store: StateStore
  /** Runs a statement over the numbers from one up to another: `:i` is the number, as 40 hex digits in `:hex`. */
  fill(statement: string, from: number, to: number): Promise<void>
}

const AT_ONCE = 32
const hex = (i: number) => i.toString(16).padStart(40, '0')
const address = (i: number) => `0x${hex(i)}` as const
/** The first part of a nonce's sort key, which is 40 digits. */
const digits = (value: number) => String(value).padStart(40, '0')

/** How consuming a nonce and looking up a token or an asset slow down as there are more of them. */
export const growth: Benchmark = async ({ smoke }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const postgres = await startPostgres()
  const rows: Row[] = []
  try {
    rows.push(...(await measure(embedded(folder, smoke), smoke)))
    rows.push(...(await measure(await remote(postgres.url(), smoke), smoke)))
  } finally {
    await postgres.close()
    rmSync(folder, { recursive: true })
  }
  report('growth', 'Operations per second of one process as the database grows', rows)
}

async function measure({ name, sizes, store, fill }: Filled, smoke: boolean): Promise<Row[]> {
  const amount = smoke ? 100 : 20_000
  const rows: Row[] = []
  let next = 1
  const random = (size: number) => address(Math.floor(Math.random() * size))
  const kinds: [string, number, string[], (size: number) => Promise<unknown>][] = [
    [
      'consume a nonce',
      Number.POSITIVE_INFINITY,
      [`INSERT INTO nonces (address, nonce) SELECT '0x' || :hex, '${digits(0)}'`],
      (size) => store.nonces.consume(random(size), digits(next++)),
    ],
    [
      'is a token deleted',
      1_000_000,
      ['INSERT INTO revocations (jti, expires_at) SELECT :hex, 9000000000'],
      () => store.revocations.isRevoked(hex(Math.floor(Math.random() * 1e9))),
    ],
    [
      'find an asset',
      1_000_000,
      [
        "INSERT INTO index_nft (chain_id, address, name, symbol, token_uri, owner, created) SELECT 1, '0x' || :hex, 'n', 's', '', '0x', ''",
        "INSERT INTO index_datatoken (chain_id, address, nft, name, symbol, position) SELECT 1, '1x' || :hex, '0x' || :hex, 'n', 's', 0",
        `INSERT INTO index_asset (did, chain_id, nft, state, ddo, tx_id, block, sender, timestamp) SELECT :hex, 1, '0x' || :hex, 0, '${'x'.repeat(300)}', '0x', 1, '0x', 1`,
      ],
      (size) => store.index.asset(hex(Math.floor(Math.random() * size))),
    ],
  ]
  for (const [what, most, statements, operation] of kinds) {
    let filled = 0
    let first: number | undefined
    for (const size of sizes.filter((one) => one <= most)) {
      for (const statement of statements) await fill(statement, filled, size)
      filled = size
      const rates: number[] = []
      for (let round = 0; round < 3; round++) {
        let left = amount
        const begun = performance.now()
        const worker = async () => {
          while (left-- > 0) await operation(size)
        }
        await Promise.all(Array.from({ length: AT_ONCE }, worker))
        rates.push(amount / ((performance.now() - begun) / 1000))
      }
      first ??= median(rates)
      rows.push({
        database: name,
        what,
        entries: size,
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

function embedded(folder: string, smoke: boolean): Filled {
  const store = openSqliteStore(folder)
  return {
    name: 'embedded',
    sizes: smoke ? [10, 100] : [1000, 10_000, 100_000, 1_000_000, 10_000_000],
    store,
    async fill(statement, from, to) {
      const db = new Database(join(folder, DATABASE_FILE))
      const numbers = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})`
      db.exec(
        `${numbers} ${statement.replaceAll(':hex', "printf('%040x', i)")} FROM n`.replace(
          /^(WITH .*?\)) (INSERT INTO .*?\)) SELECT/s,
          '$2 $1 SELECT',
        ),
      )
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
    },
  }
}

async function remote(url: string, smoke: boolean): Promise<Filled> {
  return {
    name: 'PostgreSQL',
    sizes: smoke ? [10, 100] : [1000, 10_000, 100_000, 1_000_000],
    store: await openPostgresStore({ url, connections: 10, timeout: 60_000 }),
    async fill(statement, from, to) {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(
        `${statement.replaceAll(':hex', "lpad(to_hex(i), 40, '0')")} FROM generate_series(${from}, ${to - 1}) AS i`,
      )
      await client.query('ANALYZE')
      await client.end()
    },
  }
}
