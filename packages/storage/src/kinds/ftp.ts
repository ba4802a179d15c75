import { Readable } from 'node:stream'
import * as z from 'zod'
import { StorageConnection } from '../egress/connection.js'
import { discard, type Egress } from '../egress/egress.js'
import { describeDelivered } from '../http/describe-delivered.js'
import { urlText } from '../http/descriptor.js'
import { parseContentRange } from '../http/framing.js'
import { lastSegment } from '../http/naming.js'
import { byteRange } from '../http/ranges.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { FileDescription, OpenedFile, OpenRequest, RequestContext, Storage } from '../storage.js'
import { describeFailure } from '../storage-failures.js'
import { FtpSession } from './ftp/session.js'
import type { StorageTools } from './tools.js'

const ftpFile = z.object({
  type: z.literal('ftp'),
  url: urlText.refine(isFtpUrl, 'must be an ftp or ftps URL of a file, without control characters'),
})

export type FtpFile = z.infer<typeof ftpFile>

/** Creates the storage for FTP servers (ftp, or ftps with explicit TLS). User and password are part of the secret URL. */
export function ftpStorage({ egress }: StorageTools): Storage<FtpFile> {
  /** Opens a file. `rangeOf` returns the Range header for its size. */
  async function openPart(
    { url }: FtpFile,
    method: OpenRequest['method'],
    context: RequestContext,
    rangeOf: (size: number) => string | undefined,
  ): Promise<OpenedFile> {
    const { session, path, size } = await login(egress, url, context)
    const segment = lastSegment(new URL(url))
    const name = segment ? { name: segment } : {}
    // some servers report 0 for generated files
    if (!size) return { ...(await openUnsized(session, path, method)), ...name }
    let range = byteRange(rangeOf(size), size)
    if (range === 'unsatisfiable') {
      session.close()
      const headers = { 'accept-ranges': 'bytes', 'content-range': `bytes */${size}` }
      return { status: 416, headers, body: Readable.from([]) }
    }
    // without REST, a range request gets the whole file
    const isWhole = range !== undefined && range.start > 0 && !(await session.canStartAt(range.start))
    if (isWhole) range = undefined
    if (method === 'HEAD') session.close()
    const { start, end } = range ?? { start: 0, end: size - 1 }
    const length = end - start + 1
    const headers: OpenedFile['headers'] = {
      ...(isWhole ? {} : { 'accept-ranges': 'bytes' }),
      'content-length': String(length),
      ...(range ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
    }
    const body = method === 'HEAD' ? Readable.from([]) : await session.read(path, start, length)
    return { status: range ? 206 : 200, headers, body, ...name }
  }

  return {
    type: 'ftp',
    schema: ftpFile,
    open: (file, context) => openPart(file, context.method, context, () => context.headers.range),
    async describe(file, context): Promise<FileDescription> {
      try {
        // reads a short file, and the last byte of a long one, to verify the size
        const rangeOf = (size: number) => (size > STORAGE_LIMITS.describing.sample ? 'bytes=-1' : undefined)
        const opened = await openPart(file, 'GET', context, rangeOf)
        const described = await describeDelivered(opened, context.signal)
        const size = parseContentRange(opened.headers['content-range'])?.total
        const contentLength = size === undefined ? {} : { contentLength: size }
        return { ...described, ...contentLength, ...(opened.name ? { name: opened.name } : {}) }
      } catch (error) {
        return describeFailure(error)
      }
    },
  }
}

/** Logs in and requests the size of the file; undefined if unknown. The caller must close the session. */
async function login(egress: Egress, text: string, context: RequestContext) {
  const url = new URL(text)
  const port = url.protocol === 'ftps:' ? 990 : 21
  const session = await FtpSession.login(url, await StorageConnection.to(url, port, egress, context))
  const path = decodeURIComponent(url.pathname)
  return { session, path, size: await session.size(path) }
}

/** Opens a file of unknown size. */
async function openUnsized(session: FtpSession, path: string, method: OpenRequest['method']): Promise<OpenedFile> {
  const body = await session.read(path, 0, Number.POSITIVE_INFINITY)
  // an empty file ends before its first byte
  const headers: OpenedFile['headers'] = body.readableLength === 0 ? { 'content-length': '0' } : {}
  if (method === 'GET') return { status: 200, headers, body }
  discard(body)
  return { status: 200, headers, body: Readable.from([]) }
}

function isFtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, username, password } = new URL(text)
  if ((protocol !== 'ftp:' && protocol !== 'ftps:') || pathname.endsWith('/') || pathname === '') return false
  try {
    // a line break would start another command
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are rejected
    return ![pathname, username, password].some((part) => /[\u0000-\u001f\u007f]/.test(decodeURIComponent(part)))
  } catch {
    return false
  }
}
