import { statSync } from 'node:fs'
import type { Chain } from '../../../chain/chains.js'
import { LASTING_REASONS } from '../../../ddo/indexed.js'
import { StartError } from '../../../errors.js'
import type { Cursor, IndexRow } from '../../../state/store.js'
import { type FinalIndex, openFinalIndex } from '../../../state/transfer/index-rows.js'
import { assertFree, makeFile } from '../../../state/transfer/partial.js'
import type { Database } from '../../../state/transfer/place.js'
import { packageVersion } from '../../../version.js'
import { DECODER_VERSION, FORMAT, FORMAT_VERSION, type IndexFileHeader, type IndexFileLine } from './format.js'
import { writeLines } from './lines.js'

/** What was written to a file of the index. */
export interface Exported {
  chainId: number
  checkpoint: Cursor
  nfts: number
  datatokens: number
  assets: number
  /** Size of the file in bytes. */
  bytes: number
  /** SHA-256 of its lines, as its last line has it: hex. */
  sha256: string
}

export interface ExportOptions {
  from: Database
  /** The served chains, of which one is exported. */
  chains: ReadonlyMap<number, Pick<Chain, 'deployment'>>
  /** May be omitted where the index has one chain. */
  chainId: number | undefined
  /** Replaces an existing file. */
  force: boolean
}

/**
 * Writes the index of a chain as of its last final block to a file, while the service may run. The file appears completely
 * or not at all. Throws StartError, and the errors of the file system.
 */
export async function exportIndex(path: string, { from, chains, chainId, force }: ExportOptions): Promise<Exported> {
  assertFree(path, force)
  const index = await openFinalIndex(from, chainId)
  try {
    const chain = chains.get(index.chainId)
    if (!chain)
      throw new StartError([`NETWORK_URL: chain ${index.chainId} of the index is not among the configured ones.`])
    const { counts, checkpoint } = index
    const totals = { nfts: counts.nft, datatokens: counts.datatoken, assets: counts.asset }
    const header: IndexFileHeader = {
      ...{ format: FORMAT, version: FORMAT_VERSION, decoder: DECODER_VERSION, software: packageVersion() },
      ...{ chainId: index.chainId, factory: chain.deployment.factory, startBlock: chain.deployment.startBlock },
      checkpoint: { block: checkpoint.block, hash: checkpoint.hash },
      counts: totals,
    }
    return await makeFile(path, force, async (temporary) => {
      const sha256 = await writeLines(temporary, linesOf(header, index))
      return { chainId: index.chainId, checkpoint, ...totals, bytes: statSync(temporary).size, sha256 }
    })
  } finally {
    await index.close()
  }
}

async function* linesOf(header: IndexFileHeader, index: FinalIndex): AsyncGenerator<IndexFileHeader | IndexFileLine> {
  yield header
  const left = { ...index.counts }
  for await (const row of index.rows()) {
    left[row.kind] -= 1
    yield publicRow(row)
  }
  if (Object.values(left).some((count) => count !== 0))
    throw new StartError([
      'the index has rows without their NFT: run `tidegate reindex`, and export when it is complete.',
    ])
}

/**
 * Leaves out what is not public or depends on this provider: decrypted documents, and why one cannot be used, which its keys
 * and settings decide. Both are read again from the event that the row names.
 */
function publicRow(row: IndexRow): IndexRow {
  if (row.kind !== 'asset') return row
  const { metadata } = row
  const isLasting = (Object.values(LASTING_REASONS) as (string | null)[]).includes(metadata.reason)
  const reason = isLasting ? metadata.reason : null
  return { kind: 'asset', metadata: { ...metadata, ddo: metadata.encrypted ? null : metadata.ddo, reason } }
}
