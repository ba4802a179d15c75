/** The service as the outside knows it. */
export interface Site {
  /** Public base URL, without trailing slash. */
  base: string
  /** Name of the operator, or of the software. */
  name: string
  /** Name of the operator, who verifies publishers; undefined if it is not told. */
  operator?: string
  /** URL of the operator. */
  url?: string
  /** Absolute URL of the console, with trailing slash; undefined if it is off. */
  console?: string
}

/** Formats of an asset's description. */
export const FORMATS = ['schema.org', 'croissant', 'dcat'] as const
export type Format = (typeof FORMATS)[number]

/** Media types of the formats. */
export const MEDIA_TYPES: Record<Format, string> = {
  'schema.org': 'application/ld+json',
  croissant: 'application/ld+json; profile="http://mlcommons.org/croissant/1.1"',
  dcat: 'application/ld+json; profile="http://www.w3.org/ns/dcat#"',
}

export function pageOf({ base }: Site, did: string): string {
  return `${base}/asset/${did}`
}

/** Returns the URL of a page of a seller's assets. Pages count from 1. */
export function sellerUrl({ base }: Site, account: string, page = 1): string {
  return `${base}/seller/${account}${page === 1 ? '' : `?page=${page}`}`
}

/** Returns the URL of the Atom feed of a page. */
export const feedUrl = (page: string): string => `${page}.atom`

export function formatUrl({ base }: Site, did: string, format: Format): string {
  return `${base}/api/catalogue/${did}?format=${format}`
}

/** Returns the URL of a page of the catalogue for people, or as DCAT. Pages count from 1. */
export function catalogueUrl({ base }: Site, page: number, file: 'catalogue' | 'catalogue.jsonld'): string {
  return `${base}/${file}${page === 1 ? '' : `?page=${page}`}`
}
