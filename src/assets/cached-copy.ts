import type { Address, Hex } from 'viem'
import { BOUNDS } from '../bounds.js'
import { checksummed, isAddressText } from '../crypto/address.js'
import { parseJson } from '../json.js'
import { checkDdo, type Decoded, type DocumentOwner, sha256 } from './index/decode.js'

/** Fields that metadata caches add to a published document. */
const ADDED = ['nft', 'datatokens', 'event', 'stats', 'purgatory', 'accessDetails', 'indexedMetadata']

type Json = Record<string, unknown>

/** Where a metadata cache says that an asset is. */
export interface Hint {
  chainId: number
  nft: Address
  txId: Hex
}

/** Reads where an asset is from the text of a cache's answer; undefined where it does not say so. */
export function readHint(text: string): Hint | undefined {
  const copy = parsed(text)
  const subject = (copy?.credentialSubject ?? copy) as Json | undefined
  const indexed = (copy?.indexedMetadata ?? copy) as { nft?: { address?: unknown }; event?: Json } | undefined
  const { chainId, nftAddress } = subject ?? {}
  const txId = indexed?.event?.tx ?? indexed?.event?.txid
  if (typeof chainId !== 'number' || !isAddressText(nftAddress)) return undefined
  const told = indexed?.nft?.address ?? nftAddress
  if (typeof told !== 'string' || told.toLowerCase() !== nftAddress.toLowerCase()) return undefined
  if (typeof txId !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(txId)) return undefined
  return { chainId, nft: checksummed(nftAddress), txId: txId as Hex }
}

/** Checks a cache's copy of a document in the place of the one that was published, whose SHA-256 it must have. */
export function decodeCopy({ text, hash, owner }: { text: string; hash: Hex; owner: DocumentOwner }): Decoded {
  const copy = parsed(text)
  const published = copy && spellings(copy).find((spelling) => sha256(spelling) === hash)
  if (published === undefined) return { reason: 'is not what was published' }
  const bytes = Buffer.from(published)
  return bytes.length > owner.maxSize ? { reason: 'larger than MAX_DDO_SIZE' } : checkDdo(bytes, owner)
}

function parsed(text: string): Json | undefined {
  try {
    const json = parseJson(text, BOUNDS.document)
    return typeof json === 'object' && json !== null ? (json as Json) : undefined
  } catch {
    return undefined
  }
}

/** The document without what caches add, as the publishing libraries write JSON. */
function spellings(copy: Json): string[] {
  const bare = Object.fromEntries(Object.entries(copy).filter(([name]) => !ADDED.includes(name)))
  const subject = bare.credentialSubject as Json | undefined
  if (subject) {
    const { datatokens: _datatokens, ...own } = subject
    bare.credentialSubject = own
  }
  return [JSON.stringify(bare), pythonJson(bare)]
}

/** JSON as Python writes it: spaces after commas and colons, and nothing but ASCII. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, part]) => `${pythonJson(name)}: ${pythonJson(part)}`)
      .join(', ')}}`
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
