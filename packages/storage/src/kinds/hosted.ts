import { Readable } from 'node:stream'
import { abortSignal } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import * as z from 'zod'
import { matchesIfNoneMatch } from '../http/entity-tags.js'
import { byteRange } from '../http/ranges.js'
import type { OpenedFile, OpenRequest, Storage } from '../storage.js'
import type { HostedFile, StorageTools } from './tools.js'

/** Ids of hosted files: 32 random bytes as base64url. */
export const HOSTED_ID = /^[\w-]{43}$/

const hostedFile = z.object({
  type: z.literal('hosted'),
  id: z.string().regex(HOSTED_ID, 'must be the id of a hosted file'),
})

export type HostedObject = z.infer<typeof hostedFile>

/** Creates the storage for files that this service hosts. */
export function hostedStorage({ hosted }: StorageTools): Storage<HostedObject> {
  return {
    type: 'hosted',
    schema: hostedFile,
    async open({ id }, request) {
      const file = await hosted?.(id)
      if (!file) throw missing()
      return openHosted(file, request)
    },
    async describe({ id }) {
      const file = await hosted?.(id)
      if (!file) return { valid: false, reason: 'not_found' }
      const { size: contentLength, contentType, sha256, name } = file
      return { valid: true, contentLength, contentType, sha256, ...(name ? { name } : {}) }
    },
  }
}

/** Opens a hosted file, or a range of it, under the conditions of a request. Throws StorageError. */
export async function openHosted(
  file: HostedFile,
  { method, headers: asked, signal }: Pick<OpenRequest, 'method' | 'headers' | 'signal'>,
): Promise<OpenedFile> {
  const { size, name } = file
  const etag = `"${file.sha256}"` // the hash identifies the content
  if (matchesIfNoneMatch(asked['if-none-match'], etag))
    return { status: 304, headers: { etag }, body: Readable.from([]) }
  const range = isSame(asked['if-range'], etag) ? byteRange(asked.range, size) : undefined
  if (range === 'unsatisfiable')
    return { status: 416, headers: { etag, 'content-range': `bytes */${size}` }, body: Readable.from([]) }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const headers: OpenedFile['headers'] = {
    etag,
    'accept-ranges': 'bytes',
    'content-type': file.contentType,
    'content-length': String(end - start + 1),
    'repr-digest': digestOf(file),
  }
  if (range) headers['content-range'] = `bytes ${start}-${end}/${size}`
  const body = method === 'HEAD' || size === 0 ? Readable.from([]) : await read(file, start, end, abortSignal(signal))
  return { status: range ? 206 : 200, headers, body, hostedBy: file.owner, ...(name ? { name } : {}) }
}

/** Returns the digest of the whole file (RFC 9530), also for a range. */
function digestOf({ sha256 }: HostedFile): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`
}

function isSame(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange === etag
}

/** Opens a range. The signal closes the file in any state. */
async function read(file: HostedFile, start: number, end: number, signal: AbortSignal): Promise<Readable> {
  const body = await file.read(start, end, signal).catch(() => {
    throw new StorageError('STORAGE_REFUSED', 'The hosted file cannot be read.')
  })
  const leave = () => body.destroy()
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  body.once('close', () => signal.removeEventListener('abort', leave))
  return body
}

function missing(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'There is no such hosted file.', 'not_found')
}
