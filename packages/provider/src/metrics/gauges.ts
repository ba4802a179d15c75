import type { IndexProgress } from '@tidegate/catalog'
import type { WaitingPurchases } from '@tidegate/purchases'
import type { Budget } from '@tidegate/storage'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** Sources of the gauges. Each scrape reads them. */
export interface GaugeSources {
  index: IndexSources
  /** Hosted files, their declared bytes, and incomplete ones; undefined if hosting is off. */
  hosted(): Promise<{ files: number; bytes: number; unfinished: number } | undefined>
  state: StateSources
  takedowns: TakedownSources
  /** Purchases whose payers wait, by chain; none if PURCHASES is off. */
  purchases(): Promise<WaitingPurchases[]>
  /** Whether the purgatory lists can be read; undefined without lists. */
  isPurgatoryReadable(): boolean | undefined
  connections: ConnectionSources
  version: string
}

interface IndexSources {
  progress(): IndexProgress[]
  /** Whether the index of a chain is current. */
  isCurrent(progress: IndexProgress): boolean
  /** Proven clock offset by the heads of a chain, in seconds; null without a head. */
  clockOffset(chainId: number): number | null
  /** Assets of a chain that need a missing provider key; null before the first count. */
  unknownKeys(chainId: number): number | null
  /** Queued proofs of delivery. */
  proofsWaiting(): Promise<number>
  /** Queued events of webhooks. */
  eventsWaiting(): Promise<number>
  /** Nodes of each chain by host, and whether each answers. */
  nodes(): { chainId: number; host: string; answers: boolean }[]
}

interface StateSources {
  /** Whether the database can be used. */
  isStateUp(): Promise<boolean>
  /** Time of the last write to the database, in milliseconds since 1970. */
  lastWrite(): number | undefined
  /** Free bytes on the disk of the embedded database; undefined with PostgreSQL. */
  diskLeft(): Promise<number | undefined>
}

interface TakedownSources {
  count(): Promise<number>
  /** The newest assets that are taken down; `at` in milliseconds since 1970. */
  newest(): Promise<{ did: string; at: number }[]>
}

interface ConnectionSources {
  /** Client connections, and their requests in flight. */
  count(): number
  requests(): number
  /** Requests to storages in flight, by budget. */
  upstreamInFlight(budget: Budget): number
}

/** Aggregation of a gauge over the workers. A sum would count shared values several times. */
type Aggregator = 'min' | 'max' | 'first' | 'sum'

interface GaugeOptions {
  name: string
  help: string
  aggregator?: Aggregator
}

/** Registers the gauges of a service. Each scrape reads them. */
export function registerGauges(registry: Registry, sources: GaugeSources): void {
  collectDefaultMetrics({ register: registry, prefix: 'tidegate_' })
  const gauges = new Gauges(registry)
  registerIndex(gauges, sources.index)
  registerHosting(gauges, sources)
  registerState(gauges, sources.state)
  registerConnections(gauges, sources.connections)
  registerTakedowns(gauges, sources.takedowns)
  registerPurchases(gauges, sources)
  gauges.plain(
    {
      name: 'tidegate_purgatory_up',
      help: '1 if the purgatory lists could be read when they were last asked for, else 0; NaN without lists.',
      aggregator: 'min',
    },
    () => {
      const isReadable = sources.isPurgatoryReadable()
      return isReadable === undefined ? undefined : Number(isReadable)
    },
  )
  gauges.labelled(
    {
      name: 'tidegate_build_info',
      help: 'Always 1; the labels tell the versions of Tidegate and Node.',
      aggregator: 'first',
    },
    ['version', 'node'],
    () => [[{ version: sources.version, node: process.versions.node }, 1]],
  )
}

type Labelled<L extends string> = [labels: Partial<Record<L, string | number>>, value: number][]

/** Registers gauges with functions for their values. An unknown value is NaN. */
class Gauges {
  constructor(private readonly registry: Registry) {}

  plain(options: GaugeOptions, value: () => number | undefined | Promise<number | undefined>): void {
    new Gauge({
      ...options,
      registers: [this.registry],
      async collect() {
        this.set((await value()) ?? Number.NaN)
      },
    })
  }

  labelled<L extends string>(
    options: GaugeOptions,
    labelNames: readonly L[],
    values: () => Labelled<L> | Promise<Labelled<L>>,
  ): void {
    new Gauge({
      ...options,
      labelNames,
      registers: [this.registry],
      async collect() {
        const read = await values()
        // labels that are gone
        this.reset()
        for (const [labels, value] of read) this.set(labels, value)
      },
    })
  }
}

function registerIndex(
  gauges: Gauges,
  { progress, isCurrent, nodes, proofsWaiting, eventsWaiting, clockOffset, unknownKeys }: IndexSources,
): void {
  const perChain = (
    name: string,
    help: string,
    value: (of: IndexProgress) => number | null,
    aggregator: Aggregator = 'max',
  ) =>
    gauges.labelled({ name, help, aggregator }, ['chain'], () =>
      progress().map((chain) => [{ chain: chain.chainId }, value(chain) ?? Number.NaN]),
    )
  perChain('tidegate_index_block', 'Last block that the index has read.', ({ block }) => block)
  perChain('tidegate_index_head', 'Head of the chain when it was last seen.', ({ head }) => head)
  perChain('tidegate_index_lag', 'Blocks that the index lags behind the head.', ({ lag }) => lag)
  const seconds = ({ age }: IndexProgress) => (age === null ? null : age / 1000)
  perChain('tidegate_index_head_age_seconds', 'Time since the head was last seen.', seconds)
  const help = '1 if the index is close to a recently seen head, else 0: then assets are read from the chain.'
  perChain('tidegate_index_current', help, (chain) => Number(isCurrent(chain)), 'min')
  perChain(
    'tidegate_clock_offset_seconds',
    'Seconds that the clock of this machine is provably ahead of the chain, negative if behind; 0 if nothing proves an error.',
    ({ chainId }) => clockOffset(chainId),
    'first',
  )
  perChain(
    'tidegate_assets_with_unknown_key',
    'Assets of this provider whose files no configured key decrypts.',
    ({ chainId }) => unknownKeys(chainId),
  )
  gauges.labelled(
    { name: 'tidegate_node_up', help: '1 if the node answered when it was last asked, else 0.', aggregator: 'min' },
    ['chain', 'node'],
    () => nodes().map(({ chainId: chain, host, answers }) => [{ chain, node: host }, Number(answers)]),
  )
  const waiting = (name: string, help: string, count: () => Promise<number>) =>
    gauges.plain({ name, help, aggregator: 'max' }, () => count().catch(() => undefined))
  waiting('tidegate_proofs_waiting', 'Proofs of delivery in the queue.', proofsWaiting)
  waiting('tidegate_webhook_events_waiting', 'Events in the queue for the receiver of webhooks.', eventsWaiting)
}

function registerHosting(gauges: Gauges, { hosted }: GaugeSources): void {
  const perHosting = (name: string, help: string, value: 'files' | 'bytes' | 'unfinished') =>
    gauges.plain({ name, help, aggregator: 'max' }, async () => (await hosted().catch(() => undefined))?.[value])
  perHosting('tidegate_hosted_files', 'Hosted files, complete or not; NaN where hosting is off.', 'files')
  perHosting('tidegate_hosted_bytes', 'Their bytes, as declared; NaN where hosting is off.', 'bytes')
  perHosting('tidegate_hosted_unfinished', 'Uploads that are not complete; NaN where hosting is off.', 'unfinished')
}

function registerState(gauges: Gauges, { isStateUp, diskLeft, lastWrite }: StateSources): void {
  gauges.plain(
    { name: 'tidegate_state_up', help: '1 if the database can be used, else 0.', aggregator: 'min' },
    async () => Number(await isStateUp()),
  )
  gauges.plain(
    {
      name: 'tidegate_state_disk_free_bytes',
      help: 'Bytes left on the disk of STATE_DIR; NaN with PostgreSQL.',
      aggregator: 'min',
    },
    diskLeft,
  )
  gauges.plain(
    {
      name: 'tidegate_state_last_write_timestamp_seconds',
      help: 'Time of the last successful write to the database, in seconds since 1970.',
      aggregator: 'max',
    },
    () => (lastWrite() ?? Number.NaN) / 1000,
  )
}

function registerTakedowns(gauges: Gauges, { count, newest }: TakedownSources): void {
  gauges.plain({ name: 'tidegate_takedowns', help: 'Assets that are taken down.', aggregator: 'max' }, () =>
    count().catch(() => undefined),
  )
  gauges.labelled(
    {
      name: 'tidegate_takedown_timestamp_seconds',
      help: 'Time at which an asset was taken down, in seconds since 1970, for the newest ones.',
      aggregator: 'max',
    },
    ['did'],
    async () => (await newest().catch(() => [])).map(({ did, at }) => [{ did }, at / 1000]),
  )
}

function registerPurchases(gauges: Gauges, { purchases }: GaugeSources): void {
  const perChain = (name: string, help: string, value: (of: WaitingPurchases) => number) =>
    gauges.labelled({ name, help, aggregator: 'max' }, ['chain'], async () =>
      (await purchases().catch(() => [])).map((one) => [{ chain: one.chainId }, value(one)]),
    )
  perChain('tidegate_purchases_waiting', 'Purchases that are neither ordered nor refunded.', ({ count }) => count)
  perChain(
    'tidegate_purchases_oldest_timestamp_seconds',
    'Time of the oldest of them, in seconds since 1970.',
    ({ oldest }) => oldest / 1000,
  )
}

function registerConnections(gauges: Gauges, { count, requests, upstreamInFlight }: ConnectionSources): void {
  gauges.plain({ name: 'tidegate_http_connections', help: 'Client connections.' }, count)
  gauges.plain({ name: 'tidegate_http_requests_in_flight', help: 'Requests in flight.' }, requests)
  gauges.labelled(
    { name: 'tidegate_upstream_requests_in_flight', help: 'Requests to storages in flight, by budget.' },
    ['budget'],
    () => (['paid', 'anonymous'] as const).map((budget) => [{ budget }, upstreamInFlight(budget)]),
  )
}
