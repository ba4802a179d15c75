import { isDid } from '@tidegate/protocol/did'
import type { Address } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { AssetState } from '../types.js'
import { addressIn, dateIn, fieldsOf, type Json } from '../values.js'
import { assertOwnDid } from './did.js'

/** What the chain calls the states of an asset, by their numbers. */
export const STATES: readonly AssetState[] = ['active', 'retired', 'deprecated', 'revoked', 'disabled', 'unlisted']

/** A document as the provider's index serves it, with what is needed of it checked. */
export interface Served {
  did: string
  chainId: number
  nft: Address
  state: AssetState
  /** When the data NFT was made; undefined if the index does not tell. */
  created: Date | undefined
  /** The whole document. */
  document: Json
  services: ServedService[]
}

export interface ServedService {
  id: string
  /** Its place in the document, which orders name. */
  index: number
  type: string
  datatoken: Address
  /** Seconds for which an order holds; 0 for ever. */
  timeout: number
}

/** Asks the provider's index for a document. Throws TidegateError `ASSET_NOT_FOUND`, `WRONG_DOCUMENT`, `BAD_DID`. */
export async function servedDocument(context: Context, did: string): Promise<Served> {
  if (!isDid(did)) throw new TidegateError('BAD_DID', 'A DID is did:op: and 64 hexadecimal digits.')
  return readDocument(await context.api.get<Json>(`/api/aquarius/assets/ddo/${did}`), did)
}

/** Reads a served document of version 4 or 5. Throws TidegateError `WRONG_DOCUMENT` for what is not that of this DID. */
export function readDocument(document: Json, did: string): Served {
  const { credentialSubject, nft: own, indexedMetadata } = fieldsOf(document)
  const { chainId, nftAddress, services } = fieldsOf(credentialSubject ?? document)
  const { state = 0, created } = fieldsOf(own ?? fieldsOf(indexedMetadata).nft)
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
    document,
    services: (Array.isArray(services) ? services : []).flatMap(serviceOf),
  }
}

function serviceOf(value: unknown, index: number): ServedService[] {
  const { id, type, datatokenAddress, timeout } = fieldsOf(value)
  const datatoken = addressIn(datatokenAddress)
  if (typeof id !== 'string' || !datatoken) return []
  const seconds = typeof timeout === 'number' && timeout >= 0 ? timeout : 0
  return [{ id, index, type: String(type), datatoken, timeout: seconds }]
}

/**
 * The service of an asset that is meant: the one named, or the first of type access. Throws TidegateError
 * `ASSET_NOT_CONSUMABLE` for an asset in a state that hides its services, `UNKNOWN_SERVICE`.
 */
export function serviceIn({ did, state, services }: Served, id: string | undefined): ServedService {
  if (state !== 'active' && state !== 'unlisted')
    throw new TidegateError('ASSET_NOT_CONSUMABLE', `The asset ${did} is ${state}: nothing is sold of it.`)
  const found = id === undefined ? (services.find(({ type }) => type === 'access') ?? services[0]) : undefined
  const named = found ?? services.find((service) => service.id === id)
  if (named) return named
  throw new TidegateError(
    'UNKNOWN_SERVICE',
    `The asset ${did} has no ${id === undefined ? 'service' : `service ${id}`}.`,
  )
}
