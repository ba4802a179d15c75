import { formatTransactionReceipt, type Hex, type TransactionReceipt } from 'viem'
import { TidegateError } from '../errors.js'
import type { Moment } from './moment.js'

/** Returns the receipt of a transaction; undefined if the node does not show it within some seconds. */
export async function receiptOf(moment: Moment, hash: Hex): Promise<TransactionReceipt | undefined> {
  const receipt = await moment.find('eth_getTransactionReceipt', hash)
  return receipt ? formatTransactionReceipt(receipt as never) : undefined
}

/** Like `receiptOf`, for a mined transaction. Throws TidegateError `CHAIN_BEHIND`. */
export async function minedReceipt(moment: Moment, hash: Hex): Promise<TransactionReceipt> {
  const receipt = await receiptOf(moment, hash)
  if (receipt) return receipt
  throw new TidegateError(
    'CHAIN_BEHIND',
    `The node of the chain does not show the receipt of ${hash}, although it lists its events. Try again in a minute.`,
  )
}
