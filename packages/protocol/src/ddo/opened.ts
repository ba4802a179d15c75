import type { Address } from 'viem'
import { checksummed, isAddressText } from '../crypto/address.js'
import type { IndexedAsset } from './indexed.js'

type Json = Record<string, unknown>

/** A service of a validated document. */
export interface DeclaredService {
  id: string
  datatokenAddress: string
}

/** An indexed asset, and the services of its document. */
export interface SoldAsset {
  asset: IndexedAsset
  services: DeclaredService[]
}

/** An indexed asset with its parsed document. */
export interface OpenedAsset extends SoldAsset {
  ddo: Json
  /** The object with metadata and services: `credentialSubject` in version 5, else the document. */
  subject: Json
}

/** Parses the validated document of an asset; undefined if this provider has none. */
export function opened(asset: IndexedAsset): OpenedAsset | undefined {
  const { ddo: text } = asset.metadata
  if (text === null) return undefined
  const ddo = JSON.parse(text) as Json
  const subject = (ddo.credentialSubject as Json | undefined) ?? ddo
  return { asset, ddo, subject, services: (subject.services ?? []) as DeclaredService[] }
}

/** Returns the datatokens of an asset's services. */
export function soldDatatokens({ services }: SoldAsset): Address[] {
  return services.flatMap(({ datatokenAddress }) =>
    isAddressText(datatokenAddress) ? [checksummed(datatokenAddress)] : [],
  )
}
