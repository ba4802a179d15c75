import type { Address, Hex, Log } from 'viem'
import type { Chain } from '../../chain/chains.js'
import type { ChainEvent } from '../../chain/events.js'
import { checksummed } from '../../crypto/address.js'
import { ProviderError } from '../../errors.js'
import type { IndexChange } from '../../state/store.js'
import { type DecodeOptions, DocumentsAhead } from './documents-ahead.js'
import { datatokenOf, metadataFrom, nftOf } from './indexed.js'

/** Called for each event that the index cannot use, with the reason. */
export type Unusable = (event: { address: Address; txId: Hex | null; block: number; reason: string }) => void

/** Logs to decode before yielding to the event loop. */
export const YIELD_EVERY = 100

/** Resolves in the next iteration of the event loop. */
export const yieldToLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Converts the logs of a range of blocks, in their order, into changes of the index. Their emitters must be trusted.
 * Changes that a later one of the same NFT replaces are dropped: one block may hold a hundred documents of it. An
 * unusable document is a change as well, so that it is not read again; an unusable event is reported and skipped.
 * `ahead`: of a longer list of logs that continues after these.
 * Throws SandboxError, or the signal's reason.
 */
export async function changesOf(
  logs: readonly Log[],
  chain: Chain,
  read: DecodeOptions,
  unusable: Unusable = () => undefined,
  ahead = new DocumentsAhead(logs, chain, read),
): Promise<IndexChange[]> {
  const changes = new Changes()
  for (const [at, log] of logs.entries()) {
    if (at % YIELD_EVERY === YIELD_EVERY - 1) await yieldToLoop()
    const skip = (reason: string) =>
      unusable({ address: checksummed(log.address), txId: log.transactionHash, block: Number(log.blockNumber), reason })
    try {
      const event = ahead.eventOf(log)
      const change = event && (await changeOf(event, log, chain, ahead))
      if (change) changes.add(change)
      else skip('is not of the form of its event')
    } catch (error) {
      // not the event's fault: the range is retried later
      if (read.signal?.aborted || error instanceof ProviderError) throw error
      skip(`cannot be read: ${(error as Error).name}`)
    }
  }
  return changes.all()
}

/** Changes in order, without those that a later one replaces. */
class Changes {
  /** Document and state of an NFT are keyed by the NFT, every other change by a number. */
  private readonly byKey = new Map<string | number, IndexChange>()
  private added = 0

  add(change: IndexChange): void {
    const key = this.keyOf(change)
    // re-inserted at the end: a document carries its state, which an earlier one must not overwrite
    this.byKey.delete(key)
    if (change.kind === 'metadata') this.byKey.delete(stateOf(change.metadata.nft))
    this.byKey.set(key, change)
  }

  all(): IndexChange[] {
    return [...this.byKey.values()]
  }

  private keyOf(change: IndexChange): string | number {
    if (change.kind === 'metadata') return `document ${change.metadata.nft}`
    if (change.kind === 'state') return stateOf(change.nft)
    this.added += 1
    return this.added
  }
}

const stateOf = (nft: Address) => `state ${nft}`

async function changeOf(
  event: ChainEvent,
  log: Log,
  chain: Chain,
  ahead: DocumentsAhead,
): Promise<IndexChange | undefined> {
  const emitter = checksummed(event.address)
  switch (event.eventName) {
    case 'NFTCreated':
      return { kind: 'nft', nft: nftOf(event) }
    case 'TokenCreated':
      return { kind: 'datatoken', datatoken: datatokenOf(event) }
    case 'MetadataCreated':
    case 'MetadataUpdated': {
      const decoded = await ahead.documentOf(log, event)
      const services = 'ddo' in decoded ? decoded.services : undefined
      const search = 'search' in decoded ? { search: decoded.search } : {}
      return { kind: 'metadata', metadata: metadataFrom(event, emitter, chain, decoded), services, ...search }
    }
    case 'MetadataState':
      return { kind: 'state', nft: emitter, state: event.args.state }
    case 'OrderStarted':
      return { kind: 'order', datatoken: emitter }
    default:
      return undefined
  }
}
