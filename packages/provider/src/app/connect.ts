import {
  type Chain,
  ChainNodes,
  type Chains,
  type Deployment,
  hasCode,
  hasFactory,
  KNOWN_DEPLOYMENTS,
  type NodesOptions,
  readAddressFile,
  rpcClient,
  transportFailure,
} from '@tidegate/chain'
import { StartError, UnavailableError } from '@tidegate/protocol'
import { type Address, zeroAddress } from 'viem'
import type { FeeRule } from '../config/fee-rules.js'
import { type Keyring, openKeyring } from '../config/keyring.js'
import { forChain } from '../config/parsers/chains.js'
import type { Settings } from '../config/schema.js'

type Instrumentation = Pick<NodesOptions, 'log' | 'onOutcome' | 'onRepeated' | 'trace'>

/**
 * Requests the chain id of every configured node and builds the chains. A chain without a responding node is served as
 * soon as one responds; if its id is not configured, a node must respond now. Throws one StartError that lists nodes of
 * other chains, and chains without id, contracts or key; an UnavailableError if no node responded that must.
 */
export async function connectChains(settings: Settings, instrumentation: Instrumentation = {}): Promise<Chains> {
  const problems: string[] = []
  const unreachable: string[] = []
  const deployments = knownDeployments(settings, problems)
  const keyring = await openKeyring(settings, problems)
  if (problems.length > 0) throw new StartError(problems)
  const urls = settings.NETWORK_URL
  const configured: [number | undefined, URL[]][] = urls.all ? [[undefined, urls.all]] : [...urls.byChain]
  const connected = await Promise.all(
    configured.map(async ([expected, nodes]) => {
      const before = problems.length
      const chainId = await chainIdOf(expected, nodes, settings.RPC_TIMEOUT, { problems, unreachable })
      const misplaced = problems.length > before
      const chain =
        chainId === undefined
          ? undefined
          : chainFrom(settings, { keyring, deployments }, chainId, nodes, instrumentation)
      if (typeof chain === 'string') return void problems.push(chain)
      if (!chain || misplaced) return undefined
      const factoryFound = await hasFactory(chain)
      if (factoryFound === false)
        problems.push(
          `ADDRESS_FILE: chain ${chain.chainId} has no contract at ${chain.deployment.factory}, which should be the factory.`,
        )
      else problems.push(...(await tokenProblems(chain, settings.PROVIDER_FEES)))
      return { ...chain, factoryFound: factoryFound === true }
    }),
  )
  if (problems.length > 0) throw new StartError([...problems, ...unreachable])
  if (unreachable.length > 0) throw new UnavailableError(unreachable)
  return new Map(connected.flatMap((chain) => (chain ? [[chain.chainId, chain]] : [])))
}

/** Returns a line for each token of a fee that has no contract on a chain: a buyer could not pay it. None if no node answers. */
async function tokenProblems(chain: Omit<Chain, 'factoryFound'>, rules: readonly FeeRule[]): Promise<string[]> {
  const { chainId, fee } = chain
  const named = rules.flatMap(({ chain: own = chainId, token }, at): [string, Address][] =>
    own === chainId && token ? [[`PROVIDER_FEES: rule ${at + 1}:`, token]] : [],
  )
  if (fee.amount > 0n) named.unshift(['PROVIDER_FEE_TOKEN:', fee.token])
  const tokens = [...new Map(named.map(([where, token]) => [token, where]))]
  const found = await Promise.all(tokens.map(([token]) => hasCode(chain, token)))
  return tokens.flatMap(([token, where], at) =>
    found[at] === false ? [`${where} chain ${chainId} has no contract at ${token}, so nobody could pay the fee.`] : [],
  )
}

/**
 * Returns the expected chain id, or else the id of the first node that responds. Adds a problem for each node of another
 * chain, and to `unreachable` if no id is known.
 */
async function chainIdOf(
  expected: number | undefined,
  urls: URL[],
  timeout: number,
  { problems, unreachable }: Record<'problems' | 'unreachable', string[]>,
): Promise<number | undefined> {
  const reasons: string[] = []
  const chainIds = await Promise.all(
    urls.map((url) =>
      rpcClient(url, { timeout })
        .getChainId()
        .catch((error: unknown) => {
          reasons.push(`${url.host} ${transportFailure(error)?.reason ?? 'answers with an error'}`)
          return undefined
        }),
    ),
  )
  const chainId = expected ?? chainIds.find((id) => id !== undefined)
  if (chainId === undefined) {
    const hosts = urls.map(({ host }) => host).join(', ')
    unreachable.push(
      `NETWORK_URL: the node at ${hosts} does not answer JSON-RPC. ${reasons.join('; ')}. To start without it, name its chain: {"<chain id>": "<URL>"}.`,
    )
    return undefined
  }
  for (const [at, id] of chainIds.entries())
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

/** Builds one chain, or returns the problem that prevents it. */
function chainFrom(
  settings: Settings,
  { keyring, deployments }: { keyring: Keyring; deployments: Map<number, Deployment> },
  chainId: number,
  urls: URL[],
  instrumentation: Instrumentation,
): Omit<Chain, 'factoryFound'> | string {
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
      ...instrumentation,
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
