import { type Address, getAddress, type Hex, type Log, parseEventLogs } from 'viem'
import { EVENTS } from '../../chain/abi.js'
import type { Chain } from '../../chain/chains.js'
import type { IndexChange, IndexedDatatoken, IndexedNft, IndexStore } from '../../state/store.js'
import { didOf } from '../ddo.js'
import type { DocumentReader } from '../documents.js'

/** What documents are read with, and until when. */
interface Reading {
  documents: DocumentReader
  signal: AbortSignal
}

/** The log of one of EVENTS, decoded. */
type Event = ReturnType<typeof parseEventLogs<typeof EVENTS, true>>[number]
type Named<N extends Event['eventName']> = Extract<Event, { eventName: N }>

/**
 * Turns the logs of a range of blocks, in their order, into changes of the index. A log counts only when its emitter
 * is believed: the chain's factory for deployments, an NFT of that factory for metadata, a datatoken of that factory
 * for orders. Whatever other contracts emit under the same names is passed over. A document that cannot be used is a
 * change as well, so that it is not read again. Throws SandboxError, or why the signal fired.
 */
export async function changesOf(logs: Log[], chain: Chain, index: IndexStore, read: Reading): Promise<IndexChange[]> {
  const known = new KnownContracts(chain.chainId, index)
  const changes: IndexChange[] = []
  for (const event of parseEventLogs({ abi: EVENTS, logs, strict: true })) {
    const change = await changeOf(event, chain, known, read)
    if (change) changes.push(change)
  }
  return changes
}

async function changeOf(
  event: Event,
  chain: Chain,
  known: KnownContracts,
  read: Reading,
): Promise<IndexChange | undefined> {
  const emitter = getAddress(event.address)
  switch (event.eventName) {
    case 'NFTCreated':
      return emitter === chain.deployment.factory ? known.addNft(event) : undefined
    case 'TokenCreated':
      return emitter === chain.deployment.factory ? known.addDatatoken(event) : undefined
    case 'MetadataCreated':
    case 'MetadataUpdated':
      return (await known.nft(emitter)) ? metadataChange(event, emitter, chain, read) : undefined
    case 'MetadataState':
      return (await known.nft(emitter)) ? { kind: 'state', nft: emitter, state: event.args.state } : undefined
    case 'OrderStarted':
      return (await known.datatoken(emitter)) ? { kind: 'order', datatoken: emitter } : undefined
    default:
      return undefined
  }
}

async function metadataChange(
  event: Named<'MetadataCreated'> | Named<'MetadataUpdated'>,
  nft: Address,
  chain: Chain,
  { documents, signal }: Reading,
): Promise<IndexChange> {
  const { flags, data, metaDataHash, state, timestamp } = event.args
  const published = { flags, data, hash: metaDataHash }
  const decoded = await documents.decodeForGood(published, { nft, chain }, signal)
  return {
    kind: 'metadata',
    metadata: {
      nft,
      did: 'did' in decoded ? decoded.did : didOf(nft, chain.chainId),
      state,
      ddo: 'ddo' in decoded ? decoded.ddo : null,
      reason: 'reason' in decoded ? decoded.reason : null,
      txId: event.transactionHash as Hex,
      block: Number(event.blockNumber),
      from: 'createdBy' in event.args ? event.args.createdBy : event.args.updatedBy,
      timestamp: secondsOf(timestamp),
    },
  }
}

/** The NFTs and datatokens that the factory deployed: those of the store, and those of the batch at hand. */
class KnownContracts {
  private readonly nfts = new Map<Address, IndexedNft>()
  private readonly datatokens = new Map<Address, IndexedDatatoken>()

  constructor(
    private readonly chainId: number,
    private readonly index: IndexStore,
  ) {}

  addNft({ args, blockTimestamp }: Named<'NFTCreated'>): IndexChange {
    const nft: IndexedNft = {
      address: args.newTokenAddress,
      name: storable(args.tokenName),
      symbol: storable(args.symbol),
      tokenUri: storable(args.tokenURI),
      owner: args.admin,
      created: isoTime(Number(blockTimestamp ?? 0)),
    }
    this.nfts.set(nft.address, nft)
    return { kind: 'nft', nft }
  }

  /** `creator` is the contract that asked the factory: the factory admits none but its own NFTs. */
  addDatatoken({ args }: Named<'TokenCreated'>): IndexChange {
    const [name, symbol] = [storable(args.name), storable(args.symbol)]
    const datatoken = { address: args.newTokenAddress, nft: args.creator, name, symbol }
    this.datatokens.set(datatoken.address, datatoken)
    return { kind: 'datatoken', datatoken }
  }

  async nft(address: Address): Promise<IndexedNft | undefined> {
    return this.nfts.get(address) ?? (await this.index.nft(this.chainId, address))
  }

  async datatoken(address: Address): Promise<IndexedDatatoken | undefined> {
    return this.datatokens.get(address) ?? (await this.index.datatoken(this.chainId, address))
  }
}

/** Text of a stranger without NUL, which PostgreSQL refuses: one name with it would stop the index for good. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
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
