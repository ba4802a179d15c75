/** The usual port of a node. */
export const RPC_PORT = 8_545

/** The error code of JSON-RPC 2.0 for text that is not JSON. */
export const PARSE_ERROR = -32_700

/** A micro-unit of a native coin, which has 18 decimals: its smallest units, and the micro-units of a coin. */
export const MICRO_UNIT = { size: 1_000_000_000_000n, perCoin: 1_000_000n } as const
