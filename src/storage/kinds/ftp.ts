import { Readable } from 'node:stream'
import * as z from 'zod'
import { StorageConnection } from '../egress/connection.js'
import { urlText } from '../http/descriptor.js'
import { isStorageFailure } from '../http/http-storage.js'
import { lastSegment } from '../http/naming.js'
import { byteRange } from '../http/ranges.js'
import type { FileDescription, OpenedFile, OpenRequest, RequestContext, Storage } from '../storage.js'
import { FtpSession } from './ftp/session.js'
import type { StorageTools } from './tools.js'

const ftpFile = z.object({
  type: z.literal('ftp'),
  url: urlText.refine(isFtpUrl, 'must be an ftp or ftps URL of a file, without control characters'),
})

export type FtpFile = z.infer<typeof ftpFile>

/** Creates the storage for FTP servers (ftp, or ftps with explicit TLS). User and password are part of the secret URL. */
export function ftpStorage({ egress }: StorageTools): Storage<FtpFile> {
  /** Logs in and requests the size of the file. The caller must close the session. */
  async function login(
    text: string,
    context: RequestContext,
  ): Promise<{ session: FtpSession; path: string; size: number }> {
    const url = new URL(text)
    const session = await FtpSession.login(url, await StorageConnection.to(url, 21, egress, context))
    const path = decodeURIComponent(url.pathname)
    return { session, path, size: await session.size(path) }
  }

  async function open({ url }: FtpFile, context: OpenRequest): Promise<OpenedFile> {
    const { method, headers: requested } = context
    const { session, path, size } = await login(url, context)
    const name = lastSegment(new URL(url))
    const range = byteRange(requested.range, size)
    const headers: OpenedFile['headers'] = { 'accept-ranges': 'bytes' }
    const noBody = range === 'unsatisfiable' || method === 'HEAD' || size === 0
    if (noBody) session.close()
    if (range === 'unsatisfiable')
      return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: Readable.from([]) }
    const { start, end } = range ?? { start: 0, end: size - 1 }
    headers['content-length'] = String(end - start + 1)
    if (range) headers['content-range'] = `bytes ${start}-${end}/${size}`
    const body = noBody ? Readable.from([]) : await session.read(path, start, end - start + 1)
    return { status: range ? 206 : 200, headers, body, ...(name ? { name } : {}) }
  }

  return {
    type: 'ftp',
    schema: ftpFile,
    open,
    async describe({ url }, context): Promise<FileDescription> {
      try {
        const { session, size } = await login(url, context)
        session.close()
        const name = lastSegment(new URL(url))
        return { valid: true, contentLength: size, ...(name ? { name } : {}) }
      } catch (error) {
        if (isStorageFailure(error)) return { valid: false, reason: error.reason }
        throw error
      }
    },
  }
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
