import { type ChainFollower, isCurrent, SearchBuilder } from '@tidegate/catalog'
import { type Chains, ClockWatch, FactoryWatch, type Receipts } from '@tidegate/chain'
import type { LocalOnly } from '@tidegate/common'
import type { Hosting } from '@tidegate/hosting'
import { PublishedDescriptions } from '@tidegate/storage'
import type { FastifyInstance } from 'fastify'
import { openAccess } from './app/access.js'
import { openAuth } from './app/auth.js'
import { openBase, openGround } from './app/base.js'
import { openCatalog } from './app/catalog.js'
import { openDeliveries } from './app/deliveries.js'
import { createFollowers } from './app/followers.js'
import { watch } from './app/gauges.js'
import { openHosting } from './app/hosting.js'
import { openKeys } from './app/keys.js'
import { Lifecycle } from './app/lifecycle.js'
import { openPolicies } from './app/policies.js'
import { openPurchases } from './app/purchases.js'
import { openStorages } from './app/storages.js'
import type { Settings } from './config/schema.js'
import type { Console } from './console/console.js'
import type { LocalChain } from './console/facts.js'
import type { DeliveryLedger } from './deliveries/ledger.js'
import { AnonymousBudget } from './http/limits/anonymous.js'
import { UploadSlots } from './http/limits/upload-slots.js'
import { UsagePurge } from './http/limits/usage-purge.js'
import { createServer } from './http/server.js'
import type { Services } from './http/services.js'
import type { Metrics } from './metrics/metrics.js'
import { diskLeft, hasRoomForIndex } from './process/disk.js'
import { Health } from './process/health.js'
import type { StateStore } from './state/stores.js'
import type { TaskSandbox } from './tasks/task-sandbox.js'

export interface App {
  server: FastifyInstance
  context: Internals
  /** Base URL of the metrics server, while it runs. */
  readonly metricsUrl: string | undefined
  /** Starts the HTTP server, the chain followers and the delivery queue. Returns the base URL. Throws StartError. */
  listen(): Promise<string>
  /** Drains requests, stops the followers, then closes connections and database. */
  close(): Promise<void>
}

/** Parts of a running service, for its workers, the development network and tests. */
export interface Internals {
  settings: Settings
  chains: Chains
  store: StateStore
  metrics: Metrics
  receipts: Receipts
  ledger: DeliveryLedger
  sandbox: TaskSandbox
  hosting: Hosting | undefined
  console: Console | undefined
  services: Services
}

export interface AppOptions {
  /** Id of the state that the database must hold. */
  expected?: string
  /** The development network of this service. It is no setting, since it hands private keys to the console. */
  local?: LocalChain
  /** Hosts whose pages may call the service. Undefined: all pages may. */
  localOnly?: LocalOnly | undefined
}

/** Index polls per clock check: calls to nodes cost money, and a clock is rarely wrong. */
const POLLS_PER_CLOCK_LOOK = 3

/**
 * Builds the service from its settings: the composition root. Throws StartError if chains or state cannot be used, or if
 * the state has another id than `expected`.
 */
export async function createApp(settings: Settings, { expected, local, localOnly }: AppOptions = {}): Promise<App> {
  const ground = await openGround(settings, local)
  const { log, metrics, tracing, chains, outbound, purgatory, console } = ground
  const factories = new FactoryWatch(chains, log)
  const clock = new ClockWatch(chains, POLLS_PER_CLOCK_LOOK * settings.INDEX_POLL_INTERVAL, log)
  const base = await openBase(settings, ground, expected)
  const { store, sandbox, batch } = base
  const followers: ChainFollower[] = []
  const progress = () => followers.map((follower) => follower.progress)
  const { catalog, assets, members, ...index } = openCatalog(settings, base, progress)
  const { providerKeys, keyAudit } = await openKeys(settings, base, index)
  const { proofs, ledger, webhooks, downloads, rateLimits } = await openDeliveries(settings, base)
  const hosting = await openHosting(settings, { store, chains, log, isCurrent: index.isCurrent })
  const { storages, egress } = openStorages(settings, base, hosting)
  const { auth, signers } = openAuth(settings, base)
  const { receipts } = catalog
  const { policies, close: closePolicies } = openPolicies(settings, base, catalog)
  const parties = { assets, receipts, providerKeys, purgatory, storages, hosting, policies }
  const access = await openAccess(settings, base, parties)
  followers.push(...createFollowers(settings, base, { assets: index, keyAudit, orders: access.orders }))
  const files = { storages, descriptions: new PublishedDescriptions() }
  const health = new Health({
    ...{ chains, factories, clock, store, progress },
    isCurrent: (chain) => isCurrent(chain, settings),
    hasRoom: () => hasRoomForIndex(settings),
    diskLeft: () => diskLeft(settings),
  })
  const purchases = await openPurchases(settings, base, { access, files, health, catalog })
  const services: Services = {
    ...{ settings, chains, auth, access, catalog, downloads, files, health },
    purchases: purchases.desk,
    anonymous: new AnonymousBudget(settings),
    uploads: { hosting, slots: new UploadSlots(settings), metrics },
  }
  const http = await createServer({ services, log, tracing, metrics, batch, rateLimits, console, localOnly })
  watch(settings, base, {
    progress,
    clock,
    http,
    egress,
    keyAudit,
    purgatory,
    purchases,
    hasHosting: hosting !== undefined,
  })
  const lifecycle = new Lifecycle({
    ...{ settings, chains, metrics, log, http },
    background: [
      ...[factories, clock, members, access.withheld, ...followers, keyAudit, proofs, ledger],
      ...(webhooks ? [webhooks] : []),
      ...purchases.tasks,
      new UsagePurge(store.usage),
      ...(hosting ? [hosting.sweeper] : []),
      new SearchBuilder(store.search, log, () => progress().some(({ lag }) => (lag ?? 0) > settings.READY_MAX_LAG)),
    ],
    closers: [
      async () => purgatory.stop(),
      () => sandbox.close(),
      () => signers.close(),
      () => Promise.all([egress.close(), outbound.close(), closePolicies(), webhooks?.close(), hosting?.close()]),
      () => store.close(),
      () => tracing?.close(),
    ],
  })
  return {
    server: http.app,
    context: { settings, chains, store, metrics, receipts, ledger, sandbox, hosting, console, services },
    get metricsUrl() {
      return lifecycle.metricsUrl
    },
    listen: () => lifecycle.listen(),
    close: () => lifecycle.close(),
  }
}
