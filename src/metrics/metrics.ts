import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { IndexProgress } from '../assets/index/follower.js'
import type { Budget } from '../storage/storage.js'

/** How a request to a node or a storage ended. */
export type Outcome = 'ok' | 'failed' | 'timeout' | 'busy'

/** What the gauges are read from when the metrics are asked for. */
export interface Gauged {
  progress(): IndexProgress[]
  /** Whether the index of a chain may be believed. */
  isCurrent(one: IndexProgress): boolean
  /** Proofs of delivery that wait. */
  proofsWaiting(): Promise<number>
  /** Connections of clients, and their requests in flight. */
  connections(): number
  requests(): number
  /** Requests to storages in flight, on a budget. */
  asked(budget: Budget): number
}

/** Seconds; a download counts until its last byte. */
const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600]

/**
 * What the service tells Prometheus. Labels hold routes, codes, chain ids and the hosts of nodes alone: never a DID,
 * an address, or anything of a file's location.
 */
export class Metrics {
  readonly registry = new Registry()
  private readonly registers = [this.registry]

  readonly requests = new Counter({
    name: 'tidegate_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'],
    registers: this.registers,
  })
  readonly duration = new Histogram({
    name: 'tidegate_http_request_duration_seconds',
    help: 'Time until the last byte of the answer.',
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
    help: 'Signed requests whose nonce was used before or malformed.',
    registers: this.registers,
  })
  readonly downloads = new Counter({
    name: 'tidegate_downloads_total',
    help: 'Files that were handed out, and transfers that broke off.',
    labelNames: ['type', 'outcome'],
    registers: this.registers,
  })
  readonly downloadBytes = new Counter({
    name: 'tidegate_download_bytes_total',
    help: 'Bytes of files that were handed out.',
    registers: this.registers,
  })
  readonly downloadsActive = new Gauge({
    name: 'tidegate_downloads_active',
    help: 'Transfers that are running.',
    registers: this.registers,
  })
  readonly upstream = new Counter({
    name: 'tidegate_upstream_requests_total',
    help: 'Requests to storages over HTTP, by how they ended.',
    labelNames: ['outcome'],
    registers: this.registers,
  })
  readonly proofsRefused = new Counter({
    name: 'tidegate_proofs_refused_total',
    help: 'Proofs of delivery that the limit of the day refused.',
    registers: this.registers,
  })
  readonly rpc = new Counter({
    name: 'tidegate_rpc_requests_total',
    help: 'Steps asked of chain nodes, by how they ended.',
    labelNames: ['chain', 'node', 'outcome'],
    registers: this.registers,
  })
  readonly leftOut = new Counter({
    name: 'tidegate_index_left_out_total',
    help: 'Events that cannot be in the index, since the database or the sandbox does not take them, or no node gives them.',
    labelNames: ['chain'],
    registers: this.registers,
  })

  /** Those of labels that there were: to look one up in the library costs more than to count. */
  private readonly counters = new Map<string, Counter.Internal>()
  private readonly timers = new Map<string, Histogram.Internal<'route'>>()

  /** Counts a request that was answered, in so many seconds. */
  answered(method: string, route: string, status: number, seconds: number): void {
    const make = () => this.requests.labels({ method, route, status })
    kept(this.counters, `${method} ${status} ${route}`, make).inc()
    kept(this.timers, route, () => this.duration.labels({ route })).observe(seconds)
  }

  /** Counts a transfer that has ended, of a file of a kind of storage. */
  transferred(type: string, complete: boolean, bytes: number): void {
    const outcome = complete ? 'complete' : 'broken'
    kept(this.counters, `${type} ${outcome}`, () => this.downloads.labels({ type, outcome })).inc()
    this.downloadBytes.inc(bytes)
  }

  /** Counts a request to a storage, by how it ended. */
  asked(outcome: Outcome): void {
    kept(this.counters, outcome, () => this.upstream.labels({ outcome })).inc()
  }

  /** The gauges that are read when asked for. */
  watch({ progress, isCurrent, proofsWaiting, connections, requests, asked }: Gauged): void {
    collectDefaultMetrics({ register: this.registry, prefix: 'tidegate_' })
    const perChain = (name: string, help: string, value: (of: IndexProgress) => number | null) =>
      new Gauge({
        name,
        help,
        labelNames: ['chain'],
        // of several processes on one index
        aggregator: name.endsWith('_current') ? 'min' : 'max',
        registers: this.registers,
        collect() {
          for (const one of progress()) this.set({ chain: one.chainId }, value(one) ?? Number.NaN)
        },
      })
    perChain('tidegate_index_block', 'Last block that the index has read.', ({ block }) => block)
    perChain('tidegate_index_head', 'Head of the chain when it was last seen.', ({ head }) => head)
    perChain('tidegate_index_lag', 'Blocks that the index has left to read.', ({ lag }) => lag)
    const seconds = ({ age }: IndexProgress) => (age === null ? null : age / 1000)
    perChain('tidegate_index_head_age_seconds', 'Time since the head was last seen.', seconds)
    const help = '1 where the index is near a head that was seen lately, else 0: then assets are read from the chain.'
    perChain('tidegate_index_current', help, (one) => Number(isCurrent(one)))
    new Gauge({
      name: 'tidegate_proofs_waiting',
      help: 'Proofs of delivery that have not arrived yet.',
      aggregator: 'max',
      registers: this.registers,
      async collect() {
        this.set(await proofsWaiting().catch(() => Number.NaN))
      },
    })
    const now = (name: string, text: string, value: () => number) =>
      new Gauge({
        name,
        help: text,
        registers: this.registers,
        collect() {
          this.set(value())
        },
      })
    now('tidegate_http_connections', 'Connections of clients.', connections)
    now('tidegate_http_requests_in_flight', 'Requests whose answer has not ended, nor their connection.', requests)
    new Gauge({
      name: 'tidegate_upstream_requests_in_flight',
      help: 'Requests to storages that have not ended, by budget.',
      labelNames: ['budget'],
      registers: this.registers,
      collect() {
        for (const budget of ['paid', 'anonymous'] as const) this.set({ budget }, asked(budget))
      },
    })
  }
}

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  let found = known.get(key)
  if (found === undefined) {
    found = make()
    known.set(key, found)
  }
  return found
}
