import { receiptTypedData, type SignedPurchaseReceipt } from '@tidegate/protocol/purchase-receipt'
import type { LocalAccount } from 'viem'
import type { Purchase } from '../purchase.js'

export type ReceiptSigner = Pick<LocalAccount, 'signTypedData'>

/** Signs what a payment has bought. The same order has the same receipt. Returns undefined for a purchase that is not ordered. */
export async function signedReceipt(
  { state, wanted, payment, paid, settleTx, orderTx }: Purchase,
  signer: ReceiptSigner,
): Promise<SignedPurchaseReceipt | undefined> {
  if (state !== 'ordered' || !settleTx || !orderTx) return undefined
  const { did: documentId, service: serviceId, file: fileIndex, terms } = wanted
  const { chainId, token, payer, nonce } = payment
  const receipt = {
    ...{ chainId, documentId, serviceId, fileIndex, token, payer, nonce, paid: `${paid}` },
    ...{ settleTxId: settleTx, transferTxId: orderTx, terms },
  }
  return { ...receipt, signature: await signer.signTypedData(receiptTypedData(receipt)) }
}
