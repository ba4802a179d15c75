import { COMMON_LIMITS } from '@tidegate/common'
import type { Hex } from '@tidegate/protocol'
import type { AbiFunction } from 'viem'

/**
 * The module of the sandbox's threads: each exported function is a task of that name. A task gets a copy of its input
 * and returns a value that can be cloned. It checks input against bounds before it builds anything from it. An invalid
 * document is a result, not an error: tasks do not throw for it.
 *
 * A thread never has a key of the provider: the main thread derives what a task needs of it (`ddo/document-keys.ts`).
 * Nothing here loads native code beside Node's own, since a thread that is terminated within it would abort the process.
 */
export * from '@tidegate/catalog/document-tasks'

/** Decodes the result of a contract call. Its part of the chain library is loaded on first use. */
export async function answer({ abi, data }: { abi: AbiFunction; data: Hex }): Promise<string> {
  const { decodeContractResult } = await import('@tidegate/storage/decode-result')
  return decodeContractResult(abi, data, COMMON_LIMITS.contract)
}
