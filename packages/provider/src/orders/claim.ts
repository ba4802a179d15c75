import type { Chain } from '@tidegate/chain'
import type { Address, Hex } from 'viem'

/** A claim that a transaction entitles its consumer to a service. */
export interface OrderClaim {
  chain: Chain
  txId: Hex
  datatoken: Address
  /** Position of the service in the DDO; orders refer to it. */
  serviceIndex: number
  serviceId: string
  /** Index of the file that is to be opened; undefined for all files of a service with several. */
  fileIndex: number | undefined
  /** Seconds of access that an order buys; 0 is unlimited. */
  timeout: number
  consumer: Address
  /** For compute: ids of the environments that the order may have been quoted for. Undefined for access. */
  environments?: string[] | undefined
}
