import { Command } from '@commander-js/extra-typings'
import { type Chain, type Chains, hasFactory } from '@tidegate/chain'
import { print } from '@tidegate/common/terminal'
import { visible } from '@tidegate/common/visible-text'
import { describeFault } from '@tidegate/database'
import { StartError } from '@tidegate/protocol'
import { connectChains } from '../app/connect.js'
import { ConfigError, loadSettings } from '../config/load.js'
import { readableFiles } from '../config/readable-files.js'
import type { Settings } from '../config/schema.js'
import { ruleProblems } from '../orders/fees.js'
import { tooFewOpenFiles } from '../process/open-files.js'
import { openStore } from '../state/open.js'
import { cacheFindings } from './doctor/cache.js'
import { clockFindings } from './doctor/clock.js'
import { type Finding, hostingFindings } from './doctor/files.js'
import { keyFindings } from './doctor/keys.js'
import { limitFindings, nodeFindings } from './doctor/nodes.js'
import { policyFindings } from './doctor/policies.js'
import { publisherFindings } from './doctor/publishers.js'
import { purchaseFindings } from './doctor/purchases.js'
import { replicationFindings } from './doctor/replication.js'
import { runningFindings } from './doctor/running.js'
import { serviceFindings } from './doctor/services.js'
import { CONFIG } from './options.js'

export const command = (finish: (code: number) => void) =>
  new Command('doctor')
    .description(
      'Checks settings, keys, nodes, database, gateways and the running service, and prints one line for each. Exits with 1 if a check fails.',
    )
    .option('--files', 'read every hosted file, and compare it with its digest')
    .option(...CONFIG)
    .action(async (options) => finish(await doctor(options)))

/**
 * `tidegate doctor`: checks all dependencies of the service and prints a line for each. Creates only the tables of an
 * empty database and the folder of the cache. Returns the exit code: 0 if every check passes.
 */
export async function doctor(options: { config?: string; files?: true }): Promise<number> {
  let failures = 0
  const report = ({ ok, text, optional }: Finding) => {
    if (!ok && !optional) failures += 1
    print(visible(`${ok ? 'ok  ' : optional ? 'warn' : 'FAIL'}  ${text}`))
  }
  let settings: Settings
  try {
    settings = loadSettings(process.env, options.config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const text of error.problems) report({ ok: false, text })
    return 1
  }
  report({ ok: true, text: 'settings' })
  const shortage = tooFewOpenFiles(settings)
  // a warning: it matters only with many connections
  if (shortage) {
    const { limit, wanted } = shortage
    print(`warn  open files: ${limit} are allowed, the settings want ${wanted} (ulimit -n)`)
  }
  for (const file of readableFiles(process.env, options.config))
    report({ ok: false, optional: true, text: `${file}: every user of this machine may read this file (chmod 600)` })
  for await (const finding of findings(settings, options.files ?? false)) report(finding)
  return failures > 0 ? 1 : 0
}

async function* findings(settings: Settings, readsFiles: boolean): AsyncGenerator<Finding> {
  yield* nodeFindings(settings)
  yield* cacheFindings(settings)
  let connected: Chains = new Map()
  try {
    const chains = await connectChains(settings)
    connected = chains
    for (const chain of chains.values()) yield* chainFindings(chain)
    for (const chain of chains.values()) yield* limitFindings(chain)
    yield* publisherFindings(settings, chains)
    yield* clockFindings(chains)
    for (const text of ruleProblems(settings.PROVIDER_FEES, chains)) yield { ok: false, text }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    for (const text of error.problems) yield { ok: false, text }
  }
  const store = settings.DATABASE_URL === undefined ? `database in ${settings.STATE_DIR}` : 'PostgreSQL'
  try {
    const opened = await openStore(settings, { inspectOnly: true })
    const fault = await opened.checkHealth({ thorough: true })
    const chains = fault ? [] : await opened.index.chains()
    if (fault) yield { ok: false, text: `${store}: ${describeFault(fault)}` }
    else yield { ok: true, text: `${store}: answers and takes writes, ${chains.length} chain(s) in the index` }
    if (!fault) yield* replicationFindings(opened)
    if (!fault) yield* keyFindings(settings, opened, connected)
    if (!fault) yield* purchaseFindings(settings, opened.driver, connected)
    if (!fault && settings.HOSTING !== 'off') yield* hostingFindings(settings, opened.hosted, readsFiles)
    await opened.close()
  } catch (error) {
    yield { ok: false, text: error instanceof StartError ? error.message : `${store}: does not answer` }
  }
  yield* serviceFindings(settings)
  yield* policyFindings(settings, connected)
  yield* runningFindings(settings, connected)
}

async function* chainFindings(chain: Chain): AsyncGenerator<Finding> {
  const { chainId, key, keys, deployment } = chain
  const older = keys.length > 1 ? `, and ${keys.length - 1} older key(s) to decrypt with` : ''
  yield { ok: true, text: `chain ${chainId}: provider address ${key.address}${older}` }
  const found = await hasFactory(chain)
  const status = found === undefined ? 'cannot be looked for: no node answers' : 'has code'
  yield { ok: found === true, text: `chain ${chainId}: factory ${deployment.factory} ${status}` }
}
