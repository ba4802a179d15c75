import type { Hex } from 'viem'
import { JsonBoundsError } from '../json.js'
import { type DdoCheck, readPublishableDdo } from './ddo.js'
import { documentJson, sha256 } from './index/decode.js'

/** What a document that is about to be published is: fit, for this chain and with this SHA-256, or not. */
export type Validated = { hash: Hex; chainId: number } | { problems: Record<string, string> }

/** Checks a document as it would be published. It may be anybody's: the service has it read in the sandbox. */
export function validateDocument(bytes: Uint8Array): Validated {
  const read = checked(bytes)
  return 'problems' in read ? read : { hash: sha256(bytes), chainId: read.ddo.chainId }
}

function checked(bytes: Uint8Array): DdoCheck {
  try {
    return readPublishableDdo(documentJson(bytes).json)
  } catch (error) {
    const why = error instanceof JsonBoundsError ? error.message : 'must be a DDO as JSON text'
    return { problems: { body: `The body ${why}.` } }
  }
}
