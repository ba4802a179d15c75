import type { Readable } from 'node:stream'
import type { RunOptions } from '@tidegate/common'
import type { AbiFunction, Address, Hex } from 'viem'
import type { BlockCache } from '../cache/block-cache.js'
import type { Egress } from '../egress/egress.js'

/** Dependencies of storages. */
export interface StorageTools {
  egress: Egress
  readContract: ReadContract
  decodeResult: DecodeResult
  sql: SqlLimits
  /** Looks up files that this service hosts; undefined if it hosts none. */
  hosted?: FindHosted | undefined
  /** Blocks of content-addressed files on disk; undefined if none are kept. */
  blockCache?: BlockCache | undefined
  /** Base URLs without a trailing slash, in order of preference. */
  gateways: { ipfs: readonly string[]; filecoin: readonly string[]; arweave: readonly string[] }
}

/** A hosted file, as storages see it. */
export interface HostedFile {
  /** The publisher who uploaded it. */
  owner: string
  size: number
  /** Hex. */
  sha256: string
  /** Milliseconds since 1970. */
  completedAt: number
  /** A type that no browser runs. */
  contentType: string
  name?: string
  /** Opens the bytes from `start` to `end`, both inclusive. Rejects if they are not there. The signal ends it in any state. */
  read(start: number, end: number, signal: AbortSignal): Promise<Readable>
}

/** Looks up complete hosted files by their ids. */
export type FindHosted = (id: string) => Promise<HostedFile | undefined>

/** Limits of one query. */
export interface SqlLimits {
  /** Milliseconds for a statement. */
  timeout: number
  maxRows: number
  maxBytes: number
}

/**
 * Calls a contract with call data. Returns at most `limit` bytes; undefined if the call fails or exceeds them, or the
 * chain is not supported. Rejects with ChainError if no node responds. The signal aborts the request to the node.
 */
export type ReadContract = (
  chainId: number,
  to: Address,
  data: Hex,
  limit: number,
  signal: AbortSignal,
) => Promise<Hex | undefined>

/** Decodes a large call result in a thread, within COMMON_LIMITS.contract. Rejects like decodeContractResult, or with SandboxError. */
export type DecodeResult = (abi: AbiFunction, data: Hex, options: RunOptions) => Promise<string>
