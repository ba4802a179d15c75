import { Readable } from 'node:stream'
import { z } from 'zod'
import { StorageConnection } from './connection.js'
import { FtpSession } from './ftp-session.js'
import { isAnswer } from './http-storage.js'
import { lastSegment } from './naming.js'
import { byteRange } from './ranges.js'
import type { Asking, FileDescription, OpenedFile, OpenRequest, Storage, StorageTools } from './storage.js'

const ftpFile = z.object({
  type: z.literal('ftp'),
  url: z.string().refine(isFtpUrl, 'must be an ftp or ftps URL of a file, without control characters'),
})

export type FtpFile = z.infer<typeof ftpFile>

/** Files on FTP servers (ftp, or ftps with explicit TLS); user and password are part of the secret URL. */
export function ftpStorage({ egress }: StorageTools): Storage<FtpFile> {
  /** Logs in and finds the size. The caller must end the session. */
  async function find(text: string, asking: Asking): Promise<{ session: FtpSession; path: string; size: number }> {
    const url = new URL(text)
    const session = await FtpSession.login(url, await StorageConnection.to(url, 21, egress, asking))
    const path = decodeURIComponent(url.pathname)
    return { session, path, size: await session.size(path) }
  }

  async function open({ url }: FtpFile, asking: OpenRequest): Promise<OpenedFile> {
    const { method, headers: asked } = asking
    const { session, path, size } = await find(url, asking)
    const name = lastSegment(new URL(url))
    const range = byteRange(asked.range, size)
    const headers: OpenedFile['headers'] = { 'accept-ranges': 'bytes' }
    const nothing = range === 'unsatisfiable' || method === 'HEAD' || size === 0
    if (nothing) session.close()
    if (range === 'unsatisfiable')
      return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: Readable.from([]) }
    const { start, end } = range ?? { start: 0, end: size - 1 }
    headers['content-length'] = String(end - start + 1)
    if (range) headers['content-range'] = `bytes ${start}-${end}/${size}`
    const body = nothing ? Readable.from([]) : await session.read(path, start, end - start + 1)
    return { status: range ? 206 : 200, headers, body, ...(name ? { name } : {}) }
  }

  return {
    type: 'ftp',
    schema: ftpFile,
    open,
    async describe({ url }, asking): Promise<FileDescription> {
      try {
        const { session, size } = await find(url, asking)
        session.close()
        const name = lastSegment(new URL(url))
        return { valid: true, contentLength: size, ...(name ? { name } : {}) }
      } catch (error) {
        if (isAnswer(error)) return { valid: false }
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
    // a line end would begin another command
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    return ![pathname, username, password].some((part) => /[\u0000-\u001f\u007f]/.test(decodeURIComponent(part)))
  } catch {
    return false
  }
}
