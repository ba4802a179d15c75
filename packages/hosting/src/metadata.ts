import { ValidationError } from '@tidegate/protocol'
import { STORAGE_LIMITS } from '@tidegate/storage'
import { HOSTING_LIMITS } from './limits.js'

/** Name and media type that the publisher claims. Not sanitized. */
export interface FileFacts {
  name?: string
  contentType?: string
}

/** Metadata keys of tus clients for the name and the media type. */
const NAME_KEYS = ['filename', 'name']
const TYPE_KEYS = ['filetype', 'contentType', 'type']

/** A pair of Upload-Metadata: an ASCII key, and optionally a value in base64 or base64url. */
const PAIR = /^([!-+\--~]+)(?:[ \t]+([\w+/-]*={0,2}))?$/

/**
 * Normalizes Upload-Metadata: single spaces, no empty pairs, values unchanged. Clients, and proxies that join headers, send
 * spaces around commas. Throws ValidationError.
 */
export function normalMetadata(header: string): string {
  const pairs = new Map<string, string>()
  for (const text of header.split(',').map((pair) => pair.trim())) {
    if (text === '') continue
    const [, key, value] = PAIR.exec(text) ?? []
    if (key === undefined) throw invalid('must be keys and values as base64, separated by commas')
    if (pairs.has(key)) throw invalid('must not have a key twice')
    pairs.set(key, value ? `${key} ${value}` : key)
  }
  const metadata = [...pairs.values()].join(',')
  const { metadata: most } = HOSTING_LIMITS.hosting
  if (metadata.length > most) throw invalid(`must not be longer than ${most} characters`)
  return metadata
}

function invalid(reason: string): ValidationError {
  return ValidationError.of('Upload-Metadata', `The Upload-Metadata header ${reason}.`)
}

/** Reads name and media type from normalized Upload-Metadata. */
export function factsOf(metadata: string): FileFacts {
  const pairs = metadata.split(',').map((pair) => pair.split(' '))
  const values = new Map(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString('utf8')]))
  const first = (keys: string[]) => keys.map((key) => values.get(key)).find((value) => value)
  const [name, contentType] = [first(NAME_KEYS), first(TYPE_KEYS)]
  return { ...(name ? { name } : {}), ...(contentType ? { contentType } : {}) }
}

/** Media types without active content. All others, such as SVG, HTML, XML and scripts, are served as bytes. */
const INERT =
  /^(?:audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|image\/(?:png|jpeg|gif|webp|avif|tiff|bmp)|text\/(?:plain|markdown|csv|tab-separated-values)|application\/(?:octet-stream|json|geo\+json|x-ndjson|zip|gzip|x-tar|x-7z-compressed|x-bzip2|zstd|pdf|vnd\.apache\.(?:parquet|arrow\.(?:file|stream))|x-hdf5?|x-sqlite3|vnd\.sqlite3|vnd\.ms-excel|msword|vnd\.openxmlformats-officedocument\.[\w.]+))$/i

/** Returns the media type for serving: the publisher's if it has no active content, else octet-stream. */
export function servedType(contentType: string | undefined): string {
  const type = contentType?.split(';')[0]?.trim() ?? ''
  return type.length <= STORAGE_LIMITS.files.mediaType && INERT.test(type)
    ? type.toLowerCase()
    : 'application/octet-stream'
}
