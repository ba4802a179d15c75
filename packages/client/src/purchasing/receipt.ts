import { receiptSigner, type SignedPurchaseReceipt } from '@tidegate/protocol/purchase-receipt'
import { fieldsOf } from '@tidegate/protocol/values'
import { type Hex, isAddressEqual, isHash, isHex } from 'viem'
import type { Kept } from './kept.js'
import type { ToldOrder } from './outcome.js'
import type { Wanted } from './types.js'

/** Hexadecimal digits of a signature of an account, with 0x. */
const SIGNATURE = 132

/**
 * Returns the receipt of a purchase; undefined unless the account that took the payment has signed exactly what was paid, bought and accepted.
 * A payment that was signed earlier may have accepted other terms: those that the receipt names.
 */
export async function checkedReceipt(
  { receipt: told, order }: Pick<ToldOrder, 'receipt' | 'order'>,
  { did, service, file, chainId, terms }: Wanted,
  { payment, isEarlier }: Pick<Kept, 'payment' | 'isEarlier'>,
): Promise<SignedPurchaseReceipt | undefined> {
  const { settleTxId, signature, terms: named } = fieldsOf(told)
  const { token, from: payer, nonce, units, payTo } = payment
  if (!isHex(signature) || signature.length !== SIGNATURE || !isHash(String(settleTxId))) return undefined
  const isDigest = typeof named === 'string' && /^[0-9a-f]{64}$/.test(named)
  const accepted = isEarlier ? (isDigest ? named : undefined) : terms
  const receipt = {
    ...{ chainId, documentId: did, serviceId: service, ...(file === undefined ? {} : { fileIndex: file }) },
    ...{ token, payer, nonce, paid: `${units}`, settleTxId: settleTxId as Hex, transferTxId: order },
    ...(accepted === undefined ? {} : { terms: accepted }),
    signature,
  }
  const signer = await receiptSigner(receipt)
  return signer && isAddressEqual(signer, payTo) ? receipt : undefined
}
