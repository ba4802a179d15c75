import { type Address, getAddress, type Hex, type Log } from 'viem'
import type { Chain } from '../../chain/chains.js'
import { type ChainEvent, decodeEvent, type EventNamed } from '../../chain/events.js'
import { ProviderError } from '../../errors.js'
import type { IndexChange, IndexedMetadata, IndexedNft } from '../../state/store.js'
import { didOf } from '../ddo.js'
import type { DocumentReader } from '../documents.js'
import { documentOf, type MetadataEvent } from '../published.js'
import { type Decoded, isEncrypted } from './decode.js'

/** What documents are read with, and until when. */
export interface Reading {
  documents: DocumentReader
  signal?: AbortSignal
}

/** An event that the index cannot make anything of, for which reason, by its transaction. */
export type Unusable = (event: { address: Address; txId: Hex | null; block: number; reason: string }) => void

/** Decoding is done in turns of so many, between which the event loop goes on. */
const TURN = 100

/**
 * Turns the logs of a range of blocks, in their order, into changes of the index. They are of emitters that are
 * believed. A document that cannot be used is a change as well, so that it is not read again; an event that cannot be
 * used is told, and passed over. Throws SandboxError, or why the signal fired.
 */
export async function changesOf(
  logs: readonly Log[],
  chain: Chain,
  read: Reading,
  unusable: Unusable = () => undefined,
): Promise<IndexChange[]> {
  const changes: IndexChange[] = []
  for (const [at, log] of logs.entries()) {
    if (at % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve))
    const told = (reason: string) =>
      unusable({ address: getAddress(log.address), txId: log.transactionHash, block: Number(log.blockNumber), reason })
    try {
      const event = decodeEvent(log)
      const change = event && (await changeOf(event, chain, read))
      if (change) changes.push(change)
      else told('is not of the form of its event')
    } catch (error) {
      // what says nothing of the event: it is read again later
      if (read.signal?.aborted || error instanceof ProviderError) throw error
      told(`cannot be read: ${(error as Error).name}`)
    }
  }
  return changes
}

async function changeOf(
  event: ChainEvent,
  chain: Chain,
  { documents, signal }: Reading,
): Promise<IndexChange | undefined> {
  const emitter = getAddress(event.address)
  switch (event.eventName) {
    case 'NFTCreated':
      return { kind: 'nft', nft: nftOf(event) }
    case 'TokenCreated': {
      // the creator is the contract that asked the factory, which admits none but its own NFTs
      const { newTokenAddress: address, creator: nft, name, symbol } = event.args
      return { kind: 'datatoken', datatoken: { address, nft, name, symbol } }
    }
    case 'MetadataCreated':
    case 'MetadataUpdated': {
      const decoded = await documents.decodeForGood(documentOf(event), { nft: emitter, chain }, signal)
      return { kind: 'metadata', metadata: metadataFrom(event, emitter, chain, decoded) }
    }
    case 'MetadataState':
      return { kind: 'state', nft: emitter, state: event.args.state }
    case 'OrderStarted':
      return { kind: 'order', datatoken: emitter }
    default:
      return undefined
  }
}

function nftOf({ args, blockTimestamp }: EventNamed<'NFTCreated'>): IndexedNft {
  return {
    address: args.newTokenAddress,
    name: args.tokenName,
    symbol: args.symbol,
    tokenUri: args.tokenURI,
    owner: args.admin,
    created: isoTime(Number(blockTimestamp ?? 0)),
  }
}

/** What a metadata event says, with what came of its document. */
export function metadataFrom(event: MetadataEvent, nft: Address, chain: Chain, decoded: Decoded): IndexedMetadata {
  return {
    nft,
    did: 'did' in decoded ? decoded.did : didOf(nft, chain.chainId),
    state: event.args.state,
    ddo: 'ddo' in decoded ? decoded.ddo : null,
    reason: 'reason' in decoded ? decoded.reason : null,
    encrypted: isEncrypted(event.args),
    txId: event.transactionHash as Hex,
    block: Number(event.blockNumber),
    from: 'createdBy' in event.args ? event.args.createdBy : event.args.updatedBy,
    timestamp: secondsOf(event.args.timestamp),
  }
}

/** The end of the year 9999: what an event calls later than that is no time, and neither dates nor databases hold it. */
const LAST_SECOND = 253_402_300_799

function secondsOf(time: bigint | number): number {
  return Math.min(Number(time), LAST_SECOND)
}

/** ISO 8601 time in UTC without fractions, as asset documents carry it, from seconds since 1970. */
export function isoTime(seconds: number): string {
  return new Date(secondsOf(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}
