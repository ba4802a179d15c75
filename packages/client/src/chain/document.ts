import { isDid } from '@tidegate/protocol/did'
import type { Address } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { AssetState } from '../types.js'
import { addressIn, dateIn, fieldsOf, type Json } from '../values.js'
import { assertOwnDid } from './did.js'
import { blockIn } from './moment.js'

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

/** Fetches a document from the provider's index. Throws TidegateError `ASSET_NOT_FOUND`, `TAKEN_DOWN`, `WRONG_DOCUMENT`, `BAD_DID`. */
export async function servedDocument(context: Context, did: string): Promise<Served> {
  if (!isDid(did)) throw new TidegateError('BAD_DID', 'A DID is did:op: and 64 hexadecimal digits.')
  return readDocument(await context.api.get<Json>(`/api/aquarius/assets/ddo/${did}`), did)
}

/** Reads a served document of version 4 or 5. Throws TidegateError `WRONG_DOCUMENT` if it is not that of the DID. */
export function readDocument(document: Json, did: string): Served {
  const { credentialSubject, nft: own, event, indexedMetadata } = fieldsOf(document)
  const { chainId, nftAddress, services } = fieldsOf(credentialSubject ?? document)
  const added = fieldsOf(indexedMetadata)
  const { state = 0, created } = fieldsOf(own ?? added.nft)
  const nft = addressIn(nftAddress)
  if (typeof chainId !== 'number' || !nft)
    throw new TidegateError('WRONG_DOCUMENT', `The provider's document of ${did} names no data NFT.`)
  assertOwnDid(did, nft, chainId)
  return {
    did,
    chainId,
    nft,
    state: STATES[Number(state)] ?? 'disabled',
    created: dateIn(created),
    block: blockIn(fieldsOf(event ?? added.event).block),
    document,
    services: (Array.isArray(services) ? services : []).flatMap(serviceOf),
  }
}

/** Longest validity of an order in seconds: its end is still a valid date. */
const LONGEST = 1e12

function serviceOf(value: unknown, index: number): ServedService[] {
  const { id, type, datatokenAddress, timeout } = fieldsOf(value)
  const datatoken = addressIn(datatokenAddress)
  if (typeof id !== 'string' || !datatoken) return []
  const seconds = typeof timeout === 'number' && timeout >= 0 ? Math.min(timeout, LONGEST) : 0
  return [{ id, index, type: String(type), datatoken, timeout: seconds }]
}

/**
 * Returns the named service, or the first of type access. Throws TidegateError `UNKNOWN_SERVICE`, and `ASSET_NOT_CONSUMABLE`
 * if the asset's state hides its services.
 */
export function serviceIn({ did, state, services }: Served, id: string | undefined): ServedService {
  if (state !== 'active' && state !== 'unlisted')
    throw new TidegateError('ASSET_NOT_CONSUMABLE', `The asset ${did} is ${state}: it is not for sale.`)
  const found = id === undefined ? (services.find(({ type }) => type === 'access') ?? services[0]) : undefined
  const named = found ?? services.find((service) => service.id === id)
  if (named) return named
  throw new TidegateError(
    'UNKNOWN_SERVICE',
    `The asset ${did} has no ${id === undefined ? 'service' : `service ${id}`}.`,
  )
}
