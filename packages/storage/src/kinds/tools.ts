import type { Readable } from 'node:stream'
import type { RunOptions } from '@tidegate/common'
import type { AbiFunction, Address, Hex } from 'viem'
import type { BlockCache } from '../cache/block-cache.js'
import type { Egress } from '../egress/egress.js'

export interface StorageTools {
  egress: Egress
  readContract: ReadContract
  decodeResult: DecodeResult
  sql: SqlLimits
  /** Finds hosted files; undefined if the service hosts none. */
  hosted?: FindHosted | undefined
  /** Blocks of content-addressed files on disk; undefined: no cache. */
  blockCache?: BlockCache | undefined
  /** Base URLs without a trailing slash, in order of preference. */
  gateways: { ipfs: readonly string[]; filecoin: readonly string[]; arweave: readonly string[] }
}

export interface HostedFile {
  /** The publisher who uploaded it. */
  owner: string
  size: number
  /** Hex. */
  sha256: string
  /** Milliseconds since 1970. */
  completedAt: number
  /** A media type without active content. */
  contentType: string
  name?: string
  /** Opens a range, both ends inclusive. Rejects if the bytes are missing. The signal ends it in any state. */
  read(start: number, end: number, signal: AbortSignal): Promise<Readable>
}

/** Finds a complete hosted file by id. */
export type FindHosted = (id: string) => Promise<HostedFile | undefined>

/** Limits of one query. */
export interface SqlLimits {
  /** Milliseconds for a statement. */
  timeout: number
  maxRows: number
  maxBytes: number
}

/**
 * Calls a contract. Returns at most `limit` bytes; undefined if the call fails or returns more, or the chain is not supported. Rejects
 * with ChainError if no node responds. The signal aborts the request.
 */
export type ReadContract = (
  chainId: number,
  to: Address,
  data: Hex,
  limit: number,
  signal: AbortSignal,
) => Promise<Hex | undefined>

/** Decodes a large call result in a thread. Rejects like decodeContractResult, or with SandboxError. */
export type DecodeResult = (abi: AbiFunction, data: Hex, options: RunOptions) => Promise<string>
