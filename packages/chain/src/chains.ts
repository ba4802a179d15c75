import type { ProviderKey } from '@tidegate/protocol/keys'
import type { Address } from 'viem'
import type { Deployment } from './deployments.js'
import type { ChainNodes } from './nodes/nodes.js'

/** A chain that the service serves: its nodes, its contracts, and the provider's keys on it. */
export interface Chain {
  readonly chainId: number
  readonly deployment: Deployment
  /** Whether its factory was found at start-up; if not, FactoryWatch looks for it. */
  readonly factoryFound: boolean
  /** The current key: encrypts documents and signs quotes. */
  readonly key: ProviderKey
  /** The current key, then previous keys, which still decrypt and verify quotes. */
  readonly keys: readonly ProviderKey[]
  /** Token and amount (smallest unit) of the provider fee for an access order. */
  readonly fee: { token: Address; amount: bigint }
  /** Confirmations that an order needs. The order's own block counts as the first. */
  readonly confirmations: number
  readonly nodes: ChainNodes
}

/** The served chains by id. */
export type Chains = ReadonlyMap<number, Chain>
