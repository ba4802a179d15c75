import { setImmediate } from 'node:timers/promises'
import type { Chain, ChainEvent } from '@tidegate/chain'
import { checksummed, ProviderError } from '@tidegate/protocol'
import type { Address, Hex, Log } from 'viem'
import { ChangeBatch } from './change-batch.js'
import { type DecodeOptions, DocumentsAhead } from './documents-ahead.js'
import type { IndexChange } from './index-store.js'
import { datatokenOf, metadataFrom, nftOf, offerOf, priceAt, reusedOrderOf, startedOrderOf } from './indexed.js'

/** Called for each unusable event. */
export type Unusable = (event: { address: Address; txId: Hex | null; block: number; reason: string }) => void

/** Logs to decode before yielding to the event loop. */
export const YIELD_EVERY = 100

/** Resolves in the next iteration of the event loop. */
export const yieldToLoop = (): Promise<void> => setImmediate()

/**
 * Converts logs of trusted emitters, in order, into changes of the index without replaced ones. An unusable document is a change too,
 * so that it is not read again. Unusable events are reported and skipped.
 * @throws SandboxError, or the signal's reason
 */
export async function changesOf(
  logs: readonly Log[],
  chain: Chain,
  read: DecodeOptions,
  unusable: Unusable = () => undefined,
): Promise<IndexChange[]> {
  const ahead = new DocumentsAhead(logs, chain, { ...read, replaces: 'range' })
  const changes = new ChangeBatch()
  for (const [at, log] of logs.entries()) {
    if (at % YIELD_EVERY === YIELD_EVERY - 1) await yieldToLoop()
    const change = await changeBy(log, chain, ahead, unusable, read.signal)
    if (change) changes.add(change)
  }
  return changes.all()
}

/**
 * Converts a log of `ahead` into a change. Undefined if a later document replaces it, or if it is unusable, which is reported.
 * @throws SandboxError, or the signal's reason
 */
export async function changeBy(
  log: Log,
  chain: Chain,
  ahead: DocumentsAhead,
  unusable: Unusable,
  signal?: AbortSignal,
): Promise<IndexChange | undefined> {
  const skip = (reason: string): undefined => {
    unusable({ address: checksummed(log.address), txId: log.transactionHash, block: Number(log.blockNumber), reason })
  }
  try {
    if (ahead.isReplaced(log)) return undefined
    const event = ahead.eventOf(log)
    const change = event && (await changeOf(event, log, chain, ahead))
    return change ?? skip('is malformed')
  } catch (error) {
    // no fault of the event, so the range is retried later
    if (signal?.aborted || error instanceof ProviderError) throw error
    return skip(`cannot be read: ${(error as Error).name}`)
  }
}

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
      const prepared = 'prepared' in decoded ? { prepared: decoded.prepared } : {}
      return { kind: 'metadata', metadata: metadataFrom(event, emitter, chain, decoded), services, ...prepared }
    }
    case 'MetadataState':
      return { kind: 'state', nft: emitter, state: event.args.state }
    case 'OrderStarted':
      return { kind: 'order', datatoken: emitter, order: startedOrderOf(event) }
    case 'OrderReused':
      return { kind: 'reuse', datatoken: emitter, order: reusedOrderOf(event) }
    case 'NewFixedRate':
      return { kind: 'market', market: event.args.exchangeContract, block: Number(event.blockNumber) }
    case 'NewDispenser':
      return { kind: 'market', market: event.args.dispenserContract, block: Number(event.blockNumber) }
    case 'ExchangeCreated':
    case 'DispenserCreated':
      return { kind: 'offer', offer: offerOf(event, emitter) }
    case 'ExchangeRateChanged':
      return { kind: 'rate', market: emitter, offer: event.args.exchangeId, price: priceAt(event.args.newRate) }
    case 'ExchangeActivated':
    case 'ExchangeDeactivated': {
      const isActive = event.eventName === 'ExchangeActivated'
      return { kind: 'activity', market: emitter, offer: event.args.exchangeId, isActive }
    }
    case 'DispenserActivated':
    case 'DispenserDeactivated': {
      const isActive = event.eventName === 'DispenserActivated'
      return { kind: 'activity', market: emitter, offer: event.args.datatokenAddress, isActive }
    }
    default:
      return undefined
  }
}
