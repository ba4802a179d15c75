import { type Address, getAddress, type Hex, isAddressEqual, parseEventLogs, type TransactionReceipt } from 'viem'
import { assertReadable } from '../access/policy.js'
import { EVENTS, VIEWS } from '../chain/abi.js'
import type { Chain } from '../chain/chains.js'
import { answered } from '../chain/failures.js'
import { AssetError, RequestError } from '../errors.js'
import type { PublishedDocument } from './index/decode.js'

/**
 * Throws unless the factory of the chain deployed this data NFT, and its state lets its document be read. Asked of the
 * chain itself: caches come right after the event, when the index may not have seen it.
 */
export async function assertReadableNft(chain: Chain, nft: Address): Promise<void> {
  const { factory } = chain.deployment
  const [listed, state] = await chain.nodes.ask((client) =>
    Promise.all([
      client.readContract({ address: factory, abi: VIEWS, functionName: 'erc721List', args: [nft] }),
      answered(client.readContract({ address: nft, abi: VIEWS, functionName: 'metaDataState' })),
    ]),
  )
  if (!isAddressEqual(listed, nft))
    throw new RequestError('NFT_UNKNOWN', "The data NFT was not deployed by the chain's own factory.")
  assertReadable(state)
}

/** The document that an NFT published in a transaction, the last one where there are several. Throws AssetError. */
export function documentIn(receipt: TransactionReceipt | undefined, nft: Address): PublishedDocument {
  const logs = (receipt?.logs ?? []).filter((log) => getAddress(log.address) === nft)
  const events = parseEventLogs({ abi: EVENTS, logs, eventName: ['MetadataCreated', 'MetadataUpdated'], strict: true })
  const last = events.at(-1)
  if (!last || receipt?.status !== 'success')
    throw new AssetError('DOCUMENT_UNKNOWN', 'The transaction published no metadata of this data NFT.')
  const { flags, data, metaDataHash: hash } = last.args
  return { flags, data, hash }
}

/** Whether two forms of a document are the same, byte by byte. */
export function isSameDocument(a: PublishedDocument, b: PublishedDocument): boolean {
  const same = (x: Hex, y: Hex) => x.toLowerCase() === y.toLowerCase()
  return same(a.data, b.data) && same(a.hash, b.hash) && flagsOf(a.flags) === flagsOf(b.flags)
}

function flagsOf(flags: Hex): bigint {
  return flags === '0x' ? 0n : BigInt(flags)
}
