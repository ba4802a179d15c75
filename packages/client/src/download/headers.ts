import { printable } from '@tidegate/protocol/values'
import type { Answer } from '../http/answer.js'
import { LIMITS } from '../limits.js'

/** One version of a file, from the headers of a response. */
export interface Version {
  /** Size of the whole file in bytes, if known. */
  total: number | undefined
  /** Strong ETag or Last-Modified, sent as If-Range to resume. */
  validator: string | undefined
  etag: string | null
  modified: string | null
}

/** Facts of a file from the headers of its first response. */
export interface FileFacts {
  name: string
  contentType: string | undefined
  /** SHA-256 of the whole file as hex, if the provider sends one. */
  sha256: string | undefined
}

export interface ContentRange {
  first: number
  last: number
  total: number | undefined
}

/** Reads Content-Range of a 206. Undefined unless it is a single valid range. */
export function contentRangeOf({ headers }: Answer): ContentRange | undefined {
  const match = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/.exec(headers.get('content-range') ?? '')
  if (!match) return undefined
  const [first, last] = [Number(match[1]), Number(match[2])]
  const total = match[3] === '*' ? undefined : Number(match[3])
  if (last < first || (total !== undefined && last >= total)) return undefined
  return { first, last, total }
}

/** Returns the version of a response. A compressed response has neither the file's length nor its validator. */
export function versionOf(response: Answer): Version {
  const { status, headers } = response
  const encoded = !/^(identity)?$/i.test(headers.get('content-encoding') ?? '')
  if (encoded) return { total: undefined, validator: undefined, etag: null, modified: null }
  const etag = bounded(headers.get('etag'))
  const modified = bounded(headers.get('last-modified'))
  const strong = etag && /^"[^"]*"$/.test(etag) ? etag : undefined
  const total = status === 206 ? contentRangeOf(response)?.total : lengthOf(headers.get('content-length'))
  return { total, validator: strong ?? modified ?? undefined, etag, modified }
}

/** Whether a response is of the version that was begun. A value that only one of them has is no difference. */
export function sameVersion(begun: Version, now: Version): boolean {
  const same = <T>(one: T | null | undefined, other: T | null | undefined) =>
    one == null || other == null || one === other
  return same(begun.total, now.total) && same(begun.etag, now.etag) && same(begun.modified, now.modified)
}

/** Reads name, type and digest of a file. The name is safe within a folder on every system. */
export function factsOf({ headers }: Answer, index: number): FileFacts {
  const digest = /(?:^|[\s,])sha-256=:([A-Za-z0-9+/]{43}=):/.exec(bounded(headers.get('repr-digest')) ?? '')?.[1]
  const type = headers.get('content-type')
  return {
    name: safeName(suggestedName(headers.get('content-disposition') ?? '')) || `file-${index}`,
    contentType: type === null ? undefined : printable(type, 200),
    sha256: digest === undefined ? undefined : hexOf(digest),
  }
}

/**
 * Returns an untrusted name as a name within a folder: without path, control and reserved characters, leading dots and
 * device names, and of bounded length. Empty if nothing remains.
 */
export function safeName(name: string): string {
  const last = name.slice(0, LIMITS.rawName).split(/[/\\]/).at(-1) ?? ''
  const clean = printable(last, LIMITS.header)
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const safe = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(clean) ? `_${clean}` : clean
  return shortened(safe)
}

/** Cuts the stem of a long name and keeps a common ending. */
function shortened(name: string): string {
  const bytes = (text: string) => new TextEncoder().encode(text).length
  if (bytes(name) <= LIMITS.fileName) return name
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  const stem = [...name.slice(0, name.length - ending.length)]
  let length = 0
  const kept = stem.filter((character) => {
    length += bytes(character)
    return length + ending.length <= LIMITS.fileName
  })
  return kept.join('').trimEnd() + ending
}

/** Returns the name of a Content-Disposition, of its extended form (RFC 8187) if it has one. */
function suggestedName(disposition: string): string {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended)
    } catch {
      // the plain form remains
    }
  }
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1')
  return /;\s*filename\s*=\s*([^;"\s]+)/i.exec(disposition)?.[1] ?? ''
}

function lengthOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

function bounded(header: string | null): string | null {
  return header !== null && header.length <= LIMITS.header ? header : null
}

function hexOf(base64: string): string {
  return [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
