import { availableParallelism } from 'node:os'
import {
  CATALOG_LIMITS,
  CatchingUp,
  ChainFollower,
  DocumentReader,
  type FollowerOptions,
  OnChainReader,
  SearchBuilder,
  TokenNames,
} from '@tidegate/catalog'
import { type Chain, type Chains, ClockWatch, FactoryWatch, Receipts } from '@tidegate/chain'
import { COMMON_LIMITS, createLogger, type LocalOnly, Outbound, TickBatch, untraced } from '@tidegate/common'
import { StartError } from '@tidegate/protocol'
import type { ProviderKey } from '@tidegate/protocol/keys'
import { PublishedDescriptions } from '@tidegate/storage'
import type { FastifyInstance } from 'fastify'
import { AccessLists } from './access/access-lists.js'
import { FileLists } from './access/file-lists.js'
import { KeyAudit } from './access/key-audit.js'
import { ProviderKeys } from './access/provider-keys.js'
import { Purgatory } from './access/purgatory.js'
import { accessControl } from './access/rbac.js'
import { openAssets } from './app/assets.js'
import { connectChains } from './app/connect.js'
import { openDeliveries } from './app/deliveries.js'
import { watch } from './app/gauges.js'
import { openHosting } from './app/hosting.js'
import { Lifecycle } from './app/lifecycle.js'
import { openStorages } from './app/storages.js'
import { CutOver } from './auth/cut-over.js'
import { Links } from './auth/links.js'
import { SignerRecovery } from './auth/recovery.js'
import { SignatureMatcher } from './auth/signature.js'
import { Tokens, tokenSecret } from './auth/tokens.js'
import type { Settings } from './config/schema.js'
import { openConsole } from './console/console.js'
import type { LocalChain } from './console/facts.js'
import type { Context } from './http/context.js'
import { AnonymousBudget } from './http/limits/anonymous.js'
import { ByteBudgets } from './http/limits/byte-budgets.js'
import { ConsumerLimits } from './http/limits/consumer-limits.js'
import { UploadSlots } from './http/limits/upload-slots.js'
import { createServer } from './http/server.js'
import { Metrics } from './metrics/metrics.js'
import { ruleProblems } from './orders/fees.js'
import { OrderTransactions } from './orders/transactions.js'
import { hasRoomForIndex } from './process/disk.js'
import { startTracing } from './process/tracing.js'
import { openStore } from './state/open.js'
import { TaskSandbox } from './tasks/task-sandbox.js'

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
  /** Refuses requests of foreign pages. Undefined: serves every origin. */
  localOnly?: LocalOnly | undefined
}

/** Polls of the index for each look at the clock: nodes are paid for by the call, and clocks go wrong seldom. */
const LOOKS = 3

/**
 * Builds the service from its settings: the composition root. Throws StartError if chains or state cannot be used, or
 * if the id of the state is not `expected`.
 */
export async function createApp(settings: Settings, { expected, local, localOnly }: AppOptions = {}): Promise<App> {
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
  if (settings.REQUIRE_DOMAIN_SIGNATURES && settings.PUBLIC_URL === undefined)
    throw new StartError(['REQUIRE_DOMAIN_SIGNATURES: needs PUBLIC_URL, which signed texts must name.'])
  const consolePage = openConsole(settings, chains, local)
  const factories = new FactoryWatch(chains, log)
  const clock = new ClockWatch(chains, LOOKS * settings.INDEX_POLL_INTERVAL, log)
  const outbound = new Outbound({ timeout: settings.OUTBOUND_TIMEOUT, maxSize: CATALOG_LIMITS.outbound.response })
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
  const sandbox = new TaskSandbox({ onCrash: (code) => log.error({ code }, 'a sandbox thread crashed') })
  const documents = new DocumentReader(sandbox, settings.MAX_DDO_SIZE, settings.MAX_DDO_INFLATION)
  const progress = () => followers.map((follower) => follower.progress)
  const assets = openAssets(settings, { store, chains, documents, outbound, log, progress })
  const providerKeys = await ProviderKeys.open(store.milestones, chains, {
    publicUrl: settings.PUBLIC_URL,
    records: true,
  })
  for (const chainId of chains.keys()) {
    const keys = providerKeys.missingOn(chainId)
    if (keys.length > 0) log.warn({ chainId, keys }, 'a provider key that was in use is not configured')
  }
  const keyAudit = new KeyAudit({
    ...{ index: store.index, documents, keys: providerKeys, chains, log },
    isCurrent: assets.isCurrent,
    leads: (chainId) => store.index.tryLead(chainId),
  })
  const { deliveries, ledger } = await openDeliveries(settings, { store, chains, outbound, metrics, log })
  const { RATE_LIMIT_BYTES: byteLimit } = settings
  const receipts = new Receipts(settings.ORDER_WAIT)
  const hosting = await openHosting(settings, { store, chains, log, isCurrent: assets.isCurrent })
  const { storages, egress } = openStorages(settings, { chains, sandbox, hosting, trace, metrics })
  const signers = new SignerRecovery({
    thread: availableParallelism() > settings.WORKERS,
    isSingle: () => batch.isSingle,
  })
  const secret = tokenSecret(settings.AUTH_TOKEN_SECRET, firstKey(chains))
  const context: Context = {
    settings,
    batch,
    chains,
    factories,
    clock,
    store,
    signatures: new SignatureMatcher(signers),
    cutOver: new CutOver(store.cutOver),
    tokens: new Tokens(secret, store.revocations, settings.LEGACY_TOKEN_SECRET),
    links: new Links(secret, store.revocations),
    assets: assets.resolver,
    indexed: assets.indexed,
    onChain: new OnChainReader(
      chains,
      settings.INDEX_POLL_INTERVAL,
      new TokenNames(chains, store.index, COMMON_LIMITS.contract.namelessFor),
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
      isMissingKey: (chain, address) => providerKeys.isMissing(chain, address),
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
    fileLists: new FileLists(
      storages,
      settings.ALLOW_UNBOUND_FILES,
      providerKeys,
      ({ chain, nft }, encrypted, files) => {
        hosting?.uses
          .record(chain.chainId, nft, files, encrypted)
          .catch(() => log.warn({}, 'the use of a hosted file could not be recorded'))
      },
    ),
    hosting,
    console: consolePage,
    localOnly,
  }
  const http = await createServer(context, log, tracing)
  const options: FollowerOptions = {
    blockRange: settings.INDEX_BLOCK_RANGE,
    concurrency: settings.INDEX_CONCURRENCY,
    pollInterval: settings.INDEX_POLL_INTERVAL,
    documents,
    reorgDepth: settings.INDEX_REORG_DEPTH,
    onChanged: (chainId: number) => {
      assets.invalidate(chainId)
      keyAudit.changed(chainId)
    },
    onRollback: (chainId: number, block: number) => context.orders.evictAfter(chainId, block),
    onSkipped: (chain: number) => metrics.skippedEvents.inc({ chain }),
    hasRoom: () => hasRoomForIndex(settings),
  }
  const followers = [...chains.values()].map((chain) => new ChainFollower(chain, store.index, options, log))
  watch(context, http, egress, keyAudit)
  const lifecycle = new Lifecycle({
    context,
    log,
    http,
    background: [
      factories,
      clock,
      ...followers,
      keyAudit,
      deliveries,
      ledger,
      ...(hosting ? [hosting.sweeper] : []),
      new SearchBuilder(store.search, log),
    ],
    closers: [
      async () => purgatory.stop(),
      () => sandbox.close(),
      () => signers.close(),
      () => Promise.all([egress.close(), outbound.close(), hosting?.close()]),
      () => store.close(),
      () => tracing?.close(),
    ],
  })
  return {
    server: http.app,
    context,
    get metricsUrl() {
      return lifecycle.metricsUrl
    },
    listen: () => lifecycle.listen(),
    close: () => lifecycle.close(),
  }
}

/** Returns the key of the lowest chain id: independent of the order of the chains in the settings. */
function firstKey(chains: Chains): ProviderKey {
  const lowest = [...chains.values()].sort((a, b) => a.chainId - b.chainId)[0]
  return (lowest as Chain).key
}
