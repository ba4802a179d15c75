import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { pause, pauseBefore, retriesAfter } from '../http/retry.js'
import { LIMITS } from '../limits.js'
import { assertFileName } from '../publishing/file-names.js'
import { type Hosted, newIdempotencyKey, uploadCalls } from './upload-calls.js'

export type { Hosted } from './upload-calls.js'

/** A Blob, a File, or another source of known size that is read in parts. */
export interface UploadSource {
  readonly size: number
  readonly name?: string
  readonly type?: string
  /** Returns the bytes from `start` to before `end`. */
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> }
}

export interface UploadProgress {
  /** Bytes that the provider has acknowledged. */
  sent: number
  total: number
  /** Number of resumptions. */
  resumed: number
}

export interface UploadOptions {
  /** Public name of the file, which may be a relative path such as `2026/tides.csv`. Default: a File's own. */
  name?: string
  /** Whether the file gets no name: buyers then see its number. */
  anonymous?: boolean
  /** Media type. Default: a Blob's own. */
  contentType?: string
  /** Called with the stored bytes: at the start, after each part, and after a resumption. */
  onProgress?: (progress: UploadProgress) => void
  /** Id of an earlier upload of the same bytes. An expired one restarts. */
  resume?: string
  /** Key that lets a later call find this upload if the first response was lost. Default: random. */
  idempotencyKey?: string
  /** Called with the id of the new upload: a secret, and the later value of `resume`. */
  onBegun?: (id: string) => void | Promise<void>
  /** Most retries in a row; 10 by default. */
  retries?: number
  signal?: AbortSignal
}

/**
 * Uploads a file to a provider that hosts files, by the tus protocol: in parts with a checksum each, one of them in memory
 * at a time. Repeats a failed part from the provider's offset. An interrupted upload can be resumed (`resume`) until it
 * expires. A repeated creation finds the upload whose response was lost.
 *
 * Throws TidegateError: the provider's refusal (`HOSTING_OFF`, `NOT_A_PUBLISHER`, `UPLOAD_QUOTA`, `UPLOAD_TOO_LARGE`,
 * `HOSTING_FULL`, …), `BAD_NAME`, `FILE_CHANGED` if the source was changed or cannot be read, `NO_WALLET`, `UNREACHABLE`, `TIMEOUT`; the
 * signal's own reason if it is aborted.
 *
 * @example
 * const { object } = await upload(context, file)
 * await publish(context, { files: [object], name: 'Tide tables', price: 'free' })
 */
export async function upload(context: Context, source: UploadSource, options: UploadOptions = {}): Promise<Hosted> {
  const { name = source.name, anonymous = false } = options
  const named = anonymous || !name ? {} : { name: assertFileName(name) }
  const filename = named.name?.replace(/^.*\//s, '')
  const hosted = await sendFile(context, source, { ...options, filename }, (calls, id) => calls.hosted(id, source.size))
  return { ...hosted, object: { ...hosted.object, ...named } }
}

interface SendOptions extends UploadOptions {
  filename: string | undefined
  isPublic?: true
}

/** Sends a file in parts until it is complete. Returns the result of `complete`. */
export async function sendFile<T>(
  context: Context,
  source: UploadSource,
  options: SendOptions,
  complete: (calls: ReturnType<typeof uploadCalls>, id: string) => Promise<T>,
): Promise<T> {
  const { onProgress, retries = LIMITS.retries, signal = new AbortController().signal } = options
  const { filename, contentType = source.type, isPublic } = options
  const { size: total } = source
  const calls = uploadCalls(context, signal)
  let id = options.resume
  let key = options.idempotencyKey ?? newIdempotencyKey()
  let offset: number | undefined
  let [furthest, failures, resumed] = [-1, 0, 0]
  let part: number = LIMITS.part.first
  for (;;) {
    try {
      signal.throwIfAborted()
      if (id === undefined) {
        ;({ id, offset } = await calls.create(total, { filename, filetype: contentType, public: isPublic }, key))
        await options.onBegun?.(id)
      }
      offset ??= await calls.offset(id, total)
      // a provider that goes back again and again uses up the retries
      if (offset > furthest) failures = 0
      furthest = Math.max(furthest, offset)
      onProgress?.({ sent: offset, total, resumed })
      if (offset === total) return await complete(calls, id)
      const bytes = await read(source, offset, Math.min(offset + part, total))
      const began = Date.now()
      offset = await calls.append(id, offset, bytes)
      if (Date.now() - began < LIMITS.partFast) part = Math.min(2 * part, LIMITS.part.largest)
    } catch (error) {
      signal.throwIfAborted()
      const { code, status } = error as Partial<TidegateError>
      if (id !== undefined && id === options.resume && furthest < 0 && status === 404) {
        id = undefined
        key = newIdempotencyKey()
        continue
      }
      // a changed file cannot be completed, and counts in the publisher's quota
      if (code === 'FILE_CHANGED' && id !== undefined) await calls.remove(id).catch(() => undefined)
      failures += 1
      // a proxy may accept only smaller parts
      const most = status === 413 && code === 'HTTP_ERROR' ? retries : retriesAfter(error, id !== undefined, retries)
      if (failures > most) throw error
      await pause(pauseBefore(failures, error), signal)
      part = Math.max(part / 2, LIMITS.part.least)
      offset = undefined
      if (id !== undefined) resumed += 1
    }
  }
}

async function read(source: UploadSource, start: number, end: number): Promise<ArrayBuffer> {
  try {
    const bytes = await source.slice(start, end).arrayBuffer()
    if (bytes.byteLength === end - start) return bytes
  } catch (error) {
    if (error instanceof TidegateError) throw error
    throw fileChanged(error)
  }
  throw fileChanged()
}

export function fileChanged(cause?: unknown): TidegateError {
  return new TidegateError('FILE_CHANGED', 'The file changed during the upload, or cannot be read.', { cause })
}
