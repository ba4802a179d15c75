import { type Address, type Hex, recoverTypedDataAddress, type TypedDataDefinition } from 'viem'

/** What a provider has ordered for one signed payment. */
export interface PurchaseReceipt {
  chainId: number
  documentId: string
  serviceId: string
  /** The only file of the order; undefined for all files. */
  fileIndex?: number | undefined
  /** The payment: token, payer and nonce of its authorization (EIP-3009), and its amount in the token's smallest unit. */
  token: Address
  payer: Address
  nonce: Hex
  paid: string
  /** The transaction that settled the payment. */
  settleTxId: Hex
  /** The order. */
  transferTxId: Hex
  /** SHA-256 of the terms that the buyer named as accepted; undefined if he named none. */
  terms?: string | undefined
}

/** A receipt with the signature of the account that took the payment. */
export interface SignedPurchaseReceipt extends PurchaseReceipt {
  signature: Hex
}

const TYPES = {
  PurchaseReceipt: [
    { name: 'documentId', type: 'string' },
    { name: 'serviceId', type: 'string' },
    { name: 'fileIndex', type: 'string' },
    { name: 'token', type: 'address' },
    { name: 'payer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
    { name: 'paid', type: 'uint256' },
    { name: 'settleTxId', type: 'bytes32' },
    { name: 'transferTxId', type: 'bytes32' },
    { name: 'terms', type: 'string' },
  ],
} as const

/** Returns the data that a receipt signs (EIP-712). A missing file or missing terms are empty texts. */
export function receiptTypedData(receipt: PurchaseReceipt): TypedDataDefinition<typeof TYPES, 'PurchaseReceipt'> {
  const { chainId, fileIndex, paid, terms = '', ...more } = receipt
  return {
    domain: { name: 'Tidegate purchase receipt', version: '1', chainId },
    types: TYPES,
    primaryType: 'PurchaseReceipt',
    message: { ...more, fileIndex: fileIndex === undefined ? '' : `${fileIndex}`, paid: BigInt(paid), terms },
  }
}

/** Returns the account that has signed a receipt; undefined if the signature is of no account. Never throws. */
export async function receiptSigner({ signature, ...receipt }: SignedPurchaseReceipt): Promise<Address | undefined> {
  try {
    return await recoverTypedDataAddress({ ...receiptTypedData(receipt), signature })
  } catch {
    return undefined
  }
}
