import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { IndexProgress } from '../assets/index/progress.js'
import type { Outcome } from '../outcome.js'
import type { HostClass } from '../storage/egress/egress.js'
import type { Budget } from '../storage/storage.js'

/** Sources of the gauges, read on each scrape. */
export interface GaugeSources {
  progress(): IndexProgress[]
  /** Whether the index of a chain is current. */
  isCurrent(progress: IndexProgress): boolean
  /** Proofs of delivery in the queue. */
  proofsWaiting(): Promise<number>
  /** The nodes of each chain, by their hosts, and whether each answers. */
  nodes(): { chainId: number; host: string; answers: boolean }[]
  /** Whether the database can be used. */
  isStateUp(): Promise<boolean>
  /** Time of the last write to the database, in milliseconds since 1970. */
  lastWrite(): number | undefined
  /** Free bytes on the disk of the database; undefined if the database is not on this machine. */
  diskLeft(): Promise<number | undefined>
  /** Hosted files, their bytes as declared, and those that are not complete; undefined where hosting is off. */
  hosted(): Promise<{ files: number; bytes: number; unfinished: number } | undefined>
  version: string
  /** Client connections, and their requests in flight. */
  connections(): number
  requests(): number
  /** Requests to storages in flight, by budget. */
  upstreamInFlight(budget: Budget): number
}

/** Histogram buckets in seconds; a download counts until its last byte. */
const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600]

/**
 * The Prometheus metrics of the service. Labels contain only routes, codes, chain ids and hosts of nodes: never a DID,
 * an address, or any part of a file's location.
 */
export class Metrics {
  readonly registry = new Registry()
  private readonly registers = [this.registry]

  readonly requests = new Counter({
    name: 'tidegate_http_requests_total',
    help: 'Requests by status; 499 where the client left before the response.',
    labelNames: ['method', 'route', 'status'],
    registers: this.registers,
  })
  readonly duration = new Histogram({
    name: 'tidegate_http_request_duration_seconds',
    help: 'Time until the last byte of the response.',
    labelNames: ['route'],
    buckets: DURATIONS,
    registers: this.registers,
  })
  readonly refusals = new Counter({
    name: 'tidegate_refusals_total',
    help: 'Requests that were refused, by error code.',
    labelNames: ['code'],
    registers: this.registers,
  })
  readonly nonceRefusals = new Counter({
    name: 'tidegate_nonce_refusals_total',
    help: 'Signed requests refused for their nonce: already used, or malformed.',
    registers: this.registers,
  })
  readonly downloads = new Counter({
    name: 'tidegate_downloads_total',
    help: 'Downloads of files, by storage type and outcome (complete, broken).',
    labelNames: ['type', 'outcome'],
    registers: this.registers,
  })
  readonly downloadBytes = new Counter({
    name: 'tidegate_download_bytes_total',
    help: 'Bytes of files sent to consumers.',
    registers: this.registers,
  })
  readonly downloadsActive = new Gauge({
    name: 'tidegate_downloads_active',
    help: 'Downloads in flight.',
    registers: this.registers,
  })
  readonly uploadsActive = new Gauge({
    name: 'tidegate_uploads_active',
    help: 'Parts of hosted files that are being received.',
    registers: this.registers,
  })
  readonly upstream = new Counter({
    name: 'tidegate_upstream_requests_total',
    help: 'HTTP requests to storages, by class of host (gateway: of the settings, publisher: named by a file) and outcome.',
    labelNames: ['host', 'outcome'],
    registers: this.registers,
  })
  readonly storageCache = new Counter({
    name: 'tidegate_storage_cache_blocks_total',
    help: 'Blocks of STORAGE_CACHE_DIR by event: hit, miss, stored, evicted, corrupt, skipped, failed.',
    labelNames: ['event'],
    registers: this.registers,
  })
  readonly proofsRefused = new Counter({
    name: 'tidegate_proofs_refused_total',
    help: 'Proofs of delivery skipped because of the daily limit.',
    registers: this.registers,
  })
  readonly deliveriesDropped = new Counter({
    name: 'tidegate_deliveries_dropped_total',
    help: 'Deliveries and provider fees missing from reports: too many waited for the database, or it rejects them.',
    registers: this.registers,
  })
  readonly rpc = new Counter({
    name: 'tidegate_rpc_requests_total',
    help: 'Requests to chain nodes, by outcome.',
    labelNames: ['chain', 'node', 'outcome'],
    registers: this.registers,
  })
  readonly skippedEvents = new Counter({
    name: 'tidegate_index_left_out_total',
    help: 'Events skipped by the index: the database or the sandbox rejects them, or no node returns them.',
    labelNames: ['chain'],
    registers: this.registers,
  })

  /** Cached children by labels: a look-up in the library costs more than counting. */
  private readonly counters = new Map<string, Counter.Internal>()
  private readonly timers = new Map<string, Histogram.Internal<'route'>>()

  /** Counts a response and its duration in seconds. */
  countRequest(method: string, route: string, status: number, seconds: number): void {
    const create = () => this.requests.labels({ method, route, status })
    cached(this.counters, `${method} ${status} ${route}`, create).inc()
    cached(this.timers, route, () => this.duration.labels({ route })).observe(seconds)
  }

  /** Counts a finished transfer, by storage type. */
  countDownload(type: string, complete: boolean, bytes: number): void {
    const outcome = complete ? 'complete' : 'broken'
    cached(this.counters, `${type} ${outcome}`, () => this.downloads.labels({ type, outcome })).inc()
    this.downloadBytes.inc(bytes)
  }

  /** Counts a request to a storage, by outcome and class of host. */
  countUpstream(outcome: Outcome, host: HostClass): void {
    cached(this.counters, `upstream ${host} ${outcome}`, () => this.upstream.labels({ host, outcome })).inc()
  }

  /** Registers the gauges that are collected on each scrape. */
  registerGauges({
    progress,
    isCurrent,
    proofsWaiting,
    nodes,
    isStateUp,
    lastWrite,
    diskLeft,
    hosted,
    version,
    connections,
    requests,
    upstreamInFlight: asked,
  }: GaugeSources): void {
    collectDefaultMetrics({ register: this.registry, prefix: 'tidegate_' })
    const perChain = (name: string, help: string, value: (of: IndexProgress) => number | null) =>
      new Gauge({
        name,
        help,
        labelNames: ['chain'],
        // workers share one index: a sum over them would be meaningless
        aggregator: name.endsWith('_current') ? 'min' : 'max',
        registers: this.registers,
        collect() {
          for (const chain of progress()) this.set({ chain: chain.chainId }, value(chain) ?? Number.NaN)
        },
      })
    perChain('tidegate_index_block', 'Last block that the index has read.', ({ block }) => block)
    perChain('tidegate_index_head', 'Head of the chain when it was last seen.', ({ head }) => head)
    perChain('tidegate_index_lag', 'Blocks that the index lags behind the head.', ({ lag }) => lag)
    const seconds = ({ age }: IndexProgress) => (age === null ? null : age / 1000)
    perChain('tidegate_index_head_age_seconds', 'Time since the head was last seen.', seconds)
    const help = '1 if the index is close to a recently seen head, else 0: then assets are read from the chain.'
    perChain('tidegate_index_current', help, (chain) => Number(isCurrent(chain)))
    new Gauge({
      name: 'tidegate_proofs_waiting',
      help: 'Proofs of delivery in the queue.',
      aggregator: 'max',
      registers: this.registers,
      async collect() {
        this.set(await proofsWaiting().catch(() => Number.NaN))
      },
    })
    const perHosting = (name: string, help: string, value: 'files' | 'bytes' | 'unfinished') =>
      new Gauge({
        name,
        help,
        aggregator: 'max',
        registers: this.registers,
        async collect() {
          this.set((await hosted().catch(() => undefined))?.[value] ?? Number.NaN)
        },
      })
    perHosting('tidegate_hosted_files', 'Hosted files, complete or not; NaN where hosting is off.', 'files')
    perHosting('tidegate_hosted_bytes', 'Their bytes, as declared; NaN where hosting is off.', 'bytes')
    perHosting('tidegate_hosted_unfinished', 'Uploads that are not complete; NaN where hosting is off.', 'unfinished')
    new Gauge({
      name: 'tidegate_node_up',
      help: '1 if the node answered when it was last asked, else 0.',
      labelNames: ['chain', 'node'],
      aggregator: 'min',
      registers: this.registers,
      collect() {
        for (const { chainId: chain, host, answers } of nodes()) this.set({ chain, node: host }, Number(answers))
      },
    })
    new Gauge({
      name: 'tidegate_state_up',
      help: '1 if the database can be used, else 0.',
      aggregator: 'min',
      registers: this.registers,
      async collect() {
        this.set(Number(await isStateUp()))
      },
    })
    new Gauge({
      name: 'tidegate_state_disk_free_bytes',
      help: 'Bytes left on the disk of STATE_DIR; NaN with PostgreSQL.',
      aggregator: 'min',
      registers: this.registers,
      async collect() {
        this.set((await diskLeft()) ?? Number.NaN)
      },
    })
    new Gauge({
      name: 'tidegate_state_last_write_timestamp_seconds',
      help: 'Time of the last successful write to the database, in seconds since 1970.',
      aggregator: 'max',
      registers: this.registers,
      collect() {
        this.set((lastWrite() ?? Number.NaN) / 1000)
      },
    })
    new Gauge({
      name: 'tidegate_build_info',
      help: 'Always 1; the labels tell the versions of Tidegate and Node.',
      labelNames: ['version', 'node'],
      aggregator: 'first',
      registers: this.registers,
    }).set({ version, node: process.versions.node }, 1)
    const now = (name: string, text: string, value: () => number) =>
      new Gauge({
        name,
        help: text,
        registers: this.registers,
        collect() {
          this.set(value())
        },
      })
    now('tidegate_http_connections', 'Client connections.', connections)
    now('tidegate_http_requests_in_flight', 'Requests in flight.', requests)
    new Gauge({
      name: 'tidegate_upstream_requests_in_flight',
      help: 'Requests to storages in flight, by budget.',
      labelNames: ['budget'],
      registers: this.registers,
      collect() {
        for (const budget of ['paid', 'anonymous'] as const) this.set({ budget }, asked(budget))
      },
    })
  }
}

function cached<T>(cache: Map<string, T>, key: string, create: () => T): T {
  let value = cache.get(key)
  if (value === undefined) {
    value = create()
    cache.set(key, value)
  }
  return value
}
