import type { Address } from 'viem'
import type { DevAccount } from './anvil.js'
import type { AddressEntry } from './deploy.js'

/** The facts of a network for client programs. */
export interface NetworkInfo {
  providerUrl: string
  rpcUrl: string
  chainId: number
  addresses: AddressEntry
  accounts: readonly DevAccount[]
  providerAddress: Address
}
