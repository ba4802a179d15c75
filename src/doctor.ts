import type { Chain } from './chain/chains.js'
import { rpcClient } from './chain/clients.js'
import { connectChains } from './chain/connect.js'
import { ConfigError, loadSettings } from './config/load.js'
import type { Settings } from './config/schema.js'
import { StartError } from './errors.js'
import { tooFewOpenFiles } from './open-files.js'
import { Outbound } from './outbound/outbound.js'
import { openStore } from './state/open.js'
import { inWords } from './state/trouble.js'

/** One thing that was looked at. */
interface Finding {
  good: boolean
  what: string
}

/**
 * `tidegate doctor`: looks at everything that the service needs, a line each, and changes nothing but the tables of an
 * empty database. Answers the exit code: 0 where all is well.
 */
export async function doctor(options: { config?: string }): Promise<number> {
  let bad = 0
  const tell = ({ good, what }: Finding) => {
    if (!good) bad += 1
    process.stdout.write(`${good ? 'ok  ' : 'FAIL'}  ${what}\n`)
  }
  let settings: Settings
  try {
    settings = loadSettings(process.env, options.config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const what of error.problems) tell({ good: false, what })
    return 1
  }
  tell({ good: true, what: 'settings' })
  const few = tooFewOpenFiles(settings)
  // it works, until there are many connections
  if (few)
    process.stdout.write(`warn  open files: ${few.limit} are allowed, the settings want ${few.wanted} (ulimit -n)\n`)
  for await (const finding of findings(settings)) tell(finding)
  return bad > 0 ? 1 : 0
}

async function* findings(settings: Settings): AsyncGenerator<Finding> {
  yield* nodes(settings)
  try {
    for (const chain of (await connectChains(settings)).values()) yield* chainFindings(chain)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    for (const what of error.problems) yield { good: false, what }
  }
  const store = settings.DATABASE_URL === undefined ? `database in ${settings.STATE_DIR}` : 'PostgreSQL'
  try {
    const opened = await openStore(settings, { look: true })
    const trouble = await opened.trouble({ thorough: true })
    const chains = trouble ? [] : await opened.index.chains()
    await opened.close()
    if (trouble) yield { good: false, what: `${store}: ${inWords(trouble)}` }
    else yield { good: true, what: `${store}: answers and takes writes, ${chains.length} chain(s) in the index` }
  } catch (error) {
    yield { good: false, what: error instanceof StartError ? error.message : `${store}: does not answer` }
  }
  yield* services(settings)
}

/** Every node by itself, also those that the service would do without. */
async function* nodes({ NETWORK_URL, RPC_TIMEOUT }: Settings): AsyncGenerator<Finding> {
  const wanted: [string, URL[]][] = NETWORK_URL.all
    ? [['chain', NETWORK_URL.all]]
    : [...NETWORK_URL.byChain].map(([chainId, urls]) => [`chain ${chainId}`, urls])
  for (const [chain, urls] of wanted)
    for (const url of urls) {
      const client = rpcClient(url, { timeout: RPC_TIMEOUT })
      const begun = Date.now()
      const [id, head] = await Promise.all([client.getChainId(), client.getBlockNumber()]).catch(() => [])
      const said = id === undefined ? 'does not answer' : `is on chain ${id} at block ${head}, ${Date.now() - begun} ms`
      yield { good: id !== undefined, what: `${chain}, node ${url.host}: ${said}` }
    }
}

async function* chainFindings({ chainId, key, keys, nodes: asked, deployment }: Chain): AsyncGenerator<Finding> {
  const older = keys.length > 1 ? `, and ${keys.length - 1} older key(s) to decrypt with` : ''
  yield { good: true, what: `chain ${chainId}: provider address ${key.address}${older}` }
  const code = await asked.ask((client) => client.getCode({ address: deployment.factory })).catch(() => undefined)
  const there = code === undefined ? 'has no code: is this the right address file?' : 'is there'
  yield { good: code !== undefined, what: `chain ${chainId}: factory ${deployment.factory} ${there}` }
}

/** What else the operator has named: any answer over HTTP will do. */
async function* services(settings: Settings): AsyncGenerator<Finding> {
  const { IPFS_GATEWAY: ipfs, ARWEAVE_GATEWAY: arweave, FILECOIN_GATEWAY: filecoin = [] } = settings
  const { METADATA_CACHE_URL: caches = [], RBAC_SERVER_URL: rbac, USE_HTTP_PROOF: proofs } = settings
  const urls: [string, string][] = [
    ...ipfs.map((url): [string, string] => ['IPFS gateway', url]),
    ...filecoin.map((url): [string, string] => ['Filecoin gateway', url]),
    ...arweave.map((url): [string, string] => ['Arweave gateway', url]),
    ...caches.map((url): [string, string] => ['metadata cache', url]),
    ...(rbac ? [['access control server', rbac] as [string, string]] : []),
    ...(proofs ? [['receiver of proofs', proofs] as [string, string]] : []),
  ]
  const outbound = new Outbound({ timeout: settings.OUTBOUND_TIMEOUT, maxSize: 1_048_576 })
  for (const [kind, url] of urls) {
    const answers = await outbound.get(url).then(
      () => true,
      () => false,
    )
    yield { good: answers, what: `${kind} ${new URL(url).host}: ${answers ? 'answers' : 'does not answer'}` }
  }
  await outbound.close()
}
