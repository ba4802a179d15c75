import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../test/helpers/eventually.js'
import { cpuSeconds } from '../test/helpers/measures.js'
import type { Benchmark, Options } from './lib/benchmark.js'
import { postgresFor } from './lib/database.js'
import { DatabaseCounter, databaseLimits } from './lib/database-load.js'
import { databaseRequests, type Kind } from './lib/database-requests.js'
import { send } from './lib/processes.js'
import { median, quantile, type Row, report, rounded, spread } from './lib/report.js'
import { type Consumer, portOf, Service, Stage } from './lib/stage.js'

/** Processes that are compared. */
const SIZES = [1, 2, 4]
const SMOKE_SIZES = [1, 2]
/** A smoke run compares nothing: several workers are enough. */
const SMOKE_WORKERS = [2]
const CONNECTIONS = 32

/** A service of so many processes, and the ports that it is asked at. */
interface Fleet {
  size: number
  ports: number[]
  /** CPU seconds of its processes. */
  cpu(): number
}

const sizesOf = ({ smoke }: Options) => (smoke ? SMOKE_SIZES : SIZES)

/** The requests of a stage, and their receiver. */
interface Setting {
  stage: Stage
  kinds: Kind[]
  consumers: Consumer[]
  fleets: Fleet[]
  counter: DatabaseCounter | undefined
  options: Options
}

/**
 * Measures several processes on one PostgreSQL, several workers on one embedded database, and what the database can do
 * by itself. On one machine that shows what a request costs and what processes cost each other, not what more machines
 * gain.
 */
export const scale: Benchmark = async (options) => {
  const wanted = (part: string) => !options.only || part.includes(options.only)
  if (wanted('database')) await alone(options)
  if (wanted('instances')) await instances(options)
  if (wanted('workers')) await workers(options)
}

/** Measures a PostgreSQL that does nothing else. */
async function alone(options: Options): Promise<void> {
  const postgres = await postgresFor(options)
  try {
    const limits = await databaseLimits(postgres, options.smoke)
    const rows = limits.map(({ what, clients, rate, latency, cpu, commitsPerSync }) => ({
      what,
      clients,
      'per second': Math.round(rate),
      'p50 ms': rounded(latency),
      'CPU µs': Math.round(cpu),
      'commits a sync': rounded(commitsPerSync, 1),
    }))
    report('scale-database', 'What PostgreSQL does by itself, asked by one process', rows, options)
  } finally {
    await postgres.close()
  }
}

async function instances(options: Options): Promise<void> {
  const postgres = await postgresFor(options)
  const counter = await DatabaseCounter.connect(postgres)
  const own = { DATABASE_URL: postgres.url() }
  const { setting, close } = await prepare(options, own, async (environment, folder) => {
    const services: Service[] = []
    const sizes = sizesOf(options)
    for (let at = 0; at < Math.max(...sizes); at++) services.push(await Service.start(environment, folder))
    const fleets = sizes.map((size): Fleet => {
      const some = services.slice(0, size)
      return { size, ports: some.map(({ url }) => portOf(url)), cpu: () => cpuOf(some) }
    })
    return { services, fleets }
  })
  try {
    const rows = await measure({ ...setting, counter })
    report('scale-instances', 'Instances on one PostgreSQL, on one machine', rows, options)
  } finally {
    await close()
    await counter.close()
    await postgres.close()
  }
}

async function workers(options: Options): Promise<void> {
  const { setting, close } = await prepare(options, {}, async (environment, folder) => {
    const services: Service[] = []
    const fleets: Fleet[] = []
    for (const size of options.smoke ? SMOKE_WORKERS : SIZES) {
      const own = { ...environment, STATE_DIR: join(folder, `workers-${size}`), WORKERS: String(size) }
      const service = await Service.start(own, folder)
      services.push(service)
      fleets.push({ size, ports: [portOf(service.url)], cpu: () => cpuOf([service]) })
      // all of them serve
      await eventually(() => size === 1 || childrenOf(service).length >= size)
    }
    return { services, fleets }
  })
  try {
    const rows = await measure({ ...setting, counter: undefined })
    report('scale-workers', 'Workers on one embedded database, on one machine', rows, options)
  } finally {
    await close()
  }
}

/** Publishes and orders a file, and starts the services. They poll the chain seldom, so that requests alone are counted. */
async function prepare(
  options: Options,
  own: Record<string, string>,
  start: (environment: Record<string, string>, folder: string) => Promise<{ services: Service[]; fleets: Fleet[] }>,
): Promise<{ setting: Omit<Setting, 'counter'>; close(): Promise<void> }> {
  const stage = await Stage.start(options)
  let services: Service[] = []
  const close = async () => {
    await Promise.all(services.map((service) => service.stop()))
    await stage.close()
  }
  try {
    const asset = await stage.publish(1024)
    const consumers = await stage.consumers(asset, options.smoke ? 4 : CONNECTIONS)
    const tokens = new Map<Consumer, string>()
    for (const consumer of consumers) tokens.set(consumer, await stage.tokenOf(consumer))
    const environment = stage.world.beside({
      STATE_DIR: join(stage.folder, 'shared'),
      INDEX_POLL_INTERVAL: '5000',
      ANONYMOUS_REQUESTS: '100000000',
      ...own,
    })
    const started = await start(environment, stage.folder)
    services = started.services
    for (const { url } of services)
      await eventually(async () => (await fetch(`${url}/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
    const all = databaseRequests(asset, tokens)
    const kinds = options.smoke ? all.slice(0, 2) : all
    return { setting: { stage, kinds, consumers, fleets: started.fleets, options }, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** One round of a kind at one size. */
interface Round {
  rate: number
  latencies: number[]
  service: number
  database: number
  storage: number
  load: number
  statements: number
  commits: number
  syncs: number
  connections: number
}

async function measure(setting: Setting): Promise<Row[]> {
  const { fleets, kinds, options } = setting
  const rows: Row[] = []
  for (const kind of kinds) {
    const rounds = fleets.map((): Round[] => [])
    // the first one warms up
    for (let round = options.smoke ? 1 : 0; round <= (options.smoke ? 1 : 2); round++) {
      for (const [at, fleet] of fleets.entries()) {
        // before the first one counts, each process has served as many
        const amount = (options.smoke ? 40 : 3000) * (round === 0 ? fleet.size : 1)
        const result = await measureRound(setting, kind, fleet, amount)
        if (round > 0) rounds[at]?.push(result)
      }
    }
    const one = rounds[0] as Round[]
    const middle = (of: Round[], value: (round: Round) => number) => median(of.map(value))
    for (const [at, { size }] of fleets.entries()) {
      const own = rounds[at] as Round[]
      const ratios = own.map(({ rate }, round) => rate / (one[round] as Round).rate)
      const p99 = quantile(
        own.flatMap(({ latencies }) => latencies),
        0.99,
      )
      const rate = middle(own, ({ rate }) => rate)
      rows.push({
        request: kind.name,
        processes: size,
        'per second': Math.round(rate),
        'of one': rounded(median(ratios)),
        spread: spread(ratios),
        'p99 ms': rounded(p99, 1),
        'service µs': Math.round(1e6 * middle(own, ({ service }) => service)),
        'storage µs': kind.reads ? Math.round(1e6 * middle(own, ({ storage }) => storage)) : 0,
        'load µs': Math.round(1e6 * middle(own, ({ load }) => load)),
        ...(setting.counter
          ? {
              'database µs': Math.round(1e6 * middle(own, ({ database }) => database)),
              statements: rounded(middle(own, ({ statements }) => statements)),
              commits: rounded(middle(own, ({ commits }) => commits)),
              'commits a sync': rounded(
                middle(own, ({ commits, syncs }) => (commits < 0.5 ? 0 : commits / syncs)),
                1,
              ),
              // the others renew their leases now and then
              connections: Math.min(...own.map(({ connections }) => connections)),
            }
          : {}),
      })
    }
    process.stdout.write('.')
  }
  return rows
}

async function measureRound(setting: Setting, kind: Kind, fleet: Fleet, amount: number): Promise<Round> {
  const { stage, consumers, counter } = setting
  // each session counts what it did with its next statement
  const wake = async () => {
    const url = (port: number) => `http://127.0.0.1:${port}/api/services/nonce?userAddress=${consumers[0]?.key.address}`
    const asked = fleet.ports.flatMap((port) => Array.from({ length: CONNECTIONS }, () => fetch(url(port))))
    await Promise.all(asked.map(async (response) => (await response).text()))
  }
  // some connections are served faster than others, and take more of the requests
  const most = Math.min(amount, 3 * Math.ceil(amount / consumers.length))
  const requests = consumers.map((consumer) => kind.requests(consumer, most))
  const before = await counter?.counts()
  const begun = await counter?.now()
  const storage = () => cpuSeconds(stage.storage.process.pid as number)
  const [service, stored, database] = [fleet.cpu(), storage(), counter?.cpu() ?? 0]
  const target = { host: '127.0.0.1', port: fleet.ports[0] as number, ports: fleet.ports }
  const { seconds, latencies, cpu } = await send({ ...target, requests, amount })
  const each = (value: number) => value / amount
  const spent = { service: each(fleet.cpu() - service), storage: each(storage() - stored), load: each(cpu) }
  const connections = begun && counter ? await counter.connectionsSince(begun) : 0
  const after = await counter?.counts(wake)
  const counted = (of: 'statements' | 'commits' | 'syncs') => (after?.[of] ?? 0) - (before?.[of] ?? 0)
  return {
    rate: amount / seconds,
    latencies,
    ...spent,
    database: each((after?.cpu ?? 0) - database),
    // less those of waking the sessions
    statements: each(counted('statements') - CONNECTIONS * fleet.ports.length),
    commits: each(counted('commits')),
    syncs: each(counted('syncs')),
    connections,
  }
}

function childrenOf({ process: { pid } }: Service): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.trim().split(' ').filter(Boolean).map(Number)
}

function cpuOf(services: Service[]): number {
  const pids = services.flatMap((service) => [service.process.pid as number, ...childrenOf(service)])
  return pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}
