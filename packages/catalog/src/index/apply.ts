import type { Chain } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import { LASTING_REASONS, UnstorableError } from '@tidegate/protocol'
import type { Hex, Log } from 'viem'
import type { BlockRange } from './blocks/reader.js'
import { ChangeBatch } from './change-batch.js'
import { changeBy, YIELD_EVERY, yieldToLoop } from './changes.js'
import { type DecodeOptions, DocumentsAhead } from './documents-ahead.js'
import type { BlockPart, Cursor, IndexBatch, IndexChange, IndexGeneration } from './index-store.js'
import { RangeTally } from './seen-events.js'

export interface ApplyOptions {
  chain: Chain
  index: IndexGeneration
  from: Cursor | undefined
  /** The commit of the batch before, which may be running; false if it was not applied. Default: none. */
  previous?: Promise<boolean> | undefined
  /** Whether the batches may be rolled back. */
  provisional: boolean
  decoding: DecodeOptions
  log: Logger
  /** Called for each event that is skipped. */
  onSkipped: () => void
}

/** The last commit of a range, and the cursor after it. `committed`: whether it was applied. */
export interface LastCommit {
  committed: Promise<boolean>
  cursor: Cursor
}

/**
 * Applies the events of a range and advances the cursor to its end. Splits the changes into short commits, also inside a block.
 * Skips and logs unusable events, which would stop the index forever. Returns the last commit, which may be running, so that the
 * next range is decoded meanwhile. If the cursor has moved, that commit resolves to false, or undefined is returned.
 * @throws SandboxError, StateError; so does the returned commit. Earlier commits stay.
 */
export async function applyRange(range: BlockRange, options: ApplyOptions): Promise<LastCommit | undefined> {
  const { chain, index, provisional, decoding, log, onSkipped } = options
  const { chainId } = chain
  const skip = (event: object) => {
    log.error({ chainId, block: range.cursor.block, ...event }, 'event skipped by the index')
    onSkipped()
  }
  let from = options.from
  let changes = new ChangeBatch()
  const tally = new RangeTally(range)
  let last: Promise<boolean> = options.previous ?? Promise.resolve(true)
  // decoding continues during a commit
  const commitUpTo = (to: Cursor, written = changes.all()) => {
    const seen = provisional && !to.part ? tally.upTo(to.block) : undefined
    const batch = { chainId, from, to, changes: written, provisional, seen }
    last = last.then(async (isApplied) => {
      if (!isApplied || !(await commit(index, batch, skip))) return false
      logDocuments(chainId, batch.changes, log)
      return true
    })
    // awaited before the next commit
    last.catch(() => undefined)
    from = to
    if (written.length > 0) changes = new ChangeBatch()
  }
  const logs = eventsAfter(from?.part, range.logs)
  const ahead = new DocumentsAhead(logs, chain, { ...decoding, replaces: provisional ? 'block' : 'range' })
  // a first checkpoint, so that the range can be rolled back
  if (!from && range.before) commitUpTo(range.before, [])
  /** The last completely applied block. */
  let complete = from
  try {
    for (const [at, event] of logs.entries()) {
      if (at % YIELD_EVERY === YIELD_EVERY - 1) await yieldToLoop()
      const change = await changeBy(event, chain, ahead, skip, decoding.signal)
      if (change) changes.add(change)
      const block = { block: Number(event.blockNumber), hash: event.blockHash as Hex }
      const isEnd = logs[at + 1]?.blockHash !== event.blockHash
      if (isEnd) complete = block
      // after a part its block is committed, so that no later part needs the undo rows of this one
      const isDue = isEnd ? changes.fullness >= 1 || from?.part : changes.fullness >= 2
      if (!isDue || !complete || complete.block === range.cursor.block) continue
      if (!(await last)) return undefined
      commitUpTo(isEnd ? block : inside(complete, { ...block, log: Number(event.logIndex) }))
      await yieldToLoop()
    }
  } catch (error) {
    // the commit ends first, so that the caller reads the final cursor
    await last.catch(() => undefined)
    throw error
  }
  for (const nft of range.unread) {
    changes.add({ kind: 'unreadable', nft, reason: LASTING_REASONS.unread })
    skip({ address: nft, reason: range.inParts })
  }
  const cursor = keepingPart(range.cursor, options.from?.part)
  commitUpTo(cursor)
  // the next range needs the contracts of earlier ranges in the store
  return (await options.previous) === false ? undefined : { committed: last, cursor }
}

/** Returns a cursor inside a block after a complete one. */
const inside = ({ block, hash }: Cursor, part: BlockPart): Cursor => ({ block, hash, part })

/** Returns the cursor at the end of a range. Keeps the part of a later block. */
const keepingPart = (end: Cursor, part: BlockPart | undefined): Cursor =>
  part && part.block > end.block ? inside(end, part) : end

/** Returns the events that follow a part of a block. */
function eventsAfter(part: BlockPart | undefined, logs: readonly Log[]): readonly Log[] {
  if (!part) return logs
  return logs.filter(({ blockHash, logIndex }) => blockHash !== part.hash || Number(logIndex) > part.log)
}

/** Returns whether the chain has replaced a partly applied block: the range includes its number but none of its events. */
export function isPartGone(range: BlockRange, part: BlockPart | undefined): boolean {
  if (!part || part.block > range.cursor.block) return false
  return !range.logs.some(({ blockHash }) => blockHash === part.hash)
}

function logDocuments(chainId: number, changes: readonly IndexChange[], log: Logger): void {
  for (const change of changes) {
    if (change.kind !== 'metadata') continue
    const { did, block, reason } = change.metadata
    if (!reason) log.debug({ chainId, did, block }, 'asset indexed')
    else if (reason === LASTING_REASONS.foreign) log.debug({ chainId, did, block }, 'asset of another provider')
    else log.info({ chainId, did, block, reason }, 'asset document cannot be used')
  }
}

/** Commits a batch. If the database rejects it, commits it without the rejected changes. */
async function commit(index: IndexGeneration, batch: IndexBatch, skip: (event: object) => void): Promise<boolean> {
  try {
    return await index.commit(batch)
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    const rejected: IndexChange[] = []
    const done = await index.commit({ ...batch, onUnstorable: (change) => rejected.push(change) })
    for (const change of rejected) skip({ ...changeForLog(change), reason: 'the database cannot store it' })
    return done
  }
}

/** Returns the fields that identify a change, without untrusted text. */
function changeForLog(change: IndexChange): object {
  switch (change.kind) {
    case 'nft':
      return { kind: change.kind, address: change.nft.address }
    case 'datatoken':
      return { kind: change.kind, address: change.datatoken.address }
    case 'metadata':
      return { kind: change.kind, address: change.metadata.nft, txId: change.metadata.txId }
    case 'order':
    case 'reuse':
      return { kind: change.kind, address: change.datatoken }
    case 'market':
    case 'rate':
    case 'activity':
      return { kind: change.kind, address: change.market }
    case 'offer':
      return { kind: change.kind, address: change.offer.datatoken }
    default:
      return { kind: change.kind, address: change.nft }
  }
}
