import { join } from 'node:path'
import type { SignedPurchaseReceipt } from '@tidegate/client'
import { readTrusted } from '@tidegate/common/safe-files'
import { misuse } from '@tidegate/provider/commands/failures'
import type { Address, Hex } from 'viem'
import { CLI_LIMITS } from '../limits.js'
import { receiptsFolder, writePrivately } from './files/folders.js'

const fileOf = (order: Hex) => join(receiptsFolder(), `${order.toLowerCase()}.json`)

/** Keeps the receipt of an order that was bought by one signed payment. Returns its path. Throws errors of the file system. */
export function keepReceipt(receipt: SignedPurchaseReceipt): string {
  const path = fileOf(receipt.transferTxId)
  writePrivately(path, `${JSON.stringify(receipt, null, 2)}\n`)
  return path
}

/**
 * Returns the kept receipt of an order, and the account that has signed it: the one that ordered. Undefined if there is none. Throws
 * CommandError for a file that another account has signed, or that other users can change.
 */
export async function keptReceipt(
  order: Hex,
  payer: Address,
): Promise<(SignedPurchaseReceipt & { signer: Address }) | undefined> {
  const path = fileOf(order)
  const { receiptSigner } = await import('@tidegate/client')
  try {
    const receipt = JSON.parse(readTrusted(path, CLI_LIMITS.files.payment)) as SignedPurchaseReceipt
    const signer = await receiptSigner(receipt)
    if (signer === payer && receipt.transferTxId.toLowerCase() === order) return { ...receipt, signer }
  } catch (error) {
    // not JSON, or of another user
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  }
  throw misuse(`${path} is not a receipt of the account that ordered: remove it.`)
}
