import { ValidationError } from '@tidegate/protocol'
import { STORAGE_LIMITS } from '@tidegate/storage'
import { HOSTING_LIMITS } from './limits.js'

/** What the publisher says about a file. Not sanitized: it may hold anything. */
export interface FileFacts {
  name?: string
  contentType?: string
}

/** Keys under which clients of tus send the name and the media type. */
const NAME_KEYS = ['filename', 'name']
const TYPE_KEYS = ['filetype', 'contentType', 'type']

/** A pair of an `Upload-Metadata`: a key in ASCII, and a value as base64 of either alphabet, which may be missing. */
const PAIR = /^([!-+\--~]+)(?:[ \t]+([\w+/-]*={0,2}))?$/

/**
 * Returns an `Upload-Metadata` with single spaces and without empty pairs, its values as they were sent. Spaces around commas
 * come from proxies that join headers, and from clients. Throws ValidationError.
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

/** Reads name and media type from a normal `Upload-Metadata`. */
export function factsOf(metadata: string): FileFacts {
  const pairs = metadata.split(',').map((pair) => pair.split(' '))
  const values = new Map(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString('utf8')]))
  const first = (keys: string[]) => keys.map((key) => values.get(key)).find((value) => value)
  const [name, contentType] = [first(NAME_KEYS), first(TYPE_KEYS)]
  return { ...(name ? { name } : {}), ...(contentType ? { contentType } : {}) }
}

/** Types without active content; all others are served as bytes. SVG, HTML, XML and scripts are not among them. */
const INERT =
  /^(?:audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|image\/(?:png|jpeg|gif|webp|avif|tiff|bmp)|text\/(?:plain|csv|tab-separated-values)|application\/(?:octet-stream|json|geo\+json|x-ndjson|zip|gzip|x-tar|x-7z-compressed|x-bzip2|zstd|pdf|vnd\.apache\.(?:parquet|arrow\.(?:file|stream))|x-hdf5?|x-sqlite3|vnd\.sqlite3|vnd\.ms-excel|msword|vnd\.openxmlformats-officedocument\.[\w.]+))$/i

/** Returns the media type that a hosted file is served with: the publisher's, if it has no active content. */
export function servedType(contentType: string | undefined): string {
  const type = contentType?.split(';')[0]?.trim() ?? ''
  return type.length <= STORAGE_LIMITS.files.mediaType && INERT.test(type)
    ? type.toLowerCase()
    : 'application/octet-stream'
}
