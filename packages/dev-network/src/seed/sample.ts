import type { FileObject } from '@tidegate/client'
import type { AddressEntry } from '../deploy.js'
import type { SampleFile } from './files.js'

/** A sample asset. Accounts are numbers of the local network; days count back from today. */
export interface Sample {
  /** Name of the asset in notes and tests. */
  key: string
  publisher: number
  /** Uploaded to the service, served by the local file server, or read from a contract. */
  from:
    | { hosted: readonly SampleFile[] }
    | { served: readonly SampleFile[] }
    | { contract: (addresses: AddressEntry) => FileObject }
  name: string
  description: string
  author: string
  license: string
  tags: readonly string[]
  price: 'free' | { amount: string; token: 'Ocean' | 'MockDAI' | 'MockUSDC' }
  /** Seconds of access per order; 0: no limit. */
  timeout: number
  /** The only accounts that may buy. */
  allow?: readonly number[]
  /** Day of the publication. */
  published: number
  /** Days of the orders, by buyer. */
  orders: Readonly<Record<number, readonly number[]>>
  /** Day on which the publisher retires the asset. */
  retired?: number
}

export const ocean = (amount: string) => ({ amount, token: 'Ocean' }) as const
export const usdc = (amount: string) => ({ amount, token: 'MockUSDC' }) as const
export const dai = (amount: string) => ({ amount, token: 'MockDAI' }) as const
