import type { Chain } from '../../chain/chains.js'
import { UnstorableError } from '../../errors.js'
import type { Logger } from '../../logger.js'
import type { Cursor, IndexChange, IndexReading, IndexStep } from '../../state/store.js'
import { changesOf, type Reading } from './changes.js'
import type { BlockRange } from './reader.js'

/** Where the events of a range go. */
export interface Applying {
  chain: Chain
  index: IndexReading
  /** Where the reading is. */
  from: Cursor | undefined
  /** As of `IndexStep`. */
  keepSince: number | undefined
  reading: Reading
  log: Logger
  /** Told of each event that cannot be in the index. */
  onLeftOut: () => void
}

/**
 * Applies the events of a range, with its end as the new cursor. What cannot be used or stored is left out, and said: it
 * would stop the index for ever. False where the index is elsewhere by now. Throws SandboxError and StateError where
 * documents or database cannot be had at present, which says nothing of the events.
 */
export async function applyRange(range: BlockRange, applying: Applying): Promise<boolean> {
  const { chain, index, from, keepSince, reading, log, onLeftOut } = applying
  const { chainId } = chain
  const { block } = range.cursor
  const leftOut = (event: object) => {
    log.error({ chainId, block, ...event }, 'an event was left out of the index')
    onLeftOut()
  }
  const changes = await changesOf(range.logs, chain, reading, leftOut)
  for (const nft of range.unread) {
    changes.push({ kind: 'unreadable', nft, reason: 'has events that no node gives' })
    leftOut({ address: nft, reason: range.inParts })
  }
  if (!(await commit(index, { chainId, from, to: range.cursor, changes, keepSince }, leftOut))) return false
  for (const change of changes) {
    if (change.kind !== 'metadata') continue
    const { did, block, reason } = change.metadata
    if (reason) log.info({ chainId, did, block, reason }, 'asset document cannot be used')
    else log.debug({ chainId, did, block }, 'asset indexed')
  }
  return true
}

/** Commits a batch; where the database does not take it, all but what it does not take. */
async function commit(index: IndexReading, step: IndexStep, leftOut: (event: object) => void): Promise<boolean> {
  try {
    return await index.commit(step)
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    const left: IndexChange[] = []
    const done = await index.commit({ ...step, leaveOut: (change) => left.push(change) })
    for (const change of left) leftOut({ ...whatOf(change), reason: 'the database does not take it' })
    return done
  }
}

/** Which change it is, without what a stranger wrote. */
function whatOf(change: IndexChange): object {
  switch (change.kind) {
    case 'nft':
      return { kind: change.kind, address: change.nft.address }
    case 'datatoken':
      return { kind: change.kind, address: change.datatoken.address }
    case 'metadata':
      return { kind: change.kind, address: change.metadata.nft, txId: change.metadata.txId }
    case 'order':
      return { kind: change.kind, address: change.datatoken }
    default:
      return { kind: change.kind, address: change.nft }
  }
}
