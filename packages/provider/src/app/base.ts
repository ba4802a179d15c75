import { CATALOG_LIMITS, DocumentReader } from '@tidegate/catalog'
import type { Chains } from '@tidegate/chain'
import { createLogger, Outbound, TickBatch, type Trace, untraced } from '@tidegate/common'
import { StartError } from '@tidegate/protocol'
import type { FastifyBaseLogger } from 'fastify'
import { maxLinkLifetime } from '../access/download-grant.js'
import { Purgatory } from '../access/rules/purgatory.js'
import type { Settings } from '../config/schema.js'
import { type Console, openConsole } from '../console/console.js'
import type { LocalChain } from '../console/facts.js'
import { assertCatalogueUrl } from '../http/catalogue/site.js'
import { Metrics } from '../metrics/metrics.js'
import { ruleProblems } from '../orders/fees.js'
import { startTracing, type Tracing } from '../process/tracing.js'
import { openStore } from '../state/open.js'
import type { StateStore } from '../state/stores.js'
import { TaskSandbox } from '../tasks/task-sandbox.js'
import { connectChains } from './connect.js'

/** The parts that need no database. */
export interface Ground {
  log: FastifyBaseLogger
  metrics: Metrics
  tracing: Tracing | undefined
  trace: Trace
  chains: Chains
  outbound: Outbound
  purgatory: Purgatory
  /** Undefined if CONSOLE is off. */
  console: Console | undefined
}

/** The parts that all rooms share. */
export interface Base {
  log: FastifyBaseLogger
  metrics: Metrics
  trace: Trace
  chains: Chains
  outbound: Outbound
  /** Batches statements and responses within a tick of the event loop. */
  batch: TickBatch
  store: StateStore
  sandbox: TaskSandbox
  documents: DocumentReader
}

/** Connects the chains and checks the settings against them. Throws StartError. */
export async function openGround(settings: Settings, local: LocalChain | undefined): Promise<Ground> {
  const log = await createLogger(settings)
  const metrics = new Metrics()
  const tracing = await startTracing(settings)
  const trace = tracing?.trace ?? untraced
  const chains = await connectChains(settings, {
    log,
    trace,
    onOutcome: (chain, node, outcome) => metrics.rpc.inc({ chain, node, outcome }),
    onRepeated: (chain, node, logs) => metrics.repeatedLogs.inc({ chain, node }, logs),
  })
  const wrongRules = ruleProblems(settings.PROVIDER_FEES, chains)
  if (wrongRules.length > 0) throw new StartError(wrongRules)
  assertCatalogueUrl(settings)
  if (settings.REQUIRE_DOMAIN_SIGNATURES && settings.PUBLIC_URL === undefined)
    throw new StartError(['REQUIRE_DOMAIN_SIGNATURES: needs PUBLIC_URL, which signed texts must name.'])
  if (maxLinkLifetime(settings) < settings.DOWNLOAD_LINK_LIFETIME)
    throw new StartError(['DOWNLOAD_LINK_LIFETIME_MAX: must not be less than DOWNLOAD_LINK_LIFETIME.'])
  const console = openConsole(settings, chains, local)
  const outbound = new Outbound({ timeout: settings.OUTBOUND_TIMEOUT, maxSize: CATALOG_LIMITS.outbound.response })
  const purgatory = new Purgatory({
    assets: settings.PURGATORY_ASSETS,
    accounts: settings.PURGATORY_ACCOUNTS,
    interval: settings.PURGATORY_INTERVAL,
    outbound,
    log,
  })
  await purgatory.start().catch((error: Error) => {
    throw error instanceof StartError ? error : new StartError([error.message])
  })
  return { log, metrics, tracing, trace, chains, outbound, purgatory, console }
}

/** Opens the database. Throws StartError, also if its id is not `expected`. */
export async function openBase(settings: Settings, ground: Ground, expected: string | undefined): Promise<Base> {
  const { log, metrics, trace, chains, outbound } = ground
  const batch = new TickBatch()
  const store = await openStore(settings, { log, batch, expected })
  const sandbox = new TaskSandbox({ onCrash: (code) => log.error({ code }, 'a sandbox thread crashed') })
  const documents = new DocumentReader(sandbox, settings.MAX_DDO_SIZE, settings.MAX_DDO_INFLATION)
  return { log, metrics, trace, chains, outbound, batch, store, sandbox, documents }
}
