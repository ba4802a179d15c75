import { lookup as systemLookup } from 'node:dns'
import type { Chain, Chains } from './chain/chains.js'
import type { Settings } from './config/schema.js'
import type { ProviderKey } from './crypto/keys.js'
import type { Metrics } from './metrics/metrics.js'
import type { Trace } from './process/tracing.js'
import type { QueuedProof } from './state/store.js'
import { BlockCache } from './storage/cache/block-cache.js'
import type { Lookup } from './storage/egress/connector.js'
import { Egress } from './storage/egress/egress.js'
import type { ReadContract } from './storage/kinds/tools.js'

type Gateways = ReturnType<typeof gatewaysOf>

/** Builds the exit for requests to storages. */
export function openEgress(
  settings: Settings,
  gateways: Gateways,
  { trace, metrics }: { trace: Trace; metrics: Metrics },
): Egress {
  return new Egress({
    allowNonPublic: settings.ALLOW_NON_PUBLIC_IP,
    connectTimeout: settings.STORAGE_CONNECT_TIMEOUT,
    responseTimeout: settings.STORAGE_RESPONSE_TIMEOUT,
    stallTimeout: settings.STORAGE_STALL_TIMEOUT,
    limits: {
      paid: {
        maxRequests: settings.STORAGE_MAX_REQUESTS,
        maxPerHost: settings.STORAGE_MAX_PER_HOST,
        queues: true,
      },
      anonymous: {
        maxRequests: settings.DESCRIBE_MAX_REQUESTS,
        maxPerHost: settings.DESCRIBE_MAX_PER_HOST,
        queues: false,
      },
    },
    trace,
    gateways: new Set(Object.values(gateways).flatMap((urls) => urls.map((url) => new URL(url).origin))),
    onOutcome: (outcome, host) => metrics.countUpstream(outcome, host),
    ...(settings.STORAGE_DNS === 'system' ? { lookup: systemLookup as Lookup } : {}),
    deniedNetworks: settings.STORAGE_DENIED_NETWORKS,
    policy: {
      allowedHosts: settings.STORAGE_ALLOWED_HOSTS,
      deniedHosts: settings.STORAGE_DENIED_HOSTS,
      ports: settings.STORAGE_PORTS,
    },
  })
}

/** The kinds of proofs of delivery that are sent. */
export function proofKinds(receiver: string | undefined, onChain: boolean): QueuedProof['kind'][] {
  return [...(receiver ? (['http'] as const) : []), ...(onChain ? (['chain'] as const) : [])]
}

/** Returns the cache of blocks that is configured, if any. */
export function blockCacheOf(
  { STORAGE_CACHE_DIR: folder, STORAGE_CACHE_SIZE: size, WORKERS: writers }: Settings,
  metrics: Metrics,
): BlockCache | undefined {
  if (folder === undefined) return undefined
  return new BlockCache({
    folder,
    size,
    writers,
    onEvent: (event, count) => metrics.storageCache.inc({ event }, count),
  })
}

/** The gateways of each storage kind that has some. */
export function gatewaysOf({ IPFS_GATEWAY: ipfs, FILECOIN_GATEWAY, ARWEAVE_GATEWAY: arweave }: Settings) {
  return { ipfs, filecoin: FILECOIN_GATEWAY ?? ipfs, arweave }
}

/** Returns a function that lets storages read contracts, on served chains only. */
export function contractReader(chains: Chains): ReadContract {
  return async (chainId, to, data, limit, signal) =>
    chains.get(chainId)?.nodes.ask((_client, foreign) => foreign({ to, data, limit, signal }), {
      // a lagging node may not know the contract yet
      accept: (answer) => answer !== undefined,
    })
}

/** Returns the key of the lowest chain id: independent of the order of the chains in the settings. */
export function firstKey(chains: Chains): ProviderKey {
  const lowest = [...chains.values()].sort((a, b) => a.chainId - b.chainId)[0]
  return (lowest as Chain).key
}
