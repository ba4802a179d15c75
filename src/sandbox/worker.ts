import type { AbiFunction, Hex } from 'viem'
import { decodeDocument } from '../assets/index/decode.js'
import type { Decoded, DocumentTask } from '../assets/published-document.js'
import { BOUNDS } from '../bounds.js'
import { preparedRows, withDocument } from '../search/prepared.js'

/**
 * The module of the sandbox's threads: each exported function is a task of that name. A task gets a copy of its input
 * and returns a value that can be cloned. It checks input against bounds before it builds anything from it. An invalid
 * document is a result, not an error: tasks do not throw for it.
 *
 * A thread never has a key of the provider: the main thread derives what a task needs of it (`assets/document-keys.ts`).
 * Nothing here loads native code beside Node's own, since a thread that is terminated within it would abort the process.
 */
export { decodeCopy as copy, readHint as hint } from '../assets/cached-copy.js'
export { readStored as stored } from '../assets/stored.js'
export { validateDocument as validate } from '../assets/validate.js'

/** Decodes the result of a contract call. Its part of the chain library is loaded on first use. */
export async function answer({ abi, data }: { abi: AbiFunction; data: Hex }): Promise<string> {
  const { decodeContractResult } = await import('../storage/kinds/smartcontract/decode-result.js')
  return decodeContractResult(abi, data, BOUNDS.contract)
}

/** Decrypts, decompresses and checks a published document. */
export function document({ published, owner, keys }: DocumentTask): Promise<Decoded> {
  return decodeDocument(published, owner, keys)
}

type DecodedWithRows = Decoded & { rows?: string | undefined }

/** The same for several, in their order, with the search rows of those whose assets are told. */
export async function documents(tasks: DocumentTask[]): Promise<DecodedWithRows[]> {
  const all: DecodedWithRows[] = []
  for (const task of tasks) {
    const decoded = await document(task)
    const { expected } = task
    const asset = 'ddo' in decoded && expected && withDocument(expected.asset, decoded)
    all.push(asset ? { ...decoded, rows: preparedRows(asset, expected.dialect) } : decoded)
  }
  return all
}
