import type { Address, PublicClient } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { addressIn } from '../values.js'
import { mustView, view } from './reads.js'

/** The contracts of a chain that this library trusts, and what they name. */
export interface Contracts {
  /** ERC721Factory, the deployer of data NFTs and datatokens. */
  factory: Address
  router: Address
  /** Fixed rate exchanges and dispensers that the router approves; the newest last. */
  exchanges: Address[]
  dispensers: Address[]
  /** The OCEAN token, if the provider tells it. */
  ocean: Address | undefined
}

/** What the root document of a provider tells of contracts. */
interface Root {
  contracts?: Record<string, { ERC721Factory?: unknown; Ocean?: unknown }>
}

/**
 * The contracts of a chain: the provider tells its factory in the root document, the factory names its router, and the
 * router the exchanges and dispensers that it approves. Of a provider that tells none, the factory of a public network is
 * known. Throws TidegateError `NO_CONTRACTS` for other networks.
 */
export async function contractsOf(context: Context, chainId: number): Promise<Contracts> {
  const [root, client] = await Promise.all([context.api.get<Root>('/'), context.chain(chainId)])
  const told = root?.contracts?.[String(chainId)] ?? (await publicNetwork(chainId))
  const factory = addressIn(told?.ERC721Factory)
  if (!factory) throw new TidegateError('NO_CONTRACTS', `The provider does not list the contracts of chain ${chainId}.`)
  const router = await mustView(client, factory, 'router', [])
  const [exchanges, dispensers] = await Promise.all([
    mustView(client, router, 'getFixedRatesContracts', []),
    mustView(client, router, 'getDispensersContracts', []),
  ])
  return { factory, router, exchanges: [...exchanges], dispensers: [...dispensers], ocean: addressIn(told?.Ocean) }
}

/** Loads the list of public networks on demand: most providers name their contracts. */
async function publicNetwork(chainId: number) {
  const { KNOWN_DEPLOYMENTS } = await import('@tidegate/protocol/networks')
  const known = KNOWN_DEPLOYMENTS.find((one) => one.chainId === chainId)
  return known && { ERC721Factory: known.factory, Ocean: known.oceanToken }
}

/** Throws TidegateError `FOREIGN_DATATOKEN` unless the factory has deployed the datatoken, so that its code is known. */
export async function assertDeployed(client: PublicClient, { factory }: Contracts, datatoken: Address): Promise<void> {
  if (await view(client, factory, 'erc20List', [datatoken])) return
  throw new TidegateError(
    'FOREIGN_DATATOKEN',
    `The datatoken ${datatoken} was not deployed by this chain's factory. Do not pay for it.`,
  )
}
