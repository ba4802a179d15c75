import { type Address, zeroAddress } from 'viem'
import { forChain } from '../config/parsers.js'
import type { Settings } from '../config/schema.js'
import { type Chain, type Chains, rpcClient } from './chains.js'
import { type Deployment, KNOWN_DEPLOYMENTS, readAddressFile } from './deployments.js'

/** The service cannot start as configured; `problems` holds one line for each reason. */
export class StartError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
    this.name = 'StartError'
  }
}

/**
 * Asks every configured node for its chain id and puts the chains together. Throws one StartError that lists every
 * node that is unreachable or on another chain, and every chain without contracts or key.
 */
export async function connectChains(settings: Settings): Promise<Chains> {
  const problems: string[] = []
  const deployments = knownDeployments(settings, problems)
  const urls = settings.NETWORK_URL
  const wanted: [number | undefined, URL][] = urls.all ? [[undefined, urls.all]] : [...urls.byChain]
  const connected = await Promise.all(
    wanted.map(async ([expected, url]) => {
      const chain = await connect(settings, deployments, expected, url)
      if (typeof chain === 'string') problems.push(chain)
      return chain
    }),
  )
  if (problems.length > 0) throw new StartError(problems)
  return new Map(connected.map((chain) => [(chain as Chain).chainId, chain as Chain]))
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
async function connect(
  settings: Settings,
  deployments: Map<number, Deployment>,
  expected: number | undefined,
  url: URL,
): Promise<Chain | string> {
  const client = rpcClient(url)
  const chainId = await client.getChainId().catch(() => undefined)
  if (chainId === undefined) {
    const whose = expected === undefined ? '' : ` of chain ${expected}`
    return `NETWORK_URL: the node${whose} at ${url.host} does not answer JSON-RPC.`
  }
  if (expected !== undefined && chainId !== expected)
    return `NETWORK_URL: the node at ${url.host} is on chain ${chainId}, not on chain ${expected}.`
  const key = forChain(settings.PROVIDER_PRIVATE_KEY, chainId)
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
    client,
    key,
    fee: { token, amount },
    confirmations: forChain(settings.ORDER_CONFIRMATIONS, chainId) ?? 1,
    deployment: {
      ...deployment,
      startBlock: forChain(settings.INDEX_START_BLOCK, chainId) ?? deployment.startBlock,
    },
  }
}
