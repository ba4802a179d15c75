import type { Chain } from '@tidegate/chain'
import type { Address, Hex } from 'viem'
import type { FileIdentities } from '../access/files/file-identity.js'

/** The claim that a transaction gives its consumer access to a service. */
export interface OrderClaim {
  chain: Chain
  txId: Hex
  datatoken: Address
  /** Position of the service in the DDO, as in the order. */
  serviceIndex: number
  serviceId: string
  /** Index of the requested file; undefined: all files of a service with several. */
  fileIndex: number | undefined
  /** The files of the service now. */
  identities: Pick<FileIdentities, 'is' | 'find'>
  /** Seconds of access per order; 0: no limit. */
  timeout: number
  consumer: Address
  /** For compute: environments that the order may be quoted for. Undefined for access. */
  environments?: string[] | undefined
}
