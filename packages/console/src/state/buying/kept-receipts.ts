import { receiptSigner, type SignedPurchaseReceipt } from '@tidegate/client'
import { type Address, type Hex, isAddressEqual, isHash } from 'viem'
import { keep, kept } from '../kept.js'

const NAME = 'receipts'
/** Most receipts that are kept, the newest last: each has half a kilobyte. */
const MOST = 200

const isReceipt = (one: unknown): one is SignedPurchaseReceipt =>
  isHash(String((one as SignedPurchaseReceipt | null)?.transferTxId))

const read = () => kept(NAME, (value) => (value as unknown[]).filter(isReceipt), [])

const isOf = (order: Hex) => (one: SignedPurchaseReceipt) => one.transferTxId.toLowerCase() === order.toLowerCase()

/** Keeps the signed receipt of an order. */
export function keepReceipt(receipt: SignedPurchaseReceipt): void {
  const others = read().filter((one) => !isOf(receipt.transferTxId)(one))
  keep(NAME, [...others, receipt].slice(-MOST))
}

/** Returns the kept receipt of an order; undefined if there is none, or another account than `payer`, which ordered, has signed it. */
export async function keptReceipt(order: Hex, payer: Address): Promise<SignedPurchaseReceipt | undefined> {
  const found = read().find(isOf(order))
  const signer = found && (await receiptSigner(found))
  return signer && isAddressEqual(signer, payer) ? found : undefined
}
