import type { Address } from 'viem'
import type { ProviderKey } from '../crypto/keys.js'
import type { Deployment } from './deployments.js'
import type { ChainNodes } from './nodes.js'

/** One chain that the service serves: how to ask it, its contracts, and the provider's key on it. */
export interface Chain {
  readonly chainId: number
  readonly deployment: Deployment
  /** The key in use: it encrypts, and signs quotes. */
  readonly key: ProviderKey
  /** That key and those before it, which decrypt, and whose quotes hold. */
  readonly keys: readonly ProviderKey[]
  /** Token and amount (smallest unit) of the provider fee for an access order. */
  readonly fee: { token: Address; amount: bigint }
  /** Blocks that must stand on the chain from an order on, its own included. */
  readonly confirmations: number
  readonly nodes: ChainNodes
}

/** The chains by id. */
export type Chains = ReadonlyMap<number, Chain>
