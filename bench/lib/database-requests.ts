import type { Published } from '../../test/helpers/publish.js'
import { type Consumer, downloadQuery, raw, signedDownload, signedToken } from './stage.js'

/** A kind of request that needs the database. */
export interface Kind {
  name: string
  /** Whether it reads from the storage. */
  reads: boolean
  /** Returns the requests of one connection, which are sent in turn: `count` of them if each must be unique. */
  requests(consumer: Consumer, count: number): string[]
}

/** The requests that need the database, for an asset that every consumer has ordered, and their auth tokens. */
export function databaseRequests(asset: Published, tokens: Map<Consumer, string>): Kind[] {
  const many = (count: number, make: () => string) => Array.from({ length: count }, make)
  const quoted = (consumer: Consumer) => {
    const { documentId, serviceId, consumerAddress } = downloadQuery(asset, consumer) as Record<string, string>
    return new URLSearchParams({ documentId, serviceId, consumerAddress } as Record<string, string>)
  }
  return [
    {
      name: 'download 1 KiB, signed',
      reads: true,
      requests: (consumer, count) =>
        many(count, () => raw('GET', `/api/services/download?${signedDownload(asset, consumer)}`)),
    },
    {
      name: 'download 1 KiB, token',
      reads: true,
      requests: (consumer) => [
        raw('GET', `/api/services/download?${new URLSearchParams(downloadQuery(asset, consumer))}`, {
          authtoken: tokens.get(consumer) as string,
        }),
      ],
    },
    {
      name: 'nonce',
      reads: false,
      requests: ({ key }) => [raw('GET', `/api/services/nonce?userAddress=${key.address}`)],
    },
    {
      name: 'createAuthToken',
      reads: false,
      requests: (consumer, count) =>
        many(count, () => raw('GET', `/api/services/createAuthToken?${signedToken(consumer)}`)),
    },
    {
      name: 'initialize',
      reads: false,
      requests: (consumer) => [raw('GET', `/api/services/initialize?${quoted(consumer)}`)],
    },
  ]
}
