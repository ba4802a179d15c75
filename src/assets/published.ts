import {
  type Address,
  getAddress,
  type Hex,
  isAddressEqual,
  type Log,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import { assertReadable } from '../access/policy.js'
import { EVENTS, VIEWS } from '../chain/abi.js'
import type { Chain } from '../chain/chains.js'
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
  return published
}

/** The document in the last metadata event that an NFT emitted itself. */
export function lastMetadata(logs: Log[], nft: Address): PublishedDocument | undefined {
  const own = logs.filter((log) => getAddress(log.address) === nft)
  const eventName = ['MetadataCreated', 'MetadataUpdated'] as const
  const last = parseEventLogs({ abi: EVENTS, logs: own, eventName: [...eventName], strict: true }).at(-1)
  return last && { flags: last.args.flags, data: last.args.data, hash: last.args.metaDataHash }
}

/** Whether two forms of a document are the same, byte by byte. */
export function isSameDocument(a: PublishedDocument, b: PublishedDocument): boolean {
  const same = (x: Hex, y: Hex) => x.toLowerCase() === y.toLowerCase()
  return same(a.data, b.data) && same(a.hash, b.hash) && flagsOf(a.flags) === flagsOf(b.flags)
}

function flagsOf(flags: Hex): bigint {
  return flags === '0x' ? 0n : BigInt(flags)
}
