import { type IndexProgress, isCurrent } from '@tidegate/catalog'
import type { ClockWatch } from '@tidegate/chain'
import type { WaitingPurchases } from '@tidegate/purchases'
import type { Egress } from '@tidegate/storage'
import type { KeyAudit } from '../access/key-audit.js'
import type { Purgatory } from '../access/rules/purgatory.js'
import type { Settings } from '../config/schema.js'
import type { HttpServer } from '../http/server.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { registerGauges } from '../metrics/gauges.js'
import { diskLeft } from '../process/disk.js'
import { packageVersion } from '../version.js'
import type { Base } from './base.js'

interface Watched {
  progress(): IndexProgress[]
  clock: Pick<ClockWatch, 'offset'>
  http: HttpServer
  egress: Egress
  keyAudit: Pick<KeyAudit, 'count'>
  purgatory: Pick<Purgatory, 'isReadable'>
  purchases: { waiting(): Promise<WaitingPurchases[]> }
  hasHosting: boolean
}

/** Registers the gauges of a service, which are read on each scrape. */
export function watch(settings: Settings, { chains, store, metrics }: Base, watched: Watched): void {
  const { progress, clock, http, egress, keyAudit, purgatory, purchases, hasHosting } = watched
  const { events, hosted, proofs, takedowns } = store
  registerGauges(metrics.registry, {
    index: {
      progress,
      isCurrent: (chain) => isCurrent(chain, settings),
      unknownKeys: (chainId) => keyAudit.count(chainId) ?? null,
      clockOffset: (chainId) => clock.offset(chainId),
      proofsWaiting: () => proofs.count(),
      eventsWaiting: () => events.count(),
      nodes: () =>
        [...chains.values()].flatMap(({ chainId, nodes }) => nodes.health.map((node) => ({ chainId, ...node }))),
    },
    state: {
      isStateUp: async () => (await store.checkHealth()) === undefined,
      lastWrite: () => store.lastWrite(),
      diskLeft: () => diskLeft(settings),
    },
    takedowns: {
      count: () => takedowns.count(),
      newest: () => takedowns.newest(PROVIDER_LIMITS.takedowns.named),
    },
    purchases: () => purchases.waiting(),
    isPurgatoryReadable: () => purgatory.isReadable,
    hosted: async () =>
      hasHosting ? { ...(await hosted.totals()), unfinished: await hosted.unfinished() } : undefined,
    version: packageVersion(),
    connections: {
      count: () => http.connections.count,
      requests: () => http.connections.requests,
      upstreamInFlight: (budget) => egress.inFlight(budget),
    },
  })
}
