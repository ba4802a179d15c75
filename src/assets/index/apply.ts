import type { Address, Hex, Log } from 'viem'
import { BOUNDS } from '../../bounds.js'
import type { Chain } from '../../chain/chains.js'
import { LASTING_REASONS } from '../../ddo/indexed.js'
import { UnstorableError } from '../../errors.js'
import type { Logger } from '../../process/logger.js'
import type { Cursor, IndexBatch, IndexChange, IndexGeneration } from '../../state/store.js'
import { changesOf, YIELD_EVERY, yieldToLoop } from './changes.js'
import { type DecodeOptions, DocumentsAhead } from './documents-ahead.js'
import type { BlockRange } from './reader.js'

/** How the events of a range are applied. */
export interface ApplyOptions {
  chain: Chain
  index: IndexGeneration
  /** The current cursor of this generation of the index. */
  from: Cursor | undefined
  /** The commit of the last batch before `from`, which may be under way; false where it was not applied. By default there is none. */
  previous?: Promise<boolean>
  /** `undoSince` of the IndexBatch. */
  undoSince: number | undefined
  reading: DecodeOptions
  log: Logger
  /** Called for each event that is skipped. */
  onSkipped: () => void
}

/** The commit of the last batch of a range: whether it was applied. */
export interface LastCommit {
  committed: Promise<boolean>
}

/**
 * Applies the events of a range and advances the cursor to its end. A crowded range is committed in several batches, so
 * that none blocks the event loop and its documents do not exhaust memory; batches end at block boundaries. Events that
 * are unusable or cannot be stored are skipped and logged, since they would stop the index
 * forever. Returns the commit of its last batch, which may be under way, so that the next range is decoded meanwhile: it
 * resolves to false, or undefined is returned, where the cursor has moved. Throws, as that commit does, SandboxError and
 * StateError if the sandbox or the database is unavailable; earlier batches stay committed.
 */
export async function applyRange(range: BlockRange, options: ApplyOptions): Promise<LastCommit | undefined> {
  const { chain, index, undoSince, reading, log, onSkipped } = options
  const { chainId } = chain
  const skip = (event: object) => {
    log.error({ chainId, block: range.cursor.block, ...event }, 'event skipped by the index')
    onSkipped()
  }
  let from = options.from
  let changes: IndexChange[] = []
  let last: Promise<boolean> = options.previous ?? Promise.resolve(true)
  // while a batch is being written, the events of the next one are decoded
  const commitUpTo = (to: Cursor) => {
    const batch = { chainId, from, to, changes, undoSince }
    last = last.then(async (isApplied) => {
      if (!isApplied || !(await commit(index, batch, skip))) return false
      logDocuments(chainId, batch.changes, log)
      return true
    })
    // awaited before the next one
    last.catch(() => undefined)
    from = to
    changes = []
  }
  const ahead = new DocumentsAhead(range.logs, chain, reading)
  let decoded = 0
  try {
    for (const { logs, cursor } of blocksOf(range.logs)) {
      changes.push(...(await changesOf(logs, chain, reading, skip, ahead)))
      const isDue = decoded + logs.length >= YIELD_EVERY
      decoded = isDue ? 0 : decoded + logs.length
      if (isDue) await yieldToLoop()
      if (cursor.block === range.cursor.block || !isFull(changes)) continue
      if (!(await last)) return undefined
      commitUpTo(cursor)
      await yieldToLoop()
    }
  } catch (error) {
    // whoever reads the cursor after an error must not read it before it has moved
    await last.catch(() => undefined)
    throw error
  }
  for (const nft of range.unread) {
    changes.push({ kind: 'unreadable', nft, reason: LASTING_REASONS.unread })
    skip({ address: nft, reason: range.inParts })
  }
  commitUpTo(range.cursor)
  // what ranges before have deployed is in the store when the next one is read
  return (await options.previous) === false ? undefined : { committed: last }
}

/** Yields the logs of a range block by block, in order. */
function* blocksOf(logs: readonly Log[]): Generator<{ logs: Log[]; cursor: Cursor }> {
  let first = 0
  for (const [at, log] of logs.entries()) {
    if (logs[at + 1]?.blockHash === log.blockHash) continue
    yield { logs: logs.slice(first, at + 1), cursor: { block: Number(log.blockNumber), hash: log.blockHash as Hex } }
    first = at + 1
  }
}

/** Returns whether a batch is large enough to be committed. */
function isFull(changes: readonly IndexChange[]): boolean {
  if (changes.length >= BOUNDS.chain.changes) return true
  const assets = new Set<Address>()
  let characters = 0
  for (const change of changes) {
    if (change.kind === 'metadata') characters += change.metadata.ddo?.length ?? 0
    const asset = assetChangedBy(change)
    if (asset) assets.add(asset)
  }
  return assets.size >= BOUNDS.chain.assets || characters >= BOUNDS.chain.documents
}

/** The NFT of an asset whose search terms a change affects, or its datatoken if only that is known. */
function assetChangedBy(change: IndexChange): Address | undefined {
  switch (change.kind) {
    case 'nft':
    case 'datatoken':
      return undefined
    case 'order':
      return change.datatoken
    case 'metadata':
      return change.metadata.nft
    default:
      return change.nft
  }
}

/** Logs the outcome of documents. */
function logDocuments(chainId: number, changes: readonly IndexChange[], log: Logger): void {
  for (const change of changes) {
    if (change.kind !== 'metadata') continue
    const { did, block, reason } = change.metadata
    if (reason) log.info({ chainId, did, block, reason }, 'asset document cannot be used')
    else log.debug({ chainId, did, block }, 'asset indexed')
  }
}

/** Commits a batch; where the database rejects it, commits it without the changes that it rejects. */
async function commit(index: IndexGeneration, batch: IndexBatch, skip: (event: object) => void): Promise<boolean> {
  try {
    return await index.commit(batch)
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    const rejected: IndexChange[] = []
    const done = await index.commit({ ...batch, onUnstorable: (change) => rejected.push(change) })
    for (const change of rejected) skip({ ...changeForLog(change), reason: 'the database does not take it' })
    return done
  }
}

/** Identifies a change, without untrusted text. */
function changeForLog(change: IndexChange): object {
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
