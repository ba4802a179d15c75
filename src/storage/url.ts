import { z } from 'zod'
import { StorageError } from '../errors.js'
import { discard, type EgressResponse } from './egress.js'
import type { FileDescription, OpenedFile, OpenRequest, Storage, StorageTools, UserData } from './storage.js'

/** Headers that a descriptor may not set: they belong to the connection, not to the file. */
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

const headers = z.record(
  z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'holds an invalid header name')
    .refine((name) => !FORBIDDEN_HEADERS.has(name.toLowerCase()), 'holds a header that may not be set'),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'holds an invalid header value'),
)

const urlFile = z.object({
  type: z.literal('url'),
  url: z.string().refine(isFileUrl, 'must be an http(s) URL without user info'),
  method: z
    .string()
    .default('GET')
    .transform((method) => method.toUpperCase())
    .pipe(z.enum(['GET', 'POST'], 'must be GET or POST')),
  headers: z
    .union([headers, z.array(z.never()).max(0)], 'must be an object of header names and values')
    .nullish()
    // some clients send an empty array where they have no headers
    .transform((value) => lowerCased(Array.isArray(value) ? {} : (value ?? {}))),
})

export type UrlFile = z.infer<typeof urlFile>

const PASSED_HEADERS = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
] as const
const GOOD_STATUS = new Set([200, 206, 304, 416])

/** Files at an http(s) URL. */
export function urlStorage({ egress }: StorageTools): Storage<UrlFile> {
  const send = (file: UrlFile, method: 'GET' | 'HEAD' | 'POST', extra: Record<string, string>, userdata?: UserData) =>
    egress.request({
      url: method === 'POST' ? file.url : withQuery(file.url, userdata),
      method,
      headers: { ...(method === 'POST' && userdata ? JSON_BODY : {}), ...extra, ...file.headers },
      secret: new Set(Object.keys(file.headers)),
      body: method === 'POST' && userdata ? JSON.stringify(userdata) : undefined,
    })

  async function open(file: UrlFile, request: OpenRequest): Promise<OpenedFile> {
    const method = request.method === 'HEAD' && file.method === 'GET' ? 'HEAD' : file.method
    return opened(await send(file, method, request.headers, request.userdata))
  }

  async function describe(file: UrlFile, userdata?: UserData): Promise<FileDescription> {
    if (file.method === 'GET') {
      const head = await describeWith(() => send(file, 'HEAD', {}, userdata))
      if (head.valid && head.contentLength !== undefined) return head
    }
    // a server that does not do HEAD, or does not tell the length: begin to fetch, and read the headers alone
    return describeWith(() => send(file, file.method, file.method === 'GET' ? { range: 'bytes=0-0' } : {}, userdata))
  }

  return { type: 'url', schema: urlFile as unknown as z.ZodType<UrlFile>, open, describe }
}

const JSON_BODY = { 'content-type': 'application/json' }

/** The URL with the consumer's values in the query. What the publisher put there stays as it is. */
function withQuery(text: string, userdata: UserData | undefined): string {
  if (!userdata) return text
  const url = new URL(text)
  const own = new Set(url.searchParams.keys())
  for (const [name, value] of Object.entries(userdata)) {
    if (!own.has(name)) url.searchParams.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return url.href
}

function opened({ status, headers: upstream, body, url }: EgressResponse): OpenedFile {
  // a coded body is not the file, although identity was asked for
  if (!GOOD_STATUS.has(status) || isCoded(upstream)) {
    discard(body)
    throw new StorageError('STORAGE_REFUSED', 'The storage of this file did not hand it out.')
  }
  const passed: OpenedFile['headers'] = {}
  for (const name of PASSED_HEADERS) {
    const value = upstream[name]
    if (typeof value === 'string') passed[name] = value
  }
  const name = suggestedName(upstream['content-disposition']) ?? lastSegment(url)
  return { status: status as OpenedFile['status'], headers: passed, body, ...(name ? { name } : {}) }
}

async function describeWith(request: () => Promise<EgressResponse>): Promise<FileDescription> {
  let response: EgressResponse
  try {
    response = await request()
  } catch (error) {
    if (error instanceof StorageError) return { valid: false }
    throw error
  }
  discard(response.body)
  const { status, headers: upstream, url } = response
  if ((status !== 200 && status !== 206) || isCoded(upstream)) return { valid: false }
  const total = /\/(\d+)$/.exec(String(upstream['content-range'] ?? ''))?.[1]
  const length = status === 206 ? total : upstream['content-length']
  const contentType = mediaType(upstream['content-type'])
  const name = lastSegment(url)
  return {
    valid: true,
    ...(typeof length === 'string' && /^\d+$/.test(length) ? { contentLength: Number(length) } : {}),
    ...(contentType ? { contentType } : {}),
    ...(name ? { name } : {}),
  }
}

function isCoded(headers: EgressResponse['headers']): boolean {
  const coding = headers['content-encoding']
  return coding !== undefined && String(coding).toLowerCase() !== 'identity' && coding !== ''
}

function mediaType(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.split(';')[0]?.trim() : undefined
}

/** The file name that the storage proposes (RFC 6266, the RFC 8187 form first). */
function suggestedName(disposition: string | string[] | undefined): string | undefined {
  if (typeof disposition !== 'string') return undefined
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  if (extended) return decoded(extended)
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition)
  return plain ? (plain[1]?.replace(/\\(.)/g, '$1') ?? plain[2]) : undefined
}

/** The last path segment where it looks like a file name; an opaque one may be a secret and is not told. */
function lastSegment(url: URL): string | undefined {
  const segment = decoded(url.pathname.split('/').at(-1) ?? '')
  return segment && /.\.[A-Za-z0-9]{1,10}$/.test(segment) ? segment : undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function lowerCased(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]))
}

function isFileUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && !url.username && !url.password
}
