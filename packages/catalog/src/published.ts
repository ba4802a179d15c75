import { type Chain, decodeEvent, type EventNamed, untrustedView } from '@tidegate/chain'
import { AssetError, assertReadable, ChainError, RequestError } from '@tidegate/protocol'
import type { PublishedDocument } from '@tidegate/protocol/documents'
import { type Address, type Hex, isAddressEqual, type Log, type TransactionReceipt } from 'viem'

/**
 * Checks an NFT on the chain instead of the index, which may lag: caches request documents right after their event.
 * `since`: the block of the document.
 * @throws RequestError if the factory did not deploy it, AccessError if its state forbids reading, ChainError
 */
export async function assertReadableNft(chain: Chain, nft: Address, since = 0): Promise<void> {
  const { factory } = chain.deployment
  const [listed, state] = await chain.nodes.ask(
    (_client, callUntrusted) =>
      Promise.all([
        untrustedView(callUntrusted, factory, 'erc721List', [nft]),
        untrustedView(callUntrusted, nft, 'metaDataState', []),
      ]),
    { since, accept: ([listed, state]) => listed !== undefined && state !== undefined },
  )
  if (listed === undefined) throw new ChainError('CHAIN_UNAVAILABLE', 'The factory of the blockchain did not answer.')
  if (!isAddressEqual(listed, nft))
    throw new RequestError('NFT_UNKNOWN', "The data NFT was not deployed by the chain's own factory.")
  assertReadable(state)
}

/** Returns the last document of an NFT in a transaction. Throws AssetError if there is none. */
export function documentIn(receipt: TransactionReceipt | undefined, nft: Address): PublishedDocument {
  const published = receipt?.status === 'success' ? lastMetadata(receipt.logs, nft) : undefined
  if (!published) throw new AssetError('DOCUMENT_UNKNOWN', 'The transaction published no metadata of this data NFT.')
  return documentOf(published)
}

/** An event that publishes or updates the document of a data NFT. */
export type MetadataEvent = EventNamed<'MetadataCreated'> | EventNamed<'MetadataUpdated'>

/** Returns the last metadata event of an NFT; undefined if there is none. */
export function lastMetadata(logs: readonly Log[], nft: Address): MetadataEvent | undefined {
  const emitter = nft.toLowerCase()
  for (const log of logs.toReversed()) {
    const event = log.address.toLowerCase() === emitter ? decodeEvent(log) : undefined
    if (event?.eventName === 'MetadataCreated' || event?.eventName === 'MetadataUpdated') return event
  }
  return undefined
}

/** Returns the document of a metadata event. */
export function documentOf({ args: { flags, data, metaDataHash } }: MetadataEvent): PublishedDocument {
  return { flags, data, hash: metaDataHash }
}

/** Whether two published documents have the same data, hash and flags. */
export function isSameDocument(a: PublishedDocument, b: PublishedDocument): boolean {
  const same = (x: Hex, y: Hex) => x.toLowerCase() === y.toLowerCase()
  return same(a.data, b.data) && same(a.hash, b.hash) && flagsOf(a.flags) === flagsOf(b.flags)
}

function flagsOf(flags: Hex): bigint {
  return flags === '0x' ? 0n : BigInt(flags)
}
