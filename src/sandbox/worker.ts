import type { AbiFunction, Hex } from 'viem'
import { type DocumentOwner, decodeDocument, type PublishedDocument } from '../assets/index/decode.js'
import { BOUNDS } from '../bounds.js'

/**
 * The module of the sandbox's threads: each function that it exports is a task of that name. A task gets a copy of its
 * input and answers a value that can be copied. It holds all that it reads against bounds before it builds anything
 * of it, and does not throw for what a document holds: that is an answer.
 *
 * Keys come with the tasks that need them, and are of this very process: a thread shares its memory with whoever
 * started it, so nothing is told to anybody. They never go into an answer.
 */
export { decodeCopy as copy, readHint as hint } from '../assets/cached-copy.js'
export { validateDocument as validate } from '../assets/validate.js'

/** Decodes what a contract answered. What that takes of the chain library is loaded for the first one. */
export async function answer({ abi, data }: { abi: AbiFunction; data: Hex }): Promise<string> {
  const { contractAnswer } = await import('../storage/contract-answer.js')
  return contractAnswer(abi, data, BOUNDS.contract)
}

/** Decrypts, decompresses and checks a published document. */
export function document({ published, owner }: { published: PublishedDocument; owner: DocumentOwner }) {
  return decodeDocument(published, owner)
}
