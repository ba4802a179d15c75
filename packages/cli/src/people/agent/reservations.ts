import type { Authorization, Context, PurchasePrice } from '@tidegate/client'
import { jsonLines } from '../lines.js'

/** A payment that is about to be signed. */
export interface NewPayment {
  /** Names what it buys: no second payment for the same is signed while it can be used. */
  purchase: string
  /** Begin of the purchase, in milliseconds since 1970. */
  since: number
}

/** Returns the name of what a payment buys. */
export const purchaseOf = (
  { url }: Pick<Context, 'url'>,
  { chainId, did, service, file }: Pick<PurchasePrice, 'chainId' | 'did' | 'service' | 'file'>,
): string => JSON.stringify([url, chainId, did, service, file ?? null])

/** A line of a day's file: a reservation of some tokens by an account, its payment once that is signed, or its release. */
export type Line =
  | {
      id: string
      account: string
      due: [key: string, units: string][]
      /** `at`: time of the reservation; `until`: the payment cannot be used later. In milliseconds since 1970. */
      payment?: { purchase: string; at: number; until: number }
    }
  | { released: string }
  | { signed: string; authorization: Authorization }

/** Tokens that a purchase has reserved, and not released. */
export interface Reserved {
  id: string
  /** The file of its lines. */
  path: string
  due: readonly [key: string, units: bigint][]
  payment?: { purchase: string; at: number; until: number }
  /** The signed payment; undefined before. */
  authorization?: Authorization
}

/**
 * Returns the reservations of an account, in the order of the lines. A line that is not JSON counts nothing: its process was interrupted in
 * the reservation, and bought nothing. Throws an error for a line of another form.
 */
export function reservedIn(text: string, path: string, account: string): Reserved[] {
  const reserved = new Map<string, Reserved>()
  for (const line of jsonLines(text) as Generator<Line>) {
    if ('released' in line) reserved.delete(line.released)
    else if ('signed' in line) markSigned(reserved.get(line.signed), line.authorization)
    else if (line.account === account)
      reserved.set(line.id, { ...line, path, due: line.due.map(([key, units]) => [key, BigInt(units)]) })
  }
  return [...reserved.values()]
}

function markSigned(reserved: Reserved | undefined, authorization: Authorization): void {
  if (!reserved?.payment) return
  reserved.authorization = authorization
  reserved.payment.until = 1000 * authorization.validBefore
}

/** Returns the sum of each token. */
export function sumOf(reserved: readonly Reserved[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { due } of reserved) for (const [key, units] of due) sums.set(key, (sums.get(key) ?? 0n) + units)
  return sums
}
