/** Details of a TidegateError beside code and message. */
export interface ErrorDetails {
  status?: number | undefined
  fields?: Readonly<Record<string, readonly string[]>> | undefined
  retryAfter?: number | undefined
  transactions?: readonly `0x${string}`[]
  cause?: unknown
}

/**
 * What went wrong, in a sentence for people and a code for programs: one of the provider's own stable codes, or one of
 * this library's (`NO_WALLET`, `NO_CHAIN`, `WRONG_NETWORK`, `INSUFFICIENT_FUNDS`, `PRICE_CHANGED`, `REVERTED`, …).
 */
export class TidegateError extends Error {
  override readonly name = 'TidegateError'
  readonly code: string
  /** HTTP status of the provider's refusal. */
  readonly status: number | undefined
  /** The parameters that the provider refused with code `VALIDATION`, each with the reasons. */
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined
  /** Seconds after which the provider wants to be asked again, if it says so. */
  readonly retryAfter: number | undefined
  /** Transactions that were sent before it failed, in their order. They may be mined, and need not be paid again. */
  readonly transactions: readonly `0x${string}`[]

  constructor(
    code: string,
    message: string,
    { status, fields, retryAfter, transactions = [], cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.fields = fields
    this.retryAfter = retryAfter
    this.transactions = transactions
  }
}
