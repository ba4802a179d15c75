import type { Address } from 'viem'
import { checksummed, isAddressText } from '../crypto/address.js'
import type { IndexedAsset } from './indexed.js'

type Json = Record<string, unknown>

/** A service of a document that was checked before. */
export interface DeclaredService {
  id: string
  datatokenAddress: string
}

/** An asset of the index, and the services of its document. */
export interface SoldAsset {
  asset: IndexedAsset
  services: DeclaredService[]
}

/** An asset of the index with its document parsed: once, for all that is made of it. */
export interface OpenedAsset extends SoldAsset {
  ddo: Json
  /** Where metadata and services are: `credentialSubject` in version 5, else the document itself. */
  subject: Json
}

/** Parses the document of an asset, which was checked before; undefined if this provider has none. */
export function opened(asset: IndexedAsset): OpenedAsset | undefined {
  const { ddo: text } = asset.metadata
  if (text === null) return undefined
  const ddo = JSON.parse(text) as Json
  const subject = (ddo.credentialSubject as Json | undefined) ?? ddo
  return { asset, ddo, subject, services: (subject.services ?? []) as DeclaredService[] }
}

/** Returns the datatokens that the services of an asset sell. */
export function soldDatatokens({ services }: SoldAsset): Address[] {
  return services.flatMap(({ datatokenAddress }) =>
    isAddressText(datatokenAddress) ? [checksummed(datatokenAddress)] : [],
  )
}
