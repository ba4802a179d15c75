import { PassThrough, Readable } from 'node:stream'
import { Client, enterPassiveModeIPv6 } from 'basic-ftp'
import { z } from 'zod'
import { StorageError } from '../errors.js'
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
  /** Logs in and finds the size. The caller must close the client. */
  async function connect(text: string, asking: Asking): Promise<{ client: Client; path: string; size: number }> {
    const url = new URL(text)
    const { address, port, connectTimeout } = await egress.pinned(url, 21, asking)
    const client = new Client(connectTimeout)
    // the data connection goes to the very address that was checked, whatever the server says
    client.prepareTransfer = enterPassiveModeIPv6
    try {
      await client.access({
        host: address,
        port,
        user: decodeURIComponent(url.username) || 'anonymous',
        password: decodeURIComponent(url.password) || 'anonymous@',
        ...(url.protocol === 'ftps:' ? { secure: true, secureOptions: { servername: url.hostname } } : {}),
      })
      const path = decodeURIComponent(url.pathname)
      return { client, path, size: await client.size(path) }
    } catch {
      client.close()
      throw refused()
    }
  }

  async function open({ url }: FtpFile, asking: OpenRequest): Promise<OpenedFile> {
    const { method, headers: asked } = asking
    const { client, path, size } = await connect(url, asking)
    const name = lastSegment(new URL(url))
    const range = byteRange(asked.range, size)
    const headers: OpenedFile['headers'] = { 'accept-ranges': 'bytes' }
    if (range === 'unsatisfiable' || method === 'HEAD') client.close()
    if (range === 'unsatisfiable')
      return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: Readable.from([]) }
    const { start, end } = range ?? { start: 0, end: size - 1 }
    headers['content-length'] = String(end - start + 1)
    if (range) headers['content-range'] = `bytes ${start}-${end}/${size}`
    const body = method === 'HEAD' ? Readable.from([]) : transfer(client, path, start, end - start + 1)
    return { status: range ? 206 : 200, headers, body, ...(name ? { name } : {}) }
  }

  return {
    type: 'ftp',
    schema: ftpFile,
    open,
    async describe({ url }, asking): Promise<FileDescription> {
      try {
        const { client, size } = await connect(url, asking)
        client.close()
        const name = lastSegment(new URL(url))
        return { valid: true, contentLength: size, ...(name ? { name } : {}) }
      } catch (error) {
        if (error instanceof StorageError) return { valid: false }
        throw error
      }
    },
  }
}

/** The bytes from `start` on, `length` of them: the protocol can begin anywhere, but only end at the end. */
function transfer(client: Client, path: string, start: number, length: number): Readable {
  let left = length
  const body = new PassThrough({
    transform(chunk: Buffer, _encoding, done) {
      const wanted = chunk.subarray(0, left)
      left -= wanted.length
      if (wanted.length > 0) this.push(wanted)
      if (left === 0) {
        this.push(null)
        client.close()
      }
      done()
    },
  })
  body.once('close', () => client.close())
  client.downloadTo(body, path, start).then(
    () => left > 0 && body.destroy(refused()),
    () => left > 0 && body.destroy(refused()),
  )
  return body
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

function refused(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The storage of this file did not hand it out.')
}
