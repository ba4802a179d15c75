/** Error codes of JSON-RPC that concern the node, not the call: unknown method, too many requests. */
export const NODE_CODES: ReadonlySet<unknown> = new Set([-32601, -32005, 429])

/** Error codes for a too large response: of go-ethereum, of servers built on jsonrpsee, and of a proxy. */
export const TOO_LONG_CODES: ReadonlySet<unknown> = new Set([-32003, -32008, -32020])

/** Error codes of a rate limit. */
export const RATE_CODES: ReadonlySet<unknown> = new Set([429, -32029])

/** The error code for a rate limit at some providers, and for too many results at others. */
export const AMBIGUOUS_CODE = -32005

/** The error code of a malformed request (JSON-RPC 2.0). */
export const INVALID_REQUEST = -32600

/** Error codes of a revert: of most nodes, and of those that derive from OpenEthereum. */
export const REVERT_CODES: ReadonlySet<unknown> = new Set([3, -32015])

/** Error codes of an unknown block or state: EIP-1474 (Nethermind, reth), and of pruned blocks. */
export const BLOCK_CODES: ReadonlySet<unknown> = new Set([-32001, -32002, 4444])
