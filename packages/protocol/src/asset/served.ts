import type { Address } from '../hex.js'
import { ASSET_LIMITS } from '../limits.js'
import { addressIn, blockIn, dateIn, fieldsOf, type Json, plainText } from '../values/fields.js'
import { didOf } from './did-of.js'
import type { AssetState } from './types.js'

/** The states of an asset by their numbers on the chain. */
export const STATES: readonly AssetState[] = ['active', 'retired', 'deprecated', 'revoked', 'disabled', 'unlisted']

/** A document of the provider's index, with its used fields checked. */
export interface Served {
  did: string
  chainId: number
  nft: Address
  state: AssetState
  /** Creation time of the data NFT; undefined if the index has none. */
  created: Date | undefined
  /** Block of the newest event of the metadata; 0 if the index does not tell it. A node without it is behind. */
  block: number
  /** The whole document. */
  document: Json
  services: ServedService[]
}

export interface ServedService {
  id: string
  /** Its index in the document, which orders name. */
  index: number
  type: string
  datatoken: Address
  /** Validity of an order in seconds; 0 is unlimited. */
  timeout: number
}

/** A document is not that of its DID. The message says why. */
export class WrongDocumentError extends Error {
  override readonly name = 'WrongDocumentError'
  readonly code = 'WRONG_DOCUMENT'
}

/** Reads a served document of version 4 or 5. Throws WrongDocumentError if it is not that of the DID. */
export function readServed(document: Json, did: string): Served {
  const { credentialSubject, nft: own, event, indexedMetadata } = fieldsOf(document)
  const { chainId, nftAddress, services } = fieldsOf(credentialSubject ?? document)
  const added = fieldsOf(indexedMetadata)
  const { state = 0, created } = fieldsOf(own ?? added.nft)
  const nft = addressIn(nftAddress)
  if (typeof chainId !== 'number' || !nft)
    throw new WrongDocumentError(`The provider's document of ${did} names no data NFT.`)
  if (did !== didOf(nft, chainId, did.startsWith('did:ope:') ? 5 : 4))
    throw new WrongDocumentError(`The provider answered with a document of another asset than ${did}.`)
  return {
    did,
    chainId,
    nft,
    state: (typeof state === 'number' ? STATES[state] : undefined) ?? 'disabled',
    created: dateIn(created),
    block: blockIn(fieldsOf(event ?? added.event).block),
    document,
    services: (Array.isArray(services) ? services : []).flatMap(serviceOf),
  }
}

/** Reads a document of a list; undefined if it is not that of its own DID. */
export function readable(document: Json): Served | undefined {
  try {
    return readServed(document, String(document.id))
  } catch {
    return undefined
  }
}

function serviceOf(value: unknown, index: number): ServedService[] {
  const { id, type, datatokenAddress, timeout } = fieldsOf(value)
  const datatoken = addressIn(datatokenAddress)
  if (typeof id !== 'string' || !datatoken) return []
  const seconds = typeof timeout === 'number' && timeout >= 0 ? Math.min(timeout, ASSET_LIMITS.timeout) : 0
  return [{ id, index, type: plainText(type), datatoken, timeout: seconds }]
}

/** Returns the named service, or the first of type access; undefined if there is none. */
export function chosenService<T extends { id: string; type: string }>(
  services: readonly T[],
  id: string | undefined,
): T | undefined {
  if (id !== undefined) return services.find((service) => service.id === id)
  return services.find(({ type }) => type === 'access') ?? services[0]
}
