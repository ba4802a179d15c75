import { COMMON_LIMITS } from '@tidegate/common'
import type { Hex } from '@tidegate/protocol'
import type { AbiFunction } from 'viem'

/**
 * The module of the sandbox's threads. Each exported function is a task of that name. It gets a copy of its input, checks
 * that against limits, and returns a value that can be cloned. An invalid document is a result, not an error.
 *
 * A thread never has a key of the provider: the main thread derives the keys of a document (`ddo/document-keys.ts`).
 * Threads load no native code but Node's own: terminating a thread within it would abort the process.
 */
export * from '@tidegate/catalog/document-tasks'

/** Decodes the result of a contract call. Its part of the chain library is loaded on first use. */
export async function answer({ abi, data }: { abi: AbiFunction; data: Hex }): Promise<string> {
  const { decodeContractResult } = await import('@tidegate/storage/decode-result')
  return decodeContractResult(abi, data, COMMON_LIMITS.contract)
}
