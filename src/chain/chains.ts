import {
  type Address,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
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

/** How long to wait between two questions for a receipt, in milliseconds. */
const RECEIPT_POLL = 250

/** A mined transaction, with the head of the chain as the same node sees it. */
export interface Mined {
  receipt: TransactionReceipt
  head: bigint
}

/**
 * The receipt of a transaction, waiting up to `wait` milliseconds for one that no node knows yet. Undefined when it
 * stays unknown. Throws ChainError.
 */
export async function waitForReceipt({ nodes }: Chain, txId: Hex, wait: number): Promise<Mined | undefined> {
  const deadline = Date.now() + wait
  for (;;) {
    const [receipt, head] = await nodes.ask(
      (client) => Promise.all([receiptOf(client, txId), client.getBlockNumber()] as const),
      // a node that lags behind says "unknown" as well
      { accept: ([found]) => found !== undefined, essence: ([found]) => found && essenceOf(found) },
    )
    if (receipt) return { receipt, head }
    if (Date.now() >= deadline) return undefined
    await new Promise((resolve) => setTimeout(resolve, Math.min(RECEIPT_POLL, Math.max(1, deadline - Date.now()))))
  }
}

function essenceOf({ status, blockHash, logs }: TransactionReceipt): unknown {
  return [status, blockHash, logs.map(({ address, topics, data }) => [address, topics, data])]
}

async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}
