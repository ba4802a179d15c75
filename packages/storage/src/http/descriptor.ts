import * as z from 'zod'
import { STORAGE_LIMITS } from '../limits.js'

/** Headers of the connection, which a descriptor may not set. */
const FORBIDDEN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
])

const headerRecord = z.record(
  z
    .string()
    .max(
      STORAGE_LIMITS.files.headerName,
      `holds a header name longer than ${STORAGE_LIMITS.files.headerName} characters`,
    )
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'holds an invalid header name')
    .refine((name) => !FORBIDDEN_HEADERS.has(name.toLowerCase()), 'holds a header that may not be set'),
  z
    .string()
    .max(
      STORAGE_LIMITS.files.headerValue,
      `holds a header value longer than ${STORAGE_LIMITS.files.headerValue} characters`,
    )
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'holds an invalid header value'),
)

/** The headers of a descriptor, with names in lower case. */
export const descriptorHeaders = z
  .unknown()
  .optional()
  // counts headers before it checks each one
  .refine(
    (value) => typeof value !== 'object' || Object.keys(value ?? {}).length <= STORAGE_LIMITS.files.headers,
    `must not hold more than ${STORAGE_LIMITS.files.headers} headers`,
  )
  .pipe(z.union([headerRecord, z.array(z.never()).max(0)], 'must be an object of header names and values').nullish())
  // some clients send an empty array instead of an object
  .transform((value) => lowerCased(Array.isArray(value) ? {} : (value ?? {})))

/** A URL of bounded length, not yet parsed. */
export const urlText = z
  .string()
  .max(STORAGE_LIMITS.files.url, `must not be longer than ${STORAGE_LIMITS.files.url} characters`)

/** The http(s) URL of a file. */
export const fileUrl = urlText.refine(isFileUrl, 'must be an http(s) URL without user info')

function lowerCased(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]))
}

function isFileUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && !url.username && !url.password
}
