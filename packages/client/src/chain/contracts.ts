import { addressIn } from '@tidegate/protocol/values'
import type { Address } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Moment } from './moment.js'
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

/** The contracts of a chain in a provider's root document. */
interface Told {
  ERC721Factory?: unknown
  Ocean?: unknown
  AccessListFactory?: unknown
  tokens?: unknown
}

/**
 * Returns the contracts of a chain. The factories of public networks are known, the provider's root document names those of
 * others; the factory names its router, and the router the approved exchanges and dispensers. Throws TidegateError
 * `NO_CONTRACTS` if there is no factory.
 */
export async function contractsOf(context: Context, chainId: number, moment: Moment): Promise<Contracts> {
  const told = await namedContracts(context, chainId)
  const factory = addressIn(told?.ERC721Factory)
  if (!factory) throw new TidegateError('NO_CONTRACTS', `The provider does not list the contracts of chain ${chainId}.`)
  const router = await mustView(moment, factory, 'router', [])
  const [exchanges, dispensers] = await Promise.all([
    mustView(moment, router, 'getFixedRatesContracts', []),
    mustView(moment, router, 'getDispensersContracts', []),
  ])
  return { factory, router, exchanges: [...exchanges], dispensers: [...dispensers], ocean: addressIn(told?.Ocean) }
}

/** Returns the network's factory of access lists; undefined if its list names none. */
export async function accessListFactory(context: Context, chainId: number): Promise<Address | undefined> {
  return addressIn((await namedContracts(context, chainId))?.AccessListFactory)
}

/** Returns the contracts of a public network, or those that the provider names. A provider must not rename those of a public network. */
export async function namedContracts(context: Context, chainId: number): Promise<Told | undefined> {
  const known = await publicNetwork(chainId)
  if (known) return known
  const root = await context.api.get<{ contracts?: Record<string, Told> }>('/')
  return root?.contracts?.[String(chainId)]
}

/** Loads the list of public networks on demand. */
async function publicNetwork(chainId: number): Promise<Told | undefined> {
  const { KNOWN_DEPLOYMENTS, tokensOf } = await import('@tidegate/protocol/networks')
  const known = KNOWN_DEPLOYMENTS.find((one) => one.chainId === chainId)
  if (!known) return undefined
  const { factory, oceanToken, accessListFactory } = known
  return { ERC721Factory: factory, Ocean: oceanToken, AccessListFactory: accessListFactory, tokens: tokensOf(known) }
}

/** Throws TidegateError `FOREIGN_DATATOKEN` if the factory has not deployed the datatoken: its code is then unknown. */
export async function assertDeployed(moment: Moment, { factory }: Contracts, datatoken: Address): Promise<void> {
  if (await view(moment, factory, 'erc20List', [datatoken])) return
  throw new TidegateError(
    'FOREIGN_DATATOKEN',
    `The datatoken ${datatoken} was not deployed by this chain's factory. Do not pay for it.`,
  )
}

/** Returns the chains of the provider, at least one. Throws TidegateError `BAD_ANSWER`. */
export async function chainsOf(context: Context): Promise<number[]> {
  const { chainIds } = await context.api.get<{ chainIds?: unknown }>('/')
  if (!Array.isArray(chainIds) || chainIds.length === 0)
    throw new TidegateError('BAD_ANSWER', 'The provider does not list its chains.')
  return chainIds.map(Number)
}

/** Returns the only chain of the provider. Throws TidegateError `BAD_REQUEST` if there are several. */
export async function onlyChain(context: Context): Promise<number> {
  const chainIds = await chainsOf(context)
  if (chainIds.length === 1) return chainIds[0] as number
  throw new TidegateError('BAD_REQUEST', `chainId must be one of ${chainIds.join(', ')}.`)
}
