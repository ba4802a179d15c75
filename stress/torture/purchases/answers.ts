import { decodePaymentResponseHeader } from '@x402/core/http'
import { isHash } from 'viem'
import { codeOf, type Received } from '../lib/http.js'
import { judgeRefusal } from '../lib/judge.js'
import type { Ledger } from '../lib/ledger.js'
import type { Signed, Told } from './payments.js'
import type { Secrets } from './secrets.js'

/** Refusals that say nothing of the payment: it may be under way at another instance. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

/** Judges the answers to payments. */
export class Answers {
  constructor(
    private readonly ledger: Ledger,
    private readonly secrets: Secrets,
  ) {}

  /** Judges the answer to a payment. Returns what it says of it; undefined if that is not decided. */
  of(signed: Signed, got: Received): Told | undefined {
    const { ledger } = this
    if (got.status === 0 || !got.complete) return this.count('payment', 'broken')
    if (got.status === 202) {
      if (!got.headers['retry-after']) ledger.addFinding('a 202 without Retry-After')
      return this.count('payment', 'refused')
    }
    if (got.status === 200 || got.status === 402) {
      this.count('payment', got.status === 200 ? 'ok' : 'refused')
      return got.status === 200 ? this.ordered(signed, got) : this.ended(signed, got)
    }
    this.count('payment', judgeRefusal('payment', got, ledger))
    if (got.status === 409) ledger.addFinding(`a payment that was not changed is a conflict: ${got.body}`)
    return PASSING.has(got.status) && !limitOf(got) ? undefined : { as: 'untaken' }
  }

  /** Judges the answer to a changed copy of a payment, which must not be taken. */
  ofChanged(what: string, got: Received): void {
    if (got.status === 0 || !got.complete) return void this.count('changed payment', 'broken')
    this.count('changed payment', 'refused')
    if (got.status === 200 || got.status === 202) this.ledger.addFinding(`a payment with ${what} was taken`)
    else if (got.status !== 402) judgeRefusal('changed payment', got, this.ledger)
  }

  /** Judges the answer to a request without payment. Returns the header with the price. */
  price(got: Received): string | undefined {
    const header = got.headers['payment-required']
    if (got.status === 402 && typeof header === 'string') {
      this.count('price', 'ok')
      return header
    }
    if (got.status === 200) this.ledger.addFinding('an order without a payment')
    const isBroken = got.status === 0 || !got.complete
    this.count('price', isBroken ? 'broken' : judgeRefusal('price', got, this.ledger))
    return undefined
  }

  private ordered({ payer }: Signed, { body, headers }: Received): Told | undefined {
    const { state, transferTxId, consumer, link } = JSON.parse(body.toString())
    const told = decodePaymentResponseHeader(headers['payment-response'] as string)
    const isRight = state === 'ordered' && consumer === payer && told.success && isHash(transferTxId)
    if (!isRight) this.ledger.addFinding(`a 200 that is no order of the payer: ${body}`)
    const token = /[\w.~-]{32,}$/.exec(String(link?.url ?? ''))?.[0]
    if (token) this.secrets.add(token)
    return { as: 'ordered', orderTx: transferTxId }
  }

  private ended({ id }: Signed, got: Received): Told | undefined {
    const header = got.headers['payment-response']
    if (typeof header !== 'string') {
      this.ledger.addFinding('a payment is answered by the price alone, as if there were none')
      return undefined
    }
    const { success, errorReason = '' } = decodePaymentResponseHeader(header)
    const { state, id: own } = JSON.parse(got.body.toString())
    if (success) this.ledger.addFinding('a 402 that says that it succeeded')
    this.ledger.countRefusal(402, errorReason)
    if (state === undefined) return { as: 'untaken' }
    if (own !== id || (state !== 'refunded' && state !== 'failed'))
      this.ledger.addFinding(`a 402 of another purchase, or of one without end: ${got.body}`)
    return { as: state }
  }

  private count(what: string, outcome: 'ok' | 'refused' | 'broken'): undefined {
    this.ledger.countRequest(what, outcome)
    return undefined
  }
}

/** Whether a refusal says that too many orders of an asset, or of its buyer, have failed. */
export function limitOf(got: Received): 'asset' | 'buyer' | undefined {
  if (codeOf(got) !== 'PURCHASE_LIMITED') return undefined
  return got.body.includes('of this asset') ? 'asset' : 'buyer'
}
