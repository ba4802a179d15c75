/** Gas of each kind of transaction, measured with the contracts of a local network and rounded up. */
export const GAS = {
  approval: 50_000n,
  /** Datatoken of an exchange or a dispenser, with the order, in one transaction or two. */
  paid: 330_000n,
  free: 150_000n,
  freeInTwo: 220_000n,
  /** Order with a datatoken that the buyer holds, and the renewal of one. */
  held: 120_000n,
  /** Transfers of one fee. */
  fee: 80_000n,
} as const

/** Error codes of nodes: unknown method, limit exceeded, disconnected, too many requests. */
export const NODE_CODES: ReadonlySet<unknown> = new Set([-32601, -32005, 4900, 4901, 429])

/** Error codes with which nodes report a revert: of most, of those without a code of their own, and of wallets. */
export const REVERT_CODES: ReadonlySet<unknown> = new Set([3, -32000, -32603])

/** Milliseconds since 1970 of the last time that a Date can have (ECMA-262). */
export const LAST_DATE = 8.64e15
