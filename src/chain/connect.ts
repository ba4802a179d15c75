import { type Address, zeroAddress } from 'viem'
import { type Keyring, openKeyring } from '../config/keyring.js'
import { forChain } from '../config/parsers.js'
import type { Settings } from '../config/schema.js'
import { StartError } from '../errors.js'
import type { Chain, Chains } from './chains.js'
import { rpcClient } from './clients.js'
import { type Deployment, KNOWN_DEPLOYMENTS, readAddressFile } from './deployments.js'
import { ChainNodes, type NodesOptions } from './nodes.js'

type Watching = Pick<NodesOptions, 'log' | 'onOutcome' | 'trace'>

/**
 * Asks every configured node for its chain id and puts the chains together. A node that does not answer is no problem
 * where another one of its chain does. Throws one StartError that lists every chain without a node, every node on
 * another chain, and every chain without contracts or key.
 */
export async function connectChains(settings: Settings, watching: Watching = {}): Promise<Chains> {
  const problems: string[] = []
  const deployments = knownDeployments(settings, problems)
  const keyring = await openKeyring(settings, problems)
  if (problems.length > 0) throw new StartError(problems)
  const urls = settings.NETWORK_URL
  const wanted: [number | undefined, URL[]][] = urls.all ? [[undefined, urls.all]] : [...urls.byChain]
  const connected = await Promise.all(
    wanted.map(async ([expected, nodes]) => {
      const chainId = await chainIdOf(expected, nodes, settings.RPC_TIMEOUT, problems)
      const chain =
        chainId === undefined ? undefined : chainFrom(settings, { keyring, deployments }, chainId, nodes, watching)
      if (typeof chain === 'string') problems.push(chain)
      return chain
    }),
  )
  if (problems.length > 0) throw new StartError(problems)
  return new Map(connected.map((chain) => [(chain as Chain).chainId, chain as Chain]))
}

/** The chain that all nodes which answer are on. Adds a line to the problems for each that is on another, or where none answers. */
async function chainIdOf(
  expected: number | undefined,
  urls: URL[],
  timeout: number,
  problems: string[],
): Promise<number | undefined> {
  const told = await Promise.all(
    urls.map((url) =>
      rpcClient(url, { timeout })
        .getChainId()
        .catch(() => undefined),
    ),
  )
  const chainId = expected ?? told.find((id) => id !== undefined)
  const whose = expected === undefined ? '' : ` of chain ${expected}`
  if (told.every((id) => id === undefined)) {
    const hosts = urls.map(({ host }) => host).join(', ')
    problems.push(`NETWORK_URL: the node${whose} at ${hosts} does not answer JSON-RPC.`)
    return undefined
  }
  for (const [at, id] of told.entries())
    if (id !== undefined && id !== chainId)
      problems.push(`NETWORK_URL: the node at ${urls[at]?.host} is on chain ${id}, not on chain ${chainId}.`)
  return chainId
}

function knownDeployments(settings: Settings, problems: string[]): Map<number, Deployment> {
  const deployments = new Map(KNOWN_DEPLOYMENTS.map((entry) => [entry.chainId, entry]))
  if (settings.ADDRESS_FILE === undefined) return deployments
  try {
    for (const entry of readAddressFile(settings.ADDRESS_FILE)) deployments.set(entry.chainId, entry)
  } catch (error) {
    problems.push(`ADDRESS_FILE: ${settings.ADDRESS_FILE} ${(error as Error).message}.`)
  }
  return deployments
}

/** One chain, or the sentence that says why not. */
function chainFrom(
  settings: Settings,
  { keyring, deployments }: { keyring: Keyring; deployments: Map<number, Deployment> },
  chainId: number,
  urls: URL[],
  watching: Watching,
): Chain | string {
  const key = keyring.current(chainId)
  if (!key) return `PROVIDER_PRIVATE_KEY: has no key for chain ${chainId}.`
  const deployment = deployments.get(chainId)
  if (!deployment)
    return `ADDRESS_FILE: chain ${chainId} is not a built-in network, so its contracts must be named there.`
  const token: Address = forChain(settings.PROVIDER_FEE_TOKEN, chainId) ?? deployment.oceanToken ?? zeroAddress
  const amount = forChain(settings.PROVIDER_FEE_AMOUNT, chainId) ?? 0n
  if (amount > 0n && token === zeroAddress)
    return `PROVIDER_FEE_TOKEN: must be set for chain ${chainId}, since PROVIDER_FEE_AMOUNT is above zero there.`
  return {
    chainId,
    nodes: new ChainNodes(chainId, urls, {
      timeout: settings.RPC_TIMEOUT,
      agreement: settings.RPC_AGREEMENT,
      ...watching,
    }),
    key,
    keys: [key, ...keyring.previous(chainId)],
    fee: { token, amount },
    confirmations: forChain(settings.ORDER_CONFIRMATIONS, chainId) ?? 1,
    deployment: {
      ...deployment,
      startBlock: forChain(settings.INDEX_START_BLOCK, chainId) ?? deployment.startBlock,
    },
  }
}
