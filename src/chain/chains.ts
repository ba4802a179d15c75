import {
  type Address,
  createPublicClient,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { ProviderKey } from '../crypto/keys.js'
import { ChainError } from '../errors.js'
import type { Deployment } from './deployments.js'

/** One chain that the service serves: how to ask it, its contracts, and the provider's key on it. */
export interface Chain {
  readonly chainId: number
  readonly deployment: Deployment
  readonly key: ProviderKey
  /** Token and amount (smallest unit) of the provider fee for an access order. */
  readonly fee: { token: Address; amount: bigint }
  /** Blocks that must stand on the chain from an order on, its own included. */
  readonly confirmations: number
  readonly client: PublicClient
}

/** The chains by id. */
export type Chains = ReadonlyMap<number, Chain>

/** A JSON-RPC client. Calls of one tick travel in one HTTP request. */
export function rpcClient(url: URL): PublicClient {
  return createPublicClient({
    transport: http(url.href, { batch: { batchSize: 100 }, timeout: 10_000, retryCount: 1, retryDelay: 100 }),
    cacheTime: 0,
  })
}

/** Runs a chain call; whatever it throws becomes a ChainError without the node's own words, which may quote the URL. */
export async function onChain<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch {
    throw new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
  }
}

/** How long to wait between two questions for a receipt, in milliseconds. */
const RECEIPT_POLL = 250

/**
 * The receipt of a transaction, waiting up to `wait` milliseconds for one that the node does not know yet.
 * Undefined when it stays unknown. Throws ChainError.
 */
export async function waitForReceipt(chain: Chain, txId: Hex, wait: number): Promise<TransactionReceipt | undefined> {
  const deadline = Date.now() + wait
  for (;;) {
    const receipt = await onChain(() => receiptOf(chain, txId))
    if (receipt || Date.now() >= deadline) return receipt
    await new Promise((resolve) => setTimeout(resolve, Math.min(RECEIPT_POLL, Math.max(1, deadline - Date.now()))))
  }
}

async function receiptOf(chain: Chain, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await chain.client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}
