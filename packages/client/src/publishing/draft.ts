import type { Hex } from 'viem'
import { didOf } from '../chain/did.js'
import type { PublishRequest } from '../types.js'
import type { Created } from './create.js'

export interface DraftFacts extends Created {
  chainId: number
  /** The provider's address. */
  url: string
  owner: string
  files: Hex
}

/** Id of the only service. */
export const SERVICE = 'access'

/** Returns the document of an asset with one service, version 4.1. Fills required fields that the publisher leaves out. */
export function draft(request: PublishRequest, { nft, datatoken, chainId, url, owner, files }: DraftFacts): object {
  const { name, description, author, license, tags, serviceName, access, timeout = 0 } = request
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
      },
    ],
    ...(access ? { credentials: credentialsFor(access) } : {}),
  }
}

/** Returns credentials that admit only these addresses. */
export function credentialsFor(access: readonly string[]): object {
  return { allow: [{ type: 'address', values: access }], deny: [] }
}

export function timestamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`
}
