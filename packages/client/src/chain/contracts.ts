import type { Address, PublicClient } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { addressIn } from '../values.js'
import { mustView, view } from './reads.js'

/** The trusted contracts of a chain. */
export interface Contracts {
  /** ERC721Factory, the deployer of data NFTs and datatokens. */
  factory: Address
  router: Address
  /** Fixed rate exchanges and dispensers that the router approves, newest last. */
  exchanges: Address[]
  dispensers: Address[]
  /** The OCEAN token, if the provider names it. */
  ocean: Address | undefined
}

/** The contracts in a provider's root document. */
interface Root {
  contracts?: Record<string, { ERC721Factory?: unknown; Ocean?: unknown }>
}

/**
 * Returns the contracts of a chain. The provider's root document names the factory, the factory its router, and the router
 * the approved exchanges and dispensers. Without a root document, the known factories of public networks are used. Throws
 * TidegateError `NO_CONTRACTS` for other networks.
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

/** Throws TidegateError `FOREIGN_DATATOKEN` if the factory has not deployed the datatoken: its code is then unknown. */
export async function assertDeployed(client: PublicClient, { factory }: Contracts, datatoken: Address): Promise<void> {
  if (await view(client, factory, 'erc20List', [datatoken])) return
  throw new TidegateError(
    'FOREIGN_DATATOKEN',
    `The datatoken ${datatoken} was not deployed by this chain's factory. Do not pay for it.`,
  )
}
