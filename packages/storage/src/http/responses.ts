import { discard, type EgressResponse } from '../egress/egress.js'
import { areDecodable, contentCodings, withoutCoding } from '../egress/responses/content-codings.js'
import type { OpenedFile } from '../storage.js'
import { notDelivered } from '../storage-failures.js'
import { isExpectedResponse } from './framing.js'
import { reasonOf } from './reasons.js'

const PASSED_HEADERS = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
] as const
const ACCEPTED_STATUS = new Set([200, 206, 304, 416])

/** The headers of a request as sent, and its response. */
export interface Sent {
  requestHeaders: Record<string, string>
  response: EgressResponse
}

/** Whether a response is a part of the coded form of a file. */
export function isCodedPart({ response: { status, headers } }: Sent): boolean {
  return status === 206 && contentCodings(headers).length > 0
}

/** Returns the headers that describe the file. */
export function passedHeaders(upstream: EgressResponse['headers']): OpenedFile['headers'] {
  const passed: OpenedFile['headers'] = {}
  for (const name of PASSED_HEADERS) {
    const value = singleValue(upstream[name])
    if (value !== undefined) passed[name] = value
  }
  return passed
}

/** Returns the value of a header. Repeated equal values count as one; undefined if there are different values, or none. */
function singleValue(value: string | string[] | undefined): string | undefined {
  if (!Array.isArray(value)) return value
  return value.every((other) => other === value[0]) ? value[0] : undefined
}

/** Throws StorageError unless the response fits the request. */
export function assertDelivered(requestHeaders: Record<string, string>, response: EgressResponse): void {
  const { status, headers, body } = response
  const isExpected = ACCEPTED_STATUS.has(status) && isExpectedResponse(requestHeaders, status, passedHeaders(headers))
  if (isExpected && !isUndecodable(response)) return
  discard(body)
  const reason = isExpected ? 'unsupported' : reasonOf(status)
  throw notDelivered(reason, status)
}

/** Removes content codings from the headers of a response without body. */
export function asDecoded(response: EgressResponse): EgressResponse {
  if (contentCodings(response.headers).length === 0) return response
  return { ...response, headers: withoutCoding(response.headers) }
}

/** Whether a body cannot be decoded: an unknown coding, or a part of the coded form. */
function isUndecodable({ status, headers }: EgressResponse): boolean {
  const codings = contentCodings(headers)
  return (status === 200 || status === 206) && codings.length > 0 && (status === 206 || !areDecodable(codings))
}

/** Returns a Content-Type without parameters. */
export function mediaType(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.split(';')[0]?.trim() : undefined
}
