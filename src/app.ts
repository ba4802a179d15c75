import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AccessLists } from './access/access-lists.js'
import { FileLists } from './access/file-lists.js'
import { Purgatory } from './access/purgatory.js'
import { accessControl } from './access/rbac.js'
import { blockCacheOf, contractReader, firstKey, gatewaysOf, openEgress, proofKinds } from './app-parts.js'
import { cachedSource } from './assets/cached-source.js'
import { DocumentReader } from './assets/documents.js'
import { CatchingUp } from './assets/index/catching-up.js'
import { currentAssets } from './assets/index/current.js'
import { ChainFollower, type FollowerOptions } from './assets/index/follower.js'
import { isCurrent } from './assets/index/freshness.js'
import { indexSource } from './assets/index/source.js'
import { OnChainReader } from './assets/on-chain.js'
import { remoteCacheSource } from './assets/remote-cache.js'
import { AssetResolver } from './assets/resolver.js'
import { TokenNames } from './assets/token-names.js'
import { CutOver } from './auth/cut-over.js'
import { Links } from './auth/links.js'
import { SignatureMatcher } from './auth/signature.js'
import { Tokens, tokenSecret } from './auth/tokens.js'
import { BOUNDS } from './bounds.js'
import { connectChains } from './chain/connect.js'
import { FactoryWatch } from './chain/factory.js'
import { Receipts } from './chain/receipts.js'
import type { Settings } from './config/schema.js'
import { openConsole } from './console/console.js'
import type { LocalChain } from './console/facts.js'
import { DeliveryLedger } from './deliveries/ledger.js'
import { DeliveryQueue } from './deliveries/queue.js'
import { ProofSender } from './deliveries/sender.js'
import { StartError } from './errors.js'
import { openHosting } from './hosting/open.js'
import type { Context } from './http/context.js'
import { AnonymousBudget } from './http/limits/anonymous.js'
import { ByteBudgets } from './http/limits/byte-budgets.js'
import { ConsumerLimits } from './http/limits/consumer-limits.js'
import { UploadSlots } from './http/limits/upload-slots.js'
import { createServer } from './http/server.js'
import { Metrics } from './metrics/metrics.js'
import { startMetricsServer } from './metrics/server.js'
import { ruleProblems } from './orders/fees.js'
import { OrderTransactions } from './orders/transactions.js'
import { Outbound } from './outbound/outbound.js'
import { diskLeft } from './process/disk.js'
import { listenProblem } from './process/listening.js'
import { createLogger } from './process/logger.js'
import { tooFewOpenFiles } from './process/open-files.js'
import { TickBatch } from './process/tick-batch.js'
import { startTracing, untraced } from './process/tracing.js'
import { startFields } from './start-line.js'
import { openStore } from './state/open.js'
import { buildSearch } from './state/search/building.js'
import { PublishedDescriptions } from './storage/describing.js'
import { StorageRegistry } from './storage/kinds/registry.js'
import { TaskSandbox } from './tasks/task-sandbox.js'
import { packageVersion } from './version.js'

export interface App {
  server: FastifyInstance
  context: Context
  /** Base URL of the metrics server, while it runs. */
  readonly metricsUrl: string | undefined
  /** Starts the HTTP server, the chain followers and the delivery queue. Returns the base URL. Throws StartError. */
  listen(): Promise<string>
  /** Drains requests, stops the followers, then closes connections and database. */
  close(): Promise<void>
}

export interface AppOptions {
  /** Id that the state must have. */
  expected?: string
  /** The development network that the service is part of. No setting can say so: it gives private keys to the console. */
  local?: LocalChain
}

/**
 * Builds the service from its settings: the composition root. Throws StartError if chains or state cannot be used, or
 * if the id of the state is not `expected`.
 */
export async function createApp(settings: Settings, { expected, local }: AppOptions = {}): Promise<App> {
  const log = await createLogger(settings)
  const metrics = new Metrics()
  const batch = new TickBatch()
  const tracing = await startTracing(settings)
  const trace = tracing?.trace ?? untraced
  const chains = await connectChains(settings, {
    log,
    trace,
    onOutcome: (chain, node, outcome) => metrics.rpc.inc({ chain, node, outcome }),
  })
  const wrongRules = ruleProblems(settings.PROVIDER_FEES, chains)
  if (wrongRules.length > 0) throw new StartError(wrongRules)
  const consolePage = openConsole(settings, chains, local)
  const factories = new FactoryWatch(chains, log)
  const outbound = new Outbound({ timeout: settings.OUTBOUND_TIMEOUT, maxSize: BOUNDS.outbound.response })
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
  const store = await openStore(settings, { log, batch, expected })
  const gateways = gatewaysOf(settings)
  const egress = openEgress(settings, gateways, { trace, metrics })
  const sandbox = new TaskSandbox({
    onCrash: (code) => log.error({ code }, 'a sandbox thread crashed'),
  })
  const documents = new DocumentReader(sandbox, settings.MAX_DDO_SIZE)
  const { MAX_DDO_SIZE: maxDocument, INDEX_POLL_INTERVAL: ttl } = settings
  const cacheOptions = { chains, outbound, log, documents, maxDocument, ttl }
  const progress = () => followers.map((follower) => follower.progress)
  const isIndexCurrent = (chainId: number) =>
    progress().some((chain) => chain.chainId === chainId && isCurrent(chain, settings))
  const indexed = currentAssets({
    index: store.index,
    chains,
    documents,
    isCurrent: isIndexCurrent,
    isAstray: (chainId) => progress().some((chain) => chain.chainId === chainId && chain.astray),
    ttl: settings.INDEX_POLL_INTERVAL,
    // the time-out of one node, and of a second one if the first fails
    deadline: 2 * settings.RPC_TIMEOUT,
  })
  const resolved = cachedSource(indexSource(indexed, documents), {
    ttl,
    chains: [...chains.keys()],
    isCurrent: isIndexCurrent,
  })
  const caches = (settings.METADATA_CACHE_URL ?? []).map((url) => remoteCacheSource({ ...cacheOptions, url }))
  const { USE_HTTP_PROOF: receiver, USE_CHAIN_PROOF: onChain } = settings
  const sender = new ProofSender(chains, outbound, receiver, store.proofs)
  // at the start: Node never loads again what it could not load once, for instance for want of a descriptor
  if (onChain) await import('viem/accounts')
  const deliveries = new DeliveryQueue({
    store: store.proofs,
    sender,
    kinds: proofKinds(receiver, onChain),
    chainProofsPerDay: settings.CHAIN_PROOFS_PER_DAY,
    onRefused: () => metrics.proofsRefused.inc(),
    log,
  })
  const ledger = new DeliveryLedger({
    store: store.deliveries,
    keep: settings.DELIVERIES_KEEP,
    onDropped: () => metrics.deliveriesDropped.inc(),
    log,
  })
  const { RATE_LIMIT_BYTES: byteLimit } = settings
  const receipts = new Receipts(settings.ORDER_WAIT)
  const hosting = await openHosting(settings, { store, chains, log, isCurrent: isIndexCurrent })
  const storages = new StorageRegistry({
    hosted: hosting?.find,
    egress,
    readContract: contractReader(chains),
    decodeResult: (abi, data, options) => sandbox.run('answer', { abi, data }, options),
    sql: { timeout: settings.SQL_TIMEOUT, maxRows: settings.SQL_MAX_ROWS, maxBytes: settings.SQL_MAX_BYTES },
    gateways,
    blockCache: blockCacheOf(settings, metrics),
  })
  const secret = tokenSecret(settings.AUTH_TOKEN_SECRET, firstKey(chains))
  const context: Context = {
    settings,
    batch,
    chains,
    factories,
    store,
    signatures: new SignatureMatcher(),
    cutOver: new CutOver(store.cutOver),
    tokens: new Tokens(secret, store.revocations, settings.LEGACY_TOKEN_SECRET),
    links: new Links(secret, store.revocations),
    assets: new AssetResolver([resolved, ...caches], chains),
    indexed,
    onChain: new OnChainReader(
      chains,
      settings.INDEX_POLL_INTERVAL,
      new TokenNames(chains, store.index, BOUNDS.contract.namelessFor),
    ),
    documents,
    sandbox,
    progress,
    catchingUp: new CatchingUp(progress),
    receipts,
    orders: new OrderTransactions(receipts, {
      max: settings.ORDER_CACHE_SIZE,
      reorgDepth: settings.INDEX_REORG_DEPTH,
      wait: settings.ORDER_WAIT,
      quotesEndSince: await store.milestones.get('quotes end'),
    }),
    accessControl: accessControl(settings.RBAC_SERVER_URL, outbound),
    accessLists: new AccessLists(chains, settings.INDEX_POLL_INTERVAL),
    purgatory,
    deliveries,
    ledger,
    metrics,
    anonymous: new AnonymousBudget(settings),
    bytes: byteLimit > 0 ? new ByteBudgets(store.usage, byteLimit) : undefined,
    consumerLimits: new ConsumerLimits(store.usage, settings),
    uploadSlots: new UploadSlots(settings),
    descriptions: new PublishedDescriptions(),
    storages,
    fileLists: new FileLists(storages, settings.ALLOW_UNBOUND_FILES, ({ chain, nft }, encrypted, files) => {
      hosting?.uses
        .record(chain.chainId, nft, files, encrypted)
        .catch(() => log.warn({}, 'the use of a hosted file could not be recorded'))
    }),
    hosting,
    console: consolePage,
  }
  const http = await createServer(context, log, tracing)
  const options: FollowerOptions = {
    blockRange: settings.INDEX_BLOCK_RANGE,
    concurrency: settings.INDEX_CONCURRENCY,
    pollInterval: settings.INDEX_POLL_INTERVAL,
    documents,
    reorgDepth: settings.INDEX_REORG_DEPTH,
    onChanged: (chainId: number) => resolved.invalidate(chainId),
    onRollback: (chainId: number, block: number) => context.orders.evictAfter(chainId, block),
    onSkipped: (chain: number) => metrics.skippedEvents.inc({ chain }),
  }
  const followers = [...chains.values()].map((chain) => new ChainFollower(chain, store.index, options, log))
  metrics.registerGauges({
    progress,
    isCurrent: (chain) => isCurrent(chain, settings),
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
  let metricsServer: FastifyInstance | undefined
  let stopBuilding = () => {}
  return {
    server: http.app,
    context,
    get metricsUrl() {
      return metricsServer?.listeningOrigin
    },
    async listen() {
      const { HOST: host, PORT: port, METRICS_HOST, METRICS_PORT } = settings
      const shortage = tooFewOpenFiles(settings)
      if (shortage)
        log.warn(shortage, 'fewer files may be open than the settings allow connections: raise the limit (ulimit -n)')
      if (METRICS_PORT !== undefined)
        metricsServer = await startMetricsServer(metrics.registry, METRICS_HOST, METRICS_PORT, log)
      const url = await http.app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
        throw new StartError([listenProblem(['HOST', 'PORT'], { host, port }, error)])
      })
      log.info(startFields(settings, chains, url), 'service started')
      factories.start()
      for (const follower of followers) follower.start()
      deliveries.start()
      ledger.start()
      hosting?.sweeper.start()
      stopBuilding = buildSearch(store.search, log)
      return url
    },
    async close() {
      log.info({ inFlight: http.connections.requests, timeout: settings.STOP_TIMEOUT }, 'service is stopping')
      await http.close(settings.STOP_TIMEOUT)
      purgatory.stop()
      factories.stop()
      stopBuilding()
      // do not wait for an unresponsive node or receiver: its work is repeated after the next start
      const stopped = Promise.all([
        ...followers.map((follower) => follower.stop()),
        deliveries.stop(),
        ledger.stop(),
        hosting?.sweeper.stop(),
      ])
      await Promise.race([stopped, sleep(BOUNDS.stop.grace, undefined, { ref: false })])
      await sandbox.close()
      await Promise.all([egress.close(), outbound.close(), hosting?.close()])
      await store.close()
      await metricsServer?.close()
      await tracing?.close()
      log.info({ uptime: Math.round(process.uptime()) }, 'service stopped')
    },
  }
}
