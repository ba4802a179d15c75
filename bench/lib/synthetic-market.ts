import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { eventually } from '../../test/helpers/eventually.js'
import { cpuSeconds } from '../../test/helpers/measures.js'
import type { PostgresBackend } from '../../test/helpers/postgres-server.js'
import { indexedCorpus } from './corpus.js'
import { peakResident, resident, sendAny, treeSeconds } from './processes.js'
import { rounded } from './report.js'
import { connectionsOf, kindsOf, requestOf } from './search-kinds.js'
import { portOf, Service } from './stage.js'
import type { SyntheticChain } from './synthetic-chain.js'

/** Milliseconds between two looks at the progress of the index. */
const LOOK = 250

/** Milliseconds without work, after which memory counts as idle. */
const IDLE = 5000

/** Seconds of processor time and of the clock since the start. */
export interface Used {
  seconds: number
  process: number
  eventLoop: number
  node: number
  database: number
}

/** The service beside a synthetic chain, on one of the two databases. */
export interface Market {
  chain: SyntheticChain
  postgres?: PostgresBackend
}

const folderOf = ({ chain }: Market) => join(chain.folder, 'state')

/** Starts the service. Resolves when it is ready, with the milliseconds that it took. */
export async function startMarket(market: Market): Promise<{ service: Service; ready: () => Promise<number> }> {
  const { chain, postgres } = market
  mkdirSync(folderOf(market), { recursive: true })
  const begun = performance.now()
  const service = await Service.start(
    {
      ...{ ...chain.settings, STATE_DIR: folderOf(market), HOST: '127.0.0.1', PORT: '0', ALLOW_NON_PUBLIC_IP: 'true' },
      ...(postgres ? { DATABASE_URL: postgres.url() } : {}),
    },
    chain.folder,
  )
  const ready = async () => {
    await eventually(async () => (await fetch(`${service.url}/ready`)).status === 200, undefined, 10)
    return performance.now() - begun
  }
  return { service, ready }
}

/** Reads the chain to block `head`. Calls `onTenth` after each tenth of the blocks. */
export async function fillMarket(
  market: Market,
  service: Service,
  head: number,
  onTenth: (used: Used) => void,
): Promise<void> {
  const begun = performance.now()
  const pid = service.process.pid as number
  let tenths = 0
  const isDone = async () => {
    const { chains } = (await (await fetch(`${service.url}/ready`)).json()) as { chains: { block: number | null }[] }
    const block = chains[0]?.block ?? 0
    if (block >= (head / 10) * (tenths + 1)) {
      tenths = Math.floor((10 * block) / head)
      onTenth({
        seconds: (performance.now() - begun) / 1000,
        process: cpuSeconds(pid),
        eventLoop: cpuSeconds(pid, { mainThread: true }),
        node: cpuSeconds(market.chain.node),
        database: market.postgres ? treeSeconds(market.postgres.pids()) : 0,
      })
    }
    return block >= head
  }
  await eventually(isDone, Number.POSITIVE_INFINITY, LOOK)
}

/** Waits until the service does nothing, and returns its memory in MiB: the highest, and now. */
export async function idleMemory(service: Service, idle = IDLE): Promise<{ peak: number; now: number }> {
  const pid = service.process.pid as number
  const pause = () => new Promise((resolve) => setTimeout(resolve, idle))
  for (let before = cpuSeconds(pid); ; before = cpuSeconds(pid)) {
    await pause()
    // a count of keys in the background may take a tenth of a core for long
    if (cpuSeconds(pid) - before < (0.2 * idle) / 1000) break
  }
  return { peak: peakResident(pid), now: resident(pid) }
}

/**
 * Sends ten searches of each kind that front ends make over each connection, the kinds in turn; one in a smoke run. Returns the highest
 * memory of the service since its start, in MiB, and how many searches were refused: they may take too long.
 */
export async function memoryOfSearches({ url, process }: Service, assets: number, smoke: boolean) {
  const kinds = Object.values(kindsOf(indexedCorpus(assets)))
  const round = () => kinds.map((make) => requestOf(make()))
  const requests = Array.from({ length: connectionsOf(smoke) }, () =>
    Array.from({ length: smoke ? 1 : 10 }, round).flat(),
  )
  const amount = requests.flat().length
  const { failed } = await sendAny({ host: '127.0.0.1', port: portOf(url), requests, amount })
  return { peak: peakResident(process.pid as number), 'refused %': rounded((100 * failed) / amount, 1) }
}

/** Returns the bytes of each table and index of the database, the largest first. */
export async function tableSizes(market: Market): Promise<[name: string, bytes: number][]> {
  if (!market.postgres) return embeddedSizes(join(folderOf(market), DATABASE_FILE))
  const client = new pg.Client(market.postgres.url())
  await client.connect()
  const { rows } = await client.query(
    `SELECT relname AS name, pg_relation_size(oid) + coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0) AS bytes
     FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace ORDER BY bytes DESC`,
  )
  await client.end()
  return rows.map(({ name, bytes }) => [name, Number(bytes)])
}

function embeddedSizes(path: string): [name: string, bytes: number][] {
  const db = new Database(path, { readonly: true })
  const rows = db.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC').all() as {
    name: string
    bytes: number
  }[]
  db.close()
  // the newest pages may still be in the log
  const free = Math.max(0, statSync(path).size - rows.reduce((sum, { bytes }) => sum + bytes, 0))
  return [...rows.map(({ name, bytes }) => [name, bytes] as [string, number]), ['(free pages)', free]]
}
