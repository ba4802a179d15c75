import type { Dialect } from '@tidegate/database'
import type { IndexedAsset } from '@tidegate/protocol'
import {
  type Decoded,
  type DocumentTask,
  decodeDocument,
  type Validated,
  validateDocument,
} from '@tidegate/protocol/documents'
import { preparedRows, withDocument } from './search/tables/prepared.js'

export { shortenedText as shortened } from '@tidegate/protocol'
export { decodeCopy as copy, readHint as hint, readStored as stored } from '@tidegate/protocol/documents'
export { servedWithin as served } from './search/source.js'

/** The expected index entry of an asset without its document, and the dialect for its search rows. */
export interface Expected {
  asset: IndexedAsset
  dialect: Dialect
}

type BatchedTask = DocumentTask & { expected?: Expected | undefined }
type DecodedWithRows = Decoded & { rows?: string | undefined }

/** Decrypts, decompresses and checks a published document. */
export function document({ published, owner, keys }: DocumentTask): Promise<Decoded> {
  return decodeDocument(published, owner, keys)
}

/** Decodes several documents, in order. Adds the search rows of those with an expected asset. */
export async function documents(tasks: BatchedTask[]): Promise<DecodedWithRows[]> {
  const all: DecodedWithRows[] = []
  for (const task of tasks) {
    const decoded = await document(task)
    const { expected } = task
    const asset = 'ddo' in decoded && expected && withDocument(expected.asset, decoded)
    all.push(asset ? { ...decoded, rows: preparedRows(asset, expected.dialect) } : decoded)
  }
  return all
}

/** Validates the bytes of a document before publication. */
export function validate({ bytes, maxInflation }: { bytes: Uint8Array; maxInflation: number }): Validated {
  return validateDocument(bytes, maxInflation)
}
