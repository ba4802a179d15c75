import { lookup as systemLookup } from 'node:dns'
import type { Chains } from '@tidegate/chain'
import type { Hosting } from '@tidegate/hosting'
import type { Lookup } from '@tidegate/protocol/addresses'
import { BlockCache, Egress, type ReadContract, StorageRegistry } from '@tidegate/storage'
import type { Settings } from '../config/schema.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Base } from './base.js'

/** Builds the storage kinds and their shared egress. */
export function openStorages(
  settings: Settings,
  { chains, sandbox, trace, metrics }: Base,
  hosting: Hosting | undefined,
): { storages: StorageRegistry; egress: Egress } {
  const gateways = gatewaysOf(settings)
  const egress = openEgress(settings, gateways, { trace, metrics })
  const storages = new StorageRegistry({
    hosted: hosting?.find,
    egress,
    readContract: contractReader(chains),
    decodeResult: (abi, data, options) => sandbox.run('answer', { abi, data }, options),
    sql: { timeout: settings.SQL_TIMEOUT, maxRows: settings.SQL_MAX_ROWS, maxBytes: settings.SQL_MAX_BYTES },
    gateways,
    blockCache: blockCacheOf(settings, metrics),
  })
  return { storages, egress }
}

type Gateways = ReturnType<typeof gatewaysOf>

function openEgress(
  settings: Settings,
  gateways: Gateways,
  { trace, metrics }: Pick<Base, 'trace' | 'metrics'>,
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

/** Returns the block cache, if it is configured. */
function blockCacheOf(
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

/** Returns the gateways by storage kind. */
function gatewaysOf({ IPFS_GATEWAY: ipfs, FILECOIN_GATEWAY, ARWEAVE_GATEWAY: arweave }: Settings) {
  return { ipfs, filecoin: FILECOIN_GATEWAY ?? ipfs, arweave }
}

/** Returns a function that calls contracts on served chains for storages. */
function contractReader(chains: Chains): ReadContract {
  return async (chainId, to, data, limit, signal) =>
    chains.get(chainId)?.nodes.ask((_client, foreign) => foreign({ to, data, limit, signal }), {
      // a lagging node may not know the contract yet
      accept: (answer) => answer !== undefined,
    })
}
