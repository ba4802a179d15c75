import { parseJson } from '../json.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import { type Ddo, readDdo } from './ddo.js'

/** Reads a stored document; undefined if it fails the current checks. */
export function readStored(text: string): Ddo | undefined {
  try {
    const read = readDdo(parseJson(text, PROTOCOL_LIMITS.document))
    return 'ddo' in read ? read.ddo : undefined
  } catch {
    return undefined
  }
}
