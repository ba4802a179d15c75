import { webLink } from '@tidegate/protocol/asset'
import { fieldsOf, listOf } from '@tidegate/protocol/values'
import type { Context } from '../context.js'
import { provenOften } from '../download/proof.js'
import { TidegateError } from '../errors.js'
import type { Answer } from '../http/answer.js'
import { asOwn } from '../http/api.js'
import { boundedText } from '../http/body.js'
import { deadline, tooSlow } from '../http/deadline.js'
import { LIMITS } from '../limits.js'

/** A file that the provider hosts. */
export interface Hosted {
  /** A secret: anyone who knows it can publish the file. */
  id: string
  /** Bytes. */
  size: number
  /** SHA-256 of the provider's bytes, as hex. */
  sha256: string
  /** The storage object for `publish`. */
  object: { type: 'hosted'; id: string; name?: string }
}

/** A hosted file of the account, with the assets that use it. */
export interface UsedFile extends Hosted {
  /** DIDs of the first assets. */
  assets: string[]
}

/** Metadata of a new upload; true for a key without a value. */
type Facts = Record<string, string | true | undefined>

const PATH = '/api/services/uploads'

interface Call {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  id?: string
  /** The id that a page of a list follows; '' for the first one. */
  after?: string
  headers?: Record<string, string>
  body?: ArrayBuffer
}

/** Sends one tus request with its own proof, and reads the response. */
async function sendProven<T>(
  context: Context,
  signal: AbortSignal,
  { method, id, after, ...rest }: Call,
  read: (response: Answer) => T | Promise<T>,
): Promise<T> {
  const path = id === undefined ? PATH + (after ? `?after=${encodeURIComponent(after)}` : '') : `${PATH}/${id}`
  const { partTime: timeout } = LIMITS
  const limit = deadline(signal, timeout, tooSlow(timeout))
  try {
    const response = await provenOften(
      context,
      method === 'GET' || method === 'HEAD' ? 'listUploads' : 'upload',
      (shown, proof) => {
        const headers = { 'tus-resumable': '1.0.0', ...rest.headers, ...shown, ...proof }
        return context.api.send({ method, path, ...rest, headers, timeout, signal: limit.signal })
      },
      limit.signal,
    )
    try {
      return await read(response)
    } finally {
      response.body?.cancel().catch(() => undefined)
    }
  } catch (error) {
    // a body may break off
    throw limit.signal.aborted ? limit.signal.reason : asOwn(error)
  } finally {
    limit.end()
  }
}

/** The requests of tus 1.0. They throw TidegateError, or the reason of an aborted signal. */
export function uploadCalls(context: Context, signal: AbortSignal) {
  const call = <T>(request: Call, read: (response: Answer) => T | Promise<T>) =>
    sendProven(context, signal, request, read)

  return {
    /** Begins an upload, or finds it again by the idempotency key if the first response was lost. Returns its id and offset. */
    create(size: number, facts: Facts, idempotencyKey: string): Promise<{ id: string; offset: number }> {
      // only the id is used: no proof goes to the URL of a response
      return call({ method: 'POST', headers: creationHeaders(size, facts, idempotencyKey) }, (response) => ({
        id: matched(/\/([\w-]{1,200})$/, response.headers.get('location')),
        offset: offsetOf(response.headers.get('upload-offset') ?? '0', size),
      }))
    },

    /** Returns the offset of an upload of `size` bytes. Throws with status 404 if there is no such upload. */
    async offset(id: string, size: number): Promise<number> {
      return call({ method: 'HEAD', id: matched(/^([\w-]{1,200})$/, id) }, ({ headers }) => {
        if (headers.get('upload-length') !== String(size)) throw gone()
        return offsetOf(headers.get('upload-offset'), size)
      }).catch((error) => {
        // a response to HEAD has no body
        throw error.status === 404 ? gone() : error
      })
    },

    /** Sends a part. Returns the new offset. */
    async append(id: string, offset: number, body: ArrayBuffer): Promise<number> {
      // a page without TLS cannot compute a digest
      const digest = await globalThis.crypto?.subtle?.digest('SHA-256', body)
      const headers = {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
        ...(digest ? { 'upload-checksum': `sha256 ${base64(new Uint8Array(digest))}` } : {}),
      }
      return call({ method: 'PATCH', id, headers, body }, (response) => {
        const now = Number(response.headers.get('upload-offset'))
        if (now !== offset + body.byteLength) throw unreadable()
        return now
      })
    },

    /** Returns a complete file. */
    hosted: (id: string, size: number): Promise<Hosted> =>
      call({ method: 'GET', id }, async (response) => {
        const { sha256 } = fieldsOf(parsed(await boundedText(response, LIMITS.refusal)))
        const digest = matched(/^([0-9a-f]{64})$/, sha256)
        return { id, size, sha256: digest, object: { type: 'hosted', id } }
      }),

    /** Returns the URL and the SHA-256 of a complete public file. */
    published: (id: string): Promise<{ url: string; sha256: string }> =>
      call({ method: 'GET', id }, async (response) => {
        const { publicUrl, sha256 } = fieldsOf(parsed(await boundedText(response, LIMITS.refusal)))
        const link = webLink(context.url, publicUrl)
        if (!link) throw new TidegateError('UNSUPPORTED', 'This provider hosts no public files.')
        return { url: link.url, sha256: matched(/^([0-9a-f]{64})$/, sha256) }
      }),

    /** Returns a page of the account's files, by their ids, and the id that the next page follows. Skips files that are not complete. */
    page: (after: string): Promise<{ files: UsedFile[]; next: string | undefined }> =>
      call({ method: 'GET', after }, async (response) => {
        const { uploads, next } = fieldsOf(parsed(await boundedText(response, LIMITS.answer)))
        return { files: listOf(uploads, LIMITS.uploads).flatMap(usedFile), next: nextOf(next, after) }
      }),

    /** Deletes a file that no asset uses. */
    remove: (id: string): Promise<void> => call({ method: 'DELETE', id }, () => undefined),
  }
}

function creationHeaders(size: number, facts: Facts, idempotencyKey: string) {
  const metadata = Object.entries(facts).flatMap(([key, value]) => {
    if (value === true) return [key]
    return value ? [`${key} ${base64(new TextEncoder().encode(value))}`] : []
  })
  return {
    'upload-length': String(size),
    'idempotency-key': idempotencyKey,
    ...(metadata.length > 0 ? { 'upload-metadata': metadata.join() } : {}),
  }
}

/** Returns a random key for one creation. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Reads an entry of a list; none for an upload that is not complete, and for a public file. */
function usedFile(entry: unknown): UsedFile[] {
  const { id, size, sha256, object, assets } = fieldsOf(entry)
  if (typeof sha256 !== 'string' || !object || !Number.isSafeInteger(size)) return []
  const own = matched(/^([\w-]{1,200})$/, id)
  const dids = listOf(assets, LIMITS.uploads).filter((did) => typeof did === 'string')
  const digest = matched(/^([0-9a-f]{64})$/, sha256)
  return [{ id: own, size: size as number, sha256: digest, object: { type: 'hosted', id: own }, assets: dids }]
}

/** Returns the id that a next page follows, beyond that of this one: a list ends. */
function nextOf(next: unknown, after: string): string | undefined {
  if (next === undefined) return undefined
  const id = matched(/^([\w-]{1,200})$/, next)
  if (id <= after) throw unreadable()
  return id
}

function offsetOf(value: string | null, size: number): number {
  const offset = Number(matched(/^(\d{1,15})$/, value))
  if (offset > size) throw unreadable()
  return offset
}

function matched(pattern: RegExp, value: unknown): string {
  const [, found] = pattern.exec(typeof value === 'string' ? value : '') ?? []
  if (found === undefined) throw unreadable()
  return found
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable()
  }
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function unreadable(): TidegateError {
  return new TidegateError('BAD_ANSWER', "The provider's response is not that of an upload.")
}

function gone(): TidegateError {
  return new TidegateError('UPLOAD_NOT_FOUND', 'The provider has no such upload, or none of this size.', {
    status: 404,
  })
}
