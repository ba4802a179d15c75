import type { Address, Hex } from 'viem'
import { readPayment } from '../../../packages/purchases/src/desk/x402.js'
import { type Payment, purchaseId } from '../../../packages/purchases/src/purchase.js'
import type { Published } from '../../../test/helpers/publish.js'
import type { Secrets } from './secrets.js'

/** What the service told a buyer at last of a payment. `untaken`: it was refused, and nothing was paid. */
export interface Told {
  as: 'ordered' | 'refunded' | 'failed' | 'untaken'
  /** The transaction of the order. */
  orderTx?: Hex | undefined
}

/** A payment that a buyer signed. */
export interface Signed {
  /** Of the purchase that it makes. */
  id: Hex
  payer: Address
  nonce: Hex
  value: bigint
  /** The header that holds it; undefined if a library keeps it. */
  header: string | undefined
  asset: Published
  told: Told | undefined
}

type Authorization = Pick<Payment, 'chainId' | 'token' | 'payer' | 'nonce' | 'value' | 'signature'>

/** All payments that were signed in a run. */
export class Payments {
  readonly all = new Map<Hex, Signed>()

  constructor(readonly secrets: Secrets) {}

  /** Adds the payment of a header, once. */
  addHeader(header: string, asset: Published): Signed {
    const { payment, identifier } = readPayment(header)
    if (identifier !== undefined) this.secrets.add(identifier)
    return this.add(payment, asset, header)
  }

  /** Adds a payment, once. */
  add(payment: Authorization, asset: Published, header?: string): Signed {
    const { payer, nonce, value, signature } = payment
    const id = purchaseId(payment as Payment)
    const known = this.all.get(id)
    if (known) return known
    for (const secret of [nonce, signature]) this.secrets.add(secret)
    const signed = { id, payer, nonce, value, header, asset, told: undefined }
    this.all.set(id, signed)
    return signed
  }
}
