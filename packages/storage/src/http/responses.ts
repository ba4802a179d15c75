import { areDecodable, contentCodings, withoutCoding } from '../egress/content-codings.js'
import { discard, type EgressResponse } from '../egress/egress.js'
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

/** Whether a response holds a part of the coded form of a file. */
export function isCodedPart({ response: { status, headers } }: Sent): boolean {
  return status === 206 && contentCodings(headers).length > 0
}

/** Returns the headers of a response that describe its file. */
export function passedHeaders(upstream: EgressResponse['headers']): OpenedFile['headers'] {
  const passed: OpenedFile['headers'] = {}
  for (const name of PASSED_HEADERS) {
    const [value, ...others] = [upstream[name] ?? []].flat()
    // several that agree are one; which one holds, if they differ, nobody knows
    if (value !== undefined && others.every((other) => other === value)) passed[name] = value
  }
  return passed
}

/** Throws StorageError unless the storage delivered what was requested. */
export function assertDelivered(requestHeaders: Record<string, string>, response: EgressResponse): void {
  const { status, headers, body } = response
  const isExpected = ACCEPTED_STATUS.has(status) && isExpectedResponse(requestHeaders, status, passedHeaders(headers))
  if (isExpected && !isUndecodable(response)) return
  discard(body)
  const reason = isExpected ? 'unsupported' : reasonOf(status)
  throw notDelivered(reason, status)
}

/** Returns a response without body as it would be without content codings. */
export function asDecoded(response: EgressResponse): EgressResponse {
  if (contentCodings(response.headers).length === 0) return response
  return { ...response, headers: withoutCoding(response.headers) }
}

/** Whether a body cannot be decoded: by its coding, or since it is a part of the coded form. */
function isUndecodable({ status, headers }: EgressResponse): boolean {
  const codings = contentCodings(headers)
  return (status === 200 || status === 206) && codings.length > 0 && (status === 206 || !areDecodable(codings))
}

/** Returns the media type of a Content-Type, without parameters. */
export function mediaType(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.split(';')[0]?.trim() : undefined
}
