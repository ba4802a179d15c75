import type { EgressResponse } from '../egress/egress.js'
import type { OpenedFile } from '../storage.js'

/** A parsed Content-Range; both ends are inclusive. */
export interface ContentRange {
  first: number
  last: number
  /** Bytes of the whole file; undefined if unknown. */
  total: number | undefined
}

/** Parses the Content-Range of a single range. Returns undefined for anything else. */
export function parseContentRange(contentRange: string | undefined): ContentRange | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(?:(\d{1,15})|\*)$/.exec(contentRange ?? '')
  if (!match) return undefined
  const part = { first: Number(match[1]), last: Number(match[2]), total: match[3] ? Number(match[3]) : undefined }
  return part.first <= part.last && part.last < (part.total ?? Number.POSITIVE_INFINITY) ? part : undefined
}

/**
 * Turns a response with the whole file into a 200: a 203 of a proxy, an unknown success (RFC 9110, 15), or an unrequested 206 whose
 * Content-Range and length prove that it is the whole file. Returns other responses unchanged.
 */
export function asWhole(requested: Record<string, string>, response: EgressResponse): EgressResponse {
  const { status, headers } = response
  if (status === 203 || isUnknownSuccess(status)) return { ...response, status: 200 }
  if (status !== 206 || requested.range !== undefined) return response
  const { 'content-range': range, ...others } = headers
  const part = parseContentRange(typeof range === 'string' ? range : undefined)
  const length = headers['content-length']
  if (part?.first !== 0 || part.total !== part.last + 1) return response
  if (length !== undefined && Number(length) !== part.total) return response
  return { ...response, status: 200, headers: others }
}

/** Whether a status is an unregistered success. Of the registered ones, only 200, 203 and 206 contain a file. */
function isUnknownSuccess(status: number): boolean {
  return status > 208 && status < 300 && status !== 226
}

/**
 * Whether a response fits its request: 206 and 416 only for a range, 304 only for a condition, and a part of the length of its
 * range. Otherwise consumers could keep a stale copy, or take a part for the whole file.
 */
export function isExpectedResponse(
  requested: Record<string, string>,
  status: number,
  headers: OpenedFile['headers'],
): boolean {
  if (status === 200) return true
  if (status === 304) return requested['if-none-match'] !== undefined || requested['if-modified-since'] !== undefined
  if (requested.range === undefined) return false
  if (status === 416) return true
  // several ranges have a multipart body, in which each part has its range
  if (headers['content-type']?.startsWith('multipart/byteranges')) return requested.range.includes(',')
  const part = parseContentRange(headers['content-range'])
  const length = headers['content-length']
  return part !== undefined && (length === undefined || Number(length) === part.last - part.first + 1)
}

/** Whether the rest has the validator and size of the beginning. */
export function isSameFile(beginning: OpenedFile['headers'], rest: OpenedFile['headers']): boolean {
  const { etag, 'last-modified': modified } = beginning
  // a response to If-Range must repeat the entity tag, but not Last-Modified (RFC 9110, 15.3.7)
  if (rest.etag !== etag) return false
  if (rest['last-modified'] !== undefined && rest['last-modified'] !== modified) return false
  return total(beginning) === total(rest)
}

function total(headers: OpenedFile['headers']): number | undefined {
  const range = headers['content-range']
  return range === undefined ? Number(headers['content-length']) : parseContentRange(range)?.total
}
