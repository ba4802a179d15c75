import { lookup as systemLookup } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Purgatory } from './access/purgatory.js'
import { accessControl } from './access/rbac.js'
import { cachedSource } from './assets/cached-source.js'
import { DocumentReader } from './assets/documents.js'
import { FactsReader } from './assets/facts.js'
import { currentAssets } from './assets/index/current.js'
import { ChainFollower } from './assets/index/follower.js'
import { isCurrent } from './assets/index/freshness.js'
import { indexSource } from './assets/index/source.js'
import { remoteCacheSource } from './assets/remote-cache.js'
import { AssetResolver } from './assets/resolver.js'
import { Tokens, tokenSecret } from './auth/tokens.js'
import { BOUNDS } from './bounds.js'
import type { Chain, Chains } from './chain/chains.js'
import { connectChains } from './chain/connect.js'
import { Receipts } from './chain/receipts.js'
import type { Settings } from './config/schema.js'
import type { Context } from './context.js'
import type { ProviderKey } from './crypto/keys.js'
import { DeliveryQueue } from './deliveries/queue.js'
import { ProofSender } from './deliveries/sender.js'
import { StartError } from './errors.js'
import { AnonymousBudget } from './http/anonymous.js'
import { ByteBudgets } from './http/byte-budgets.js'
import { createServer } from './http/server.js'
import { createLogger } from './logger.js'
import { Metrics } from './metrics/metrics.js'
import { startMetricsServer } from './metrics/server.js'
import { tooFewOpenFiles } from './open-files.js'
import { OrderTransactions } from './orders/transactions.js'
import { Outbound } from './outbound/outbound.js'
import { Sandbox } from './sandbox/sandbox.js'
import { openStore } from './state/open.js'
import type { QueuedProof } from './state/store.js'
import type { Lookup } from './storage/connector.js'
import { PublishedDescriptions } from './storage/describing.js'
import { Egress } from './storage/egress.js'
import { StorageRegistry } from './storage/registry.js'
import type { ReadContract } from './storage/smartcontract.js'
import { startTracing, untraced } from './tracing.js'

/** Largest answer of a service that the operator has named, in bytes. */
const MAX_OUTBOUND_ANSWER = 16_777_216

export interface App {
  server: FastifyInstance
  context: Context
  /** Base URL of the metrics, while they are served. */
  readonly metricsUrl: string | undefined
  /** Opens the port and starts following the chains. Answers the base URL. */
  listen(): Promise<string>
  /** Ends in the reverse order of starting: no new requests, index at rest, connections and database closed. */
  close(): Promise<void>
}

/**
 * Builds the service from its settings: the only place that wires the parts. Throws StartError when chains or state
 * cannot be used, or when it is another state than the one that is expected.
 */
export async function createApp(settings: Settings, { expected }: { expected?: string } = {}): Promise<App> {
  const log = createLogger(settings.LOG_LEVEL)
  const metrics = new Metrics()
  const tracing = await startTracing(settings)
  const trace = tracing?.trace ?? untraced
  const chains = await connectChains(settings, {
    log,
    trace,
    onOutcome: (chain, node, outcome) => metrics.rpc.inc({ chain, node, outcome }),
  })
  const outbound = new Outbound({ timeout: settings.OUTBOUND_TIMEOUT, maxSize: MAX_OUTBOUND_ANSWER })
  const purgatory = new Purgatory({
    assets: settings.PURGATORY_ASSETS,
    accounts: settings.PURGATORY_ACCOUNTS,
    interval: settings.PURGATORY_INTERVAL,
    outbound,
    log,
  })
  await purgatory.start().catch((error: Error) => {
    throw new StartError([error.message])
  })
  const store = await openStore(settings, { log, expected })
  const egress = new Egress({
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
    onOutcome: (outcome) => metrics.asked(outcome),
    ...(settings.STORAGE_DNS === 'system' ? { lookup: systemLookup as Lookup } : {}),
    deniedNetworks: settings.STORAGE_DENIED_NETWORKS,
    policy: {
      allowedHosts: settings.STORAGE_ALLOWED_HOSTS,
      deniedHosts: settings.STORAGE_DENIED_HOSTS,
      ports: settings.STORAGE_PORTS,
    },
  })
  const sandbox = new Sandbox({
    onLost: (code) => log.error({ code }, 'a document could not be read, by an error of the reader'),
  })
  const documents = new DocumentReader(sandbox, settings.MAX_DDO_SIZE)
  const cacheOptions = { chains, outbound, log, documents, ttl: settings.INDEX_POLL_INTERVAL }
  const progress = () => followers.map((follower) => follower.progress)
  const indexed = currentAssets({
    index: store.index,
    chains,
    documents,
    isCurrent: (chainId) => progress().some((one) => one.chainId === chainId && isCurrent(one, settings)),
    isAstray: (chainId) => progress().some((one) => one.chainId === chainId && one.astray),
    ttl: settings.INDEX_POLL_INTERVAL,
  })
  const resolved = cachedSource(indexSource(indexed), settings.INDEX_POLL_INTERVAL)
  const caches = (settings.METADATA_CACHE_URL ?? []).map((url) => remoteCacheSource({ ...cacheOptions, url }))
  const { USE_HTTP_PROOF: receiver, USE_CHAIN_PROOF: onChain } = settings
  const sender = new ProofSender(chains, outbound, receiver, store.proofs)
  const deliveries = new DeliveryQueue({
    store: store.proofs,
    sender,
    kinds: proofKinds(receiver, onChain),
    chainProofsPerDay: settings.CHAIN_PROOFS_PER_DAY,
    onRefused: () => metrics.proofsRefused.inc(),
    log,
  })
  const { RATE_LIMIT_BYTES: byteLimit } = settings
  const receipts = new Receipts(settings.ORDER_WAIT)
  const context: Context = {
    settings,
    chains,
    store,
    tokens: new Tokens(
      tokenSecret(settings.AUTH_TOKEN_SECRET, firstKey(chains)),
      store.revocations,
      settings.LEGACY_TOKEN_SECRET,
    ),
    assets: new AssetResolver([resolved, ...caches], chains),
    indexed,
    facts: new FactsReader(chains, settings.INDEX_POLL_INTERVAL),
    documents,
    sandbox,
    progress,
    receipts,
    orders: new OrderTransactions(receipts, {
      max: settings.ORDER_CACHE_SIZE,
      reorgDepth: settings.INDEX_REORG_DEPTH,
      wait: settings.ORDER_WAIT,
      quotesEndSince: await store.moments.of('quotes end'),
    }),
    accessControl: accessControl(settings.RBAC_SERVER_URL, outbound),
    purgatory,
    deliveries,
    metrics,
    anonymous: new AnonymousBudget(settings),
    bytes: byteLimit > 0 ? new ByteBudgets(store.usage, byteLimit) : undefined,
    descriptions: new PublishedDescriptions(),
    storages: new StorageRegistry({
      egress,
      readContract: contractReader(chains),
      readAnswer: (abi, data, options) => sandbox.run('answer', { abi, data }, options),
      sql: { timeout: settings.SQL_TIMEOUT, maxRows: settings.SQL_MAX_ROWS, maxBytes: settings.SQL_MAX_BYTES },
      gateways: gatewaysOf(settings),
    }),
  }
  const http = await createServer(context, log, tracing)
  const options = {
    blockRange: settings.INDEX_BLOCK_RANGE,
    pollInterval: settings.INDEX_POLL_INTERVAL,
    documents,
    reorgDepth: settings.INDEX_REORG_DEPTH,
    onMoved: (chainId: number) => resolved.forget(chainId),
    onRollback: (chainId: number, block: number) => context.orders.forgetAfter(chainId, block),
    onLeftOut: (chain: number) => metrics.leftOut.inc({ chain }),
  }
  const followers = [...chains.values()].map((chain) => new ChainFollower(chain, store.index, options, log))
  metrics.watch({
    progress,
    isCurrent: (one) => isCurrent(one, settings),
    proofsWaiting: () => store.proofs.waiting(),
    connections: () => http.connections.count,
    requests: () => http.connections.requests,
    asked: (budget) => egress.inFlight(budget),
  })
  let metricsServer: FastifyInstance | undefined
  return {
    server: http.app,
    context,
    get metricsUrl() {
      return metricsServer?.listeningOrigin
    },
    async listen() {
      const { HOST: host, PORT: port, METRICS_HOST, METRICS_PORT } = settings
      const few = tooFewOpenFiles(settings)
      if (few) log.warn(few, 'fewer files may be open than the settings allow connections: raise the limit (ulimit -n)')
      if (METRICS_PORT !== undefined)
        metricsServer = await startMetricsServer(metrics.registry, METRICS_HOST, METRICS_PORT, log)
      const url = await http.app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
        throw new StartError([
          `PORT: cannot listen at ${host}:${port}: ${error.code === 'EADDRINUSE' ? 'the port is in use' : error.code}.`,
        ])
      })
      for (const follower of followers) follower.start()
      deliveries.start()
      return url
    },
    async close() {
      await http.close(settings.STOP_TIMEOUT)
      purgatory.stop()
      // a node or a receiver that does not answer is left: what was asked for it is done again after the next start
      const resting = Promise.all([...followers.map((follower) => follower.stop()), deliveries.stop()])
      await Promise.race([resting, sleep(BOUNDS.stop.rest, undefined, { ref: false })])
      await sandbox.close()
      await Promise.all([egress.close(), outbound.close()])
      await store.close()
      await metricsServer?.close()
      await tracing?.close()
    },
  }
}

function proofKinds(receiver: string | undefined, onChain: boolean): QueuedProof['kind'][] {
  return [...(receiver ? (['http'] as const) : []), ...(onChain ? (['chain'] as const) : [])]
}

function gatewaysOf({ IPFS_GATEWAY: ipfs, FILECOIN_GATEWAY, ARWEAVE_GATEWAY: arweave }: Settings) {
  return { ipfs, filecoin: FILECOIN_GATEWAY ?? ipfs, arweave }
}

/** Lets a storage read contracts on the chains that are served, and no others. */
function contractReader(chains: Chains): ReadContract {
  return async (chainId, to, data, limit, signal) =>
    chains.get(chainId)?.nodes.ask((_client, foreign) => foreign({ to, data, limit, signal }), {
      // a node that lags behind does not know the contract yet
      accept: (answer) => answer !== undefined,
    })
}

/** The key of the lowest chain id, which does not change when the settings name the chains in another order. */
function firstKey(chains: Chains): ProviderKey {
  const lowest = [...chains.values()].sort((a, b) => a.chainId - b.chainId)[0]
  return (lowest as Chain).key
}
