import { type Address, type Hex, isAddressEqual, type Log, type TransactionReceipt } from 'viem'
import { assertReadable } from '../access/policy.js'
import { VIEWS } from '../chain/abi.js'
import type { Chain } from '../chain/chains.js'
import { decodeEvent, type EventNamed } from '../chain/events.js'
import { foreignView } from '../chain/foreign.js'
import { AssetError, RequestError } from '../errors.js'
import type { PublishedDocument } from './index/decode.js'

/**
 * Throws unless the factory of the chain deployed this data NFT, and its state lets its document be read. Asked of the
 * chain itself: caches come right after the event, when the index may not have seen it.
 */
export async function assertReadableNft(chain: Chain, nft: Address): Promise<void> {
  const { factory } = chain.deployment
  const [listed, state] = await chain.nodes.ask(
    (client, foreign) =>
      Promise.all([
        client.readContract({ address: factory, abi: VIEWS, functionName: 'erc721List', args: [nft] }),
        foreignView(foreign, nft, 'metaDataState', []),
      ]),
    { accept: ([, state]) => state !== undefined },
  )
  if (!isAddressEqual(listed, nft))
    throw new RequestError('NFT_UNKNOWN', "The data NFT was not deployed by the chain's own factory.")
  assertReadable(state)
}

/** The document that an NFT published in a transaction, the last one where there are several. Throws AssetError. */
export function documentIn(receipt: TransactionReceipt | undefined, nft: Address): PublishedDocument {
  const published = receipt?.status === 'success' ? lastMetadata(receipt.logs, nft) : undefined
  if (!published) throw new AssetError('DOCUMENT_UNKNOWN', 'The transaction published no metadata of this data NFT.')
  return documentOf(published)
}

/** The event by which a data NFT publishes its document, for the first time or anew. */
export type MetadataEvent = EventNamed<'MetadataCreated'> | EventNamed<'MetadataUpdated'>

/** The last metadata event that an NFT emitted itself. */
export function lastMetadata(logs: readonly Log[], nft: Address): MetadataEvent | undefined {
  const emitter = nft.toLowerCase()
  for (const log of logs.toReversed()) {
    const event = log.address.toLowerCase() === emitter ? decodeEvent(log) : undefined
    if (event?.eventName === 'MetadataCreated' || event?.eventName === 'MetadataUpdated') return event
  }
  return undefined
}

/** The document that a metadata event carries. */
export function documentOf({ args: { flags, data, metaDataHash } }: MetadataEvent): PublishedDocument {
  return { flags, data, hash: metaDataHash }
}

/** Whether two forms of a document are the same, byte by byte. */
export function isSameDocument(a: PublishedDocument, b: PublishedDocument): boolean {
  const same = (x: Hex, y: Hex) => x.toLowerCase() === y.toLowerCase()
  return same(a.data, b.data) && same(a.hash, b.hash) && flagsOf(a.flags) === flagsOf(b.flags)
}

function flagsOf(flags: Hex): bigint {
  return flags === '0x' ? 0n : BigInt(flags)
}
