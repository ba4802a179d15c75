import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { DocumentReader } from '../../../packages/catalog/src/documents.js'
import { changesOf } from '../../../packages/catalog/src/index/changes.js'
import type { Cursor } from '../../../packages/catalog/src/index/index-store.js'
import { queriesFor } from '../../../packages/catalog/src/index/tables/change-statements.js'
import { lastMetadata } from '../../../packages/catalog/src/published.js'
import type { Chain } from '../../../packages/chain/src/chains.js'
import { opened } from '../../../packages/protocol/src/ddo/opened.js'
import { assetDocument } from '../../../packages/protocol/src/ddo/served-document.js'
import { openSqliteStore } from '../../../packages/provider/src/state/sqlite.js'
import { document, documents as several } from '../../../packages/provider/src/tasks/worker.js'
import { CHAIN_ID, KEY, NFT, TX } from '../lib/honest.js'
import { asLog, FACTORY, logs } from '../lib/logs.js'
import { BOUNDARY_NUMBERS } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const chain = { chainId: CHAIN_ID, keys: [KEY], deployment: { factory: FACTORY } } as unknown as Chain
const { index } = openSqliteStore(mkdtempSync(join(tmpdir(), 'tidegate-fuzz-index-')))
/** Runs the sandbox's tasks in this process; their inputs are fuzzed by `documents`. */
const sandbox = {
  run: async (task: string, input: never) => (task === 'document' ? document(input) : several(input)),
}
const documents = new DocumentReader(sandbox as never, 100_000)
const times = fc.oneof(
  fc.constantFrom(...BOUNDARY_NUMBERS.filter((time) => Number.isInteger(time) && time >= 0)),
  fc.nat(),
)

/** A separate chain for each input, so that none sees the rows of another. */
let chainId = 0

/** Events of the chain, up to the rows of the index and the documents served from them. */
export default target({
  runs: 60,
  inputs: fc.record({ emitted: logs(), time: times }),
  async read({ emitted, time }) {
    const all = emitted.map((log, position) => ({ ...asLog(log, position), blockTimestamp: BigInt(time) }))
    lastMetadata(all, NFT)
    const changes = await changesOf(all, chain, { documents, signal: new AbortController().signal })
    holds(changes.length <= emitted.length, 'a log causes at most one change')
    chainId += 1
    const to: Cursor = { block: 1, hash: TX }
    holds(await index.commit({ chainId, from: undefined, to, changes, provisional: true }), 'the changes are written')
    for (const change of changes) {
      // PostgreSQL must accept it as well: no NUL in texts, and safe integers only
      for (const value of queriesFor(CHAIN_ID, [change]).flatMap(({ values }) => values)) {
        holds(typeof value !== 'string' || !value.includes('\0'), 'every database can store a text')
        holds(typeof value !== 'number' || Number.isSafeInteger(value), 'every database can store a number')
      }
      if (change.kind !== 'metadata') continue
      const asset = await index.asset(change.metadata.did)
      const read = asset && opened({ ...asset, metadata: { ...asset.metadata, ddo: '{}' } })
      if (read) assetDocument(read, {})
    }
  },
})
