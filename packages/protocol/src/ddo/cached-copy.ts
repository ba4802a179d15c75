import type { Address, Hex } from 'viem'
import { withoutAdded } from '../added-fields.js'
import { checksummed, isAddressText } from '../crypto/address.js'
import { parseJson } from '../json.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import { TOO_LARGE } from './lzma.js'
import { checkDdo, type Decoded, type DocumentOwner, sha256 } from './published-document.js'

type Json = Record<string, unknown>

/** Location of an asset, according to a metadata cache. */
export interface Hint {
  chainId: number
  nft: Address
  txId: Hex
}

/** Reads the location of an asset in a cache's response; undefined if missing or malformed. */
export function readHint(text: string): Hint | undefined {
  const copy = parsed(text)
  const subject = (copy?.credentialSubject ?? copy) as Json | undefined
  const indexed = (copy?.indexedMetadata ?? copy) as { nft?: { address?: unknown }; event?: Json } | undefined
  const { chainId, nftAddress } = subject ?? {}
  const txId = indexed?.event?.tx ?? indexed?.event?.txid
  if (typeof chainId !== 'number' || !isAddressText(nftAddress)) return undefined
  const indexedAddress = indexed?.nft?.address ?? nftAddress
  if (typeof indexedAddress !== 'string' || indexedAddress.toLowerCase() !== nftAddress.toLowerCase()) return undefined
  if (typeof txId !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(txId)) return undefined
  return { chainId, nft: checksummed(nftAddress), txId: txId as Hex }
}

/** Verifies a cache's copy of a document by the SHA-256 of the published one. */
export function decodeCopy({ text, hash, owner }: { text: string; hash: Hex; owner: DocumentOwner }): Decoded {
  const copy = parsed(text)
  const published = copy && serializations(copy).find((text) => sha256(text) === hash)
  if (published === undefined) return { reason: 'is not what was published' }
  const bytes = Buffer.from(published)
  return bytes.length > owner.maxSize ? { reason: TOO_LARGE } : checkDdo(bytes, owner)
}

function parsed(text: string): Json | undefined {
  try {
    const json = parseJson(text, PROTOCOL_LIMITS.document)
    return typeof json === 'object' && json !== null ? (json as Json) : undefined
  } catch {
    return undefined
  }
}

/** Returns the document without added fields, serialized like each publishing library does. */
function serializations(copy: Json): string[] {
  const bare = withoutAdded(copy)
  const subject = bare.credentialSubject as Json | undefined
  if (subject) {
    const { datatokens: _datatokens, ...own } = subject
    bare.credentialSubject = own
  }
  return [JSON.stringify(bare), pythonJson(bare)]
}

/** Returns JSON in Python's form: spaces after commas and colons, ASCII only. */
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
