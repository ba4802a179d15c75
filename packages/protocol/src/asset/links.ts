import { ASSET_LIMITS } from '../limits.js'
import { defined, fieldsOf, type Json, lineOf, listOf } from '../values/fields.js'
import { lastPart, printable } from '../values/text.js'
import type { AssetLink, LicenseDocument } from './types.js'

/** Path of the public files of a provider. */
const PUBLIC_FILES = '/api/services/public/'
/** Most links, and most licence documents, that are shown; and most entries that are read for them. */
const MOST = 20
const READ = 200
/** Most characters of a shown name. */
const NAME = 200

/** A link without a name. */
export type WebLink = Omit<AssetLink, 'name'>

/**
 * Returns a web address of a document: an http(s) URL, or the path of a public file of this provider. Undefined for any
 * other scheme or value, and for a URL with a user name.
 */
export function webLink(provider: string, value: unknown): WebLink | undefined {
  if (typeof value !== 'string' || value.length > ASSET_LIMITS.url) return undefined
  const text = value.startsWith(PUBLIC_FILES) ? provider + value : value
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { href, host, username, password } = new URL(text)
  if (username || password) return undefined
  const own = provider + PUBLIC_FILES
  return { url: href, host, isHere: href.startsWith(own) && /^[\w-]+\/[^/?#]+$/.test(href.slice(own.length)) }
}

/** Returns a printable name of a link: the given one, the last part of its path, or its host. */
export function linkName({ url, host }: WebLink, given: string): string {
  return printable(given, NAME) || printable(lastPart(new URL(url).pathname), NAME) || host
}

/** Returns the links of metadata: a list of URLs in version 4, URLs by name in version 5. */
export function linksOf(provider: string, links: unknown): AssetLink[] {
  const named = Array.isArray(links) ? links.slice(0, READ).map((url) => ['', url]) : Object.entries(fieldsOf(links))
  return named
    .slice(0, READ)
    .flatMap(([name, url]) => {
      const link = webLink(provider, url)
      return link ? [{ ...link, name: linkName(link, name as string) }] : []
    })
    .slice(0, MOST)
}

/** Returns the licence documents of metadata of version 5, each with the first mirror on the web. */
export function licenseDocumentsOf(provider: string, metadata: Json): LicenseDocument[] {
  const documents = listOf(fieldsOf(metadata.license).licenseDocuments, MOST).map(fieldsOf)
  return documents.map(({ name, displayName, fileType, sha256, mirrors }) => {
    const link = listOf(mirrors, MOST)
      .map((mirror) => webLink(provider, fieldsOf(mirror).url))
      .find((one) => one !== undefined)
    const title = printable(lineOf(displayName) || lineOf(name), NAME)
    return {
      name: title || (link ? linkName(link, '') : 'unnamed'),
      ...defined({ type: lineOf(fileType) || undefined, url: link?.url, host: link?.host, sha256: sha256In(sha256) }),
    }
  })
}

/** Returns a SHA-256 as 64 hexadecimal digits in lower case; undefined for any other value. */
export function sha256In(value: unknown): string | undefined {
  return typeof value === 'string' && /^(0x)?[0-9a-f]{64}$/i.test(value) ? value.slice(-64).toLowerCase() : undefined
}
