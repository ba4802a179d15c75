/** A signed transfer of tokens (EIP-3009), which the token accepts once, in blocks before `validBefore` (seconds since 1970). */
export interface Authorization {
  chainId: number
  token: `0x${string}`
  from: `0x${string}`
  to: `0x${string}`
  nonce: `0x${string}`
  validBefore: number
}

/** Details of a TidegateError beside its code and message. */
export interface ErrorDetails {
  status?: number | undefined
  fields?: Readonly<Record<string, readonly string[]>> | undefined
  retryAfter?: number | undefined
  transactions?: readonly `0x${string}`[]
  authorization?: Authorization | undefined
  cause?: unknown
}

/**
 * An error with a sentence for people and a code for programs: one of the provider's stable codes, or one of this library
 * (`NO_WALLET`, `NO_CHAIN`, `WRONG_NETWORK`, `INSUFFICIENT_FUNDS`, `PRICE_CHANGED`, `REVERTED`, …).
 */
export class TidegateError extends Error {
  override readonly name = 'TidegateError'
  readonly code: string
  /** HTTP status of the provider's refusal. */
  readonly status: number | undefined
  /** Reasons by parameter, of a refusal with the code `VALIDATION`. */
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined
  /** Seconds to wait before a retry, if the provider gives them. */
  readonly retryAfter: number | undefined
  /** Transactions sent before the failure, in order. They may be mined, and must not be paid again. */
  readonly transactions: readonly `0x${string}`[]
  /** The signed payment of a purchase that failed. It may be used, or already be. */
  readonly authorization: Authorization | undefined

  constructor(
    code: string,
    message: string,
    { status, fields, retryAfter, transactions = [], authorization, cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.fields = fields
    this.retryAfter = retryAfter
    this.transactions = transactions
    this.authorization = authorization
  }
}
