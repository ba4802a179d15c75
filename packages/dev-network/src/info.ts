import type { Address } from 'viem'
import type { DevAccount } from './anvil.js'
import type { AddressEntry } from './deploy.js'

/** What a client program needs to use the network. */
export interface NetworkInfo {
  providerUrl: string
  rpcUrl: string
  chainId: number
  addresses: AddressEntry
  accounts: readonly DevAccount[]
  providerAddress: Address
}
