import { COMMON_LIMITS } from '@tidegate/common'
import type { Hex } from '@tidegate/protocol'
import type { AbiFunction } from 'viem'

/**
 * Thread module of the sandbox. Each exported function is a task. It gets a copy of its input, checks its limits, and
 * returns a value that can be cloned. An invalid document is a result, not an error. Threads have no provider key: the
 * main thread derives the keys of a document (`ddo/document-keys.ts`). Threads load only Node's native code: terminating
 * a thread in other native code would abort the process.
 */
export * from '@tidegate/catalog/document-tasks'

/** Decodes the result of a contract call. Loads its part of the chain library on first use. */
export async function answer({ abi, data }: { abi: AbiFunction; data: Hex }): Promise<string> {
  const { decodeContractResult } = await import('@tidegate/storage/decode-result')
  return decodeContractResult(abi, data, COMMON_LIMITS.contract)
}
