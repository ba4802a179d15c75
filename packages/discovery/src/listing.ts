import type { Asset, Seller } from '@tidegate/protocol/asset'
import { defined } from '@tidegate/protocol/values'
import type { Site } from './site.js'

/** What is known of a file without a request to its storage. */
export interface FileFacts {
  /** Media type without parameters. */
  contentType?: string
  /** Bytes. */
  size?: number
  /** SHA-256 as hex. */
  sha256?: string
}

/** A file of a service. */
export interface ListedFile extends FileFacts {
  /** Its index in the service. */
  index: number
  /** The publisher's name of the file, a relative path. Untrusted. */
  name?: string
}

/** The one model of an asset that all formats are written from. Its texts are untrusted, and free of control characters. */
export interface Listing {
  site: Site
  asset: Asset
  seller: Seller
  /** The transaction that sent the newest metadata, and its time as ISO 8601. */
  newest?: { tx: string; time: string }
  /** Files by the id of their service. */
  files: ReadonlyMap<string, readonly ListedFile[]>
  /** Public files of this provider that show what is sold. */
  samples: readonly Sample[]
}

/** A page of a list of assets. Pages count from 1. */
export interface PageFacts {
  page: number
  /** Assets in all pages. */
  total: number
  /** Whether there are more than `total`, which a search does not count. */
  isAtLeast: boolean
  /** Whether there is a page after this one. */
  hasNext: boolean
}

/** A file that anybody may read. */
export interface Sample extends FileFacts {
  name: string
  url: string
}

/** A file that is sold. */
export interface SoldFile extends FileFacts {
  /** Identifies the file in the asset by the positions of service and file. Never a publisher's text: it becomes an IRI. */
  id: string
  name: string
}

/** Returns the files of all services, in order. Files without a public name are called by their number. */
export function soldFiles({ asset, files }: Listing): SoldFile[] {
  return asset.services.flatMap((service, at) =>
    (files.get(service.id) ?? []).map(({ index, name = `file-${index}`, ...facts }) => ({
      ...{ ...facts, name },
      id: `service-${at}/file-${index}`,
    })),
  )
}

/** Whether some service costs nothing, as far as the index knows. */
export function isFree({ asset }: Listing): boolean {
  return asset.services.some(({ price }) => price.type === 'free')
}

/** Returns text that is never empty: standards require a description, and publishers may leave it out. */
export function descriptionOf({ asset }: Listing): string {
  return asset.description || nameOf({ asset })
}

export function nameOf({ asset }: Pick<Listing, 'asset'>): string {
  return asset.name || asset.did
}

/** Returns the times of an asset as ISO 8601, without years beyond four digits, which the standards do not have. */
export function timesOf({ asset: { created, updated } }: Listing): { created?: string; updated?: string } {
  const text = (time: Date | undefined) => (time && /^\d{4}-/.test(time.toISOString()) ? time.toISOString() : undefined)
  return defined({ created: text(created), updated: text(updated) })
}

/** Returns the identifier of a token on its chain, as CAIP-19 has it: an IRI. */
export function tokenId(chainId: number, token: string): string {
  return `eip155:${chainId}/erc20:${token}`
}
