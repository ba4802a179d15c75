import { run, type Script } from '@tidegate/database'
import { HOSTING_LIMITS } from './limits.js'
import { PUBLIC_PATH, publicIdsIn } from './public-files.js'

/** An indexed document; null if it is unreadable. */
export interface IndexedDocument {
  nft: string
  ddo: string | null
}

const { known: AT_ONCE, uses: MOST } = HOSTING_LIMITS.hosting
const RECORD = `INSERT INTO hosted_uses (file, chain_id, nft, list)
  SELECT f.id, r.chain_id, ?, lower('${PUBLIC_PATH}/' || f.id) FROM hosted_files f, index_reading r
  WHERE r.id = ? AND f.removed_at IS NULL AND (',' || f.metadata || ',') LIKE '%,public,%'
    AND f.id IN (${Array(AT_ONCE).fill('?').join(', ')})
    AND (SELECT count(*) FROM hosted_uses u WHERE u.file = f.id) < ${MOST}
  ON CONFLICT DO NOTHING`

/**
 * Records the uses of public files by the documents of a generation of the index, in the transaction that indexes them. Publication
 * costs its author a transaction, which anonymous requests do not.
 */
export function* recordPublicUses(generation: number, documents: readonly IndexedDocument[]): Script<void> {
  for (const { nft, ddo } of documents) {
    if (!ddo?.includes(PUBLIC_PATH)) continue
    const ids = publicIdsIn(ddo)
    const [first] = ids
    if (first === undefined) continue
    const padded = Array.from({ length: AT_ONCE }, (_, at) => ids[at] ?? first)
    yield* run({ text: RECORD, values: [nft, generation, ...padded] })
  }
}
