import {
  type AssetIndex,
  assertReadableNft,
  type CatchingUp,
  type DocumentReader,
  documentIn,
  isSameDocument,
} from '@tidegate/catalog'
import type { Chain, Receipts } from '@tidegate/chain'
import { AssetError, assertReadable, RequestError } from '@tidegate/protocol'
import { didsOf, type PublishedDocument } from '@tidegate/protocol/documents'
import type { Address, Hex } from 'viem'

/** A data NFT and its chain. */
interface Nft {
  chain: Chain
  address: Address
}

/** A document of an NFT: named by its transaction, or sent by the caller. */
export interface NamedDocument {
  txId: Hex | undefined
  encryptedDocument?: Hex | undefined
  flags?: Hex | undefined
  documentHash?: Hex | undefined
}

interface Sources {
  indexed: AssetIndex
  documents: DocumentReader
  receipts: Receipts
  catchingUp: CatchingUp
}

/** Decrypts documents that data NFTs have published, and no other data. */
export class PublishedDocuments {
  constructor(
    private readonly sources: Sources,
    /** Milliseconds to wait for a recent document. */
    private readonly wait: number,
  ) {}

  /** Returns the DDO as JSON. Throws AssetError, RequestError, ChainError, or the signal's reason. */
  async decrypt(nft: Nft, named: NamedDocument, signal: AbortSignal): Promise<string> {
    const indexed = named.txId && (await this.indexedDocument(nft, named.txId))
    return indexed ?? this.decode(nft, await this.published(nft, named, signal), signal)
  }

  /** Returns the document of a transaction from the index, without a call to a node. */
  private async indexedDocument(nft: Nft, txId: Hex): Promise<string | undefined> {
    const metadata = (await this.indexedAsset(nft))?.metadata
    if (metadata?.ddo == null || metadata.txId.toLowerCase() !== txId) return undefined
    assertReadable(metadata.state)
    return metadata.ddo
  }

  private async indexedAsset({ chain, address }: Nft) {
    const { indexed } = this.sources
    const assets = await Promise.all(didsOf(address, chain.chainId).map((did) => indexed.asset(did)))
    return assets.find((asset) => asset)
  }

  /** Decrypts and checks a document. Throws AssetError. */
  private async decode({ chain, address }: Nft, document: PublishedDocument, signal: AbortSignal): Promise<string> {
    const read = await this.sources.documents.decode(document, { nft: address, chain }, { signal })
    if ('ddo' in read) return read.ddo
    throw new AssetError('DOCUMENT_UNREADABLE', `The document cannot be given: ${read.reason}.`)
  }

  /** Returns the encrypted document that a data NFT published. Throws AssetError, RequestError. */
  private async published(nft: Nft, named: NamedDocument, signal: AbortSignal): Promise<PublishedDocument> {
    const { receipts, catchingUp } = this.sources
    const { chain, address } = nft
    const { txId } = named
    if (!txId) {
      await assertReadableNft(chain, address)
      // the document may be too recent for the index
      await catchingUp.toHead(chain, this.wait, signal)
      return this.sameDocument(nft, named, signal)
    }
    const find = () => receipts.find(chain, txId, this.wait, signal)
    try {
      await assertReadableNft(chain, address)
    } catch (error) {
      // the transaction that deploys the NFT may not be mined yet
      const mined = error instanceof RequestError ? await find() : undefined
      if (!mined) throw error
      await assertReadableNft(chain, address, Number(mined.receipt.blockNumber))
    }
    return documentIn((await find())?.receipt, address)
  }

  /** Returns the last document of the NFT if the caller's document has the same bytes. Throws AssetError otherwise. */
  private async sameDocument(
    nft: Nft,
    { encryptedDocument: data, flags, documentHash: hash }: NamedDocument,
    signal: AbortSignal,
  ): Promise<PublishedDocument> {
    const unknown = new AssetError('DOCUMENT_UNKNOWN', 'The document is not the one that this data NFT published.')
    const asset = await this.indexedAsset(nft)
    if (!asset || data === undefined || flags === undefined || hash === undefined) throw unknown
    const mined = await this.sources.receipts.find(nft.chain, asset.metadata.txId, this.wait, signal)
    const published = documentIn(mined?.receipt, nft.address)
    if (!isSameDocument(published, { data, flags, hash })) throw unknown
    return published
  }
}
