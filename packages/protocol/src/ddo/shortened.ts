import { PROTOCOL_LIMITS } from '../limits.js'
import type { IndexedAsset } from './indexed.js'
import type { OnChainData } from './on-chain/on-chain-data.js'
import { opened } from './opened.js'
import { assetDocument } from './served-document.js'

type Json = Record<string, unknown>

const LIMITS = PROTOCOL_LIMITS.shortened

/** The most important fields for lists, in order. */
const FIRST = [
  '@context',
  'id',
  'version',
  'chainId',
  'nftAddress',
  'type',
  'credentialSubject',
  'metadata',
  'name',
  'datatokenAddress',
  'timeout',
  'author',
  'description',
  'tags',
  'license',
  'created',
  'updated',
  'services',
]

/** Long fields that no list needs. */
const LEFT_OUT = new Set(['additionalInformation', 'consumerParameters', 'credentials', 'files', 'compute', 'proof'])

/** Shortens a document to the fields for lists. */
export function shortenedText(text: string): string {
  return JSON.stringify(new Shortening().part(JSON.parse(text)))
}

/** Copies a document up to a size: its first texts and entries. */
class Shortening {
  private left: number = LIMITS.size

  part(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.flatMap((one) => (this.take(2) ? [this.part(one)] : []))
    const fields = Object.keys(value).sort((a, b) => rank(a) - rank(b))
    const kept = fields.flatMap((name) =>
      !LEFT_OUT.has(name) && this.take(name.length + 8) ? [[name, this.part((value as Json)[name])]] : [],
    )
    return Object.fromEntries(kept)
  }

  private text(value: string): string {
    const kept = beginningOf(value, LIMITS.text)
    return this.take(JSON.stringify(kept).length) ? kept : ''
  }

  private take(size: number): boolean {
    if (size > this.left) return false
    this.left -= size
    return true
  }
}

/** Returns the first characters of a text, without half of a surrogate pair. */
function beginningOf(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') : text
}

function rank(name: string): number {
  const at = FIRST.indexOf(name)
  return at < 0 ? FIRST.length : at
}

/**
 * Returns a shortened document for lists, marked by `indexedMetadata.shortened`. `text`: result of `shortenedText`;
 * undefined if the document cannot be read now. `pick` selects parts of it.
 */
export function shortenedDocument(
  asset: IndexedAsset,
  text: string | undefined,
  { tokenUri: _tokenUri, ...onChain }: OnChainData,
  { purgatory, pick }: { purgatory: string | undefined; pick: (document: Json) => Json },
): string {
  const { chainId, nft, metadata } = asset
  const cut = (name: string) => beginningOf(name, LIMITS.text / 4)
  const ddo = text ?? JSON.stringify({ id: metadata.did, chainId, nftAddress: nft.address })
  const short: IndexedAsset = {
    chainId,
    nft: { ...nft, name: cut(nft.name), symbol: cut(nft.symbol), tokenUri: '' },
    datatokens: asset.datatokens.map((one) => ({ ...one, name: cut(one.name), symbol: cut(one.symbol) })),
    metadata: { ...metadata, ddo },
    offers: asset.offers,
  }
  // never undefined: the asset has a document
  const served = pick(assetDocument(opened(short) as NonNullable<ReturnType<typeof opened>>, onChain, purgatory))
  const { indexedMetadata } = served as { indexedMetadata?: Json }
  return JSON.stringify({ ...served, indexedMetadata: { ...indexedMetadata, shortened: true } })
}
