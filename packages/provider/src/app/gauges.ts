import { isCurrent } from '@tidegate/catalog'
import type { Egress } from '@tidegate/storage'
import type { KeyAudit } from '../access/key-audit.js'
import type { Context } from '../http/context.js'
import type { HttpServer } from '../http/server.js'
import { registerGauges } from '../metrics/gauges.js'
import { diskLeft } from '../process/disk.js'
import { packageVersion } from '../version.js'

/** Registers the gauges of a service, which are read on each scrape. */
export function watch(context: Context, http: HttpServer, egress: Egress, keys: Pick<KeyAudit, 'count'>): void {
  const { settings, chains, clock, store, hosting, metrics } = context
  registerGauges(metrics.registry, {
    progress: context.progress,
    isCurrent: (chain) => isCurrent(chain, settings),
    unknownKeys: (chainId) => keys.count(chainId) ?? null,
    clockOffset: (chainId) => clock.offset(chainId),
    proofsWaiting: () => store.proofs.count(),
    nodes: () =>
      [...chains.values()].flatMap(({ chainId, nodes }) => nodes.health.map((node) => ({ chainId, ...node }))),
    isStateUp: async () => (await store.checkHealth()) === undefined,
    lastWrite: () => store.lastWrite(),
    diskLeft: () => diskLeft(settings),
    hosted: async () => hosting && { ...(await store.hosted.totals()), unfinished: await store.hosted.unfinished() },
    version: packageVersion(),
    connections: () => http.connections.count,
    requests: () => http.connections.requests,
    upstreamInFlight: (budget) => egress.inFlight(budget),
  })
}
