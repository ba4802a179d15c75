import { didOf, termsFields } from '@tidegate/protocol/asset'
import type { Json } from '@tidegate/protocol/values'
import type { Hex } from 'viem'
import type { AssetFile, PublishRequest } from '../types.js'
import type { Created } from './create.js'
import { nextRelease } from './next-release.js'

export interface DraftFacts extends Created {
  chainId: number
  /** The provider's address. */
  url: string
  owner: string
  files: Hex
  /** The provider's descriptions of the files. */
  described: readonly AssetFile[]
}

/** Id of the only service. */
export const SERVICE = 'access'

/** Returns the document of an asset with one service, version 4.1. Fills required fields that the publisher leaves out. */
export function draft(request: PublishRequest, facts: DraftFacts): object {
  const { nft, datatoken, chainId, url, owner, files, described } = facts
  const { name, description, author, license, tags, serviceName, access, accessLists, timeout = 0 } = request
  const { terms, samples = [], notes } = request
  const now = timestamp()
  return {
    '@context': ['https://w3id.org/did/v1'],
    id: didOf(nft, chainId),
    version: '4.1.0',
    chainId,
    nftAddress: nft,
    metadata: {
      created: now,
      updated: now,
      type: 'dataset',
      name,
      description: description || name,
      author: author || owner,
      license: license || 'All rights reserved',
      ...(tags && tags.length > 0 ? { tags } : {}),
      ...(samples.length > 0 ? { links: samples } : {}),
      ...(terms ? { additionalInformation: { termsAndConditions: termsFields(terms) } } : {}),
    },
    services: [
      {
        id: SERVICE,
        type: 'access',
        ...(serviceName ? { name: serviceName } : {}),
        files,
        datatokenAddress: datatoken,
        serviceEndpoint: url,
        timeout,
        additionalInformation: { release: nextRelease(undefined, { notes, files: described, date: now }) },
      },
    ],
    ...(access || accessLists ? { credentials: credentialsFor(access, accessLists, chainId) } : {}),
  }
}

/** Returns credentials that admit only these addresses and the members of these access lists. */
export function credentialsFor(
  access: readonly string[] = [],
  accessLists: readonly string[] = [],
  chainId?: number,
): { allow: Json[]; deny: Json[] } {
  const named = access.length > 0 ? [{ type: 'address', values: access }] : []
  return {
    allow: [...named, ...accessLists.map((accessList) => ({ type: 'accessList', chainId, accessList }))],
    deny: [],
  }
}

export function timestamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`
}
