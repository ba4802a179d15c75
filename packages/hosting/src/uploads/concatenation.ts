import { HostingError } from '@tidegate/protocol'
import { HOSTED_ID } from '@tidegate/storage'
import type { HostedRow } from '../hosted-store.js'
import { HOSTING_LIMITS, type HostingLimits } from '../limits.js'
import { lostBytes, tooLarge } from '../refusals.js'
import { UploadLock } from './lock.js'
import { type PartTools, PartWriter } from './part-writer.js'
import type { Uploader } from './upload-store.js'

/** Whether an upload joins partial ones. */
export function isFinal({ concat }: Pick<HostedRow, 'concat'>): boolean {
  return concat !== null && concat !== 'partial'
}

/** Returns the Upload-Concat header of a response. */
export function concatHeader(concat: string | null, urlOf: (id: string) => string): string {
  return concat === null || concat === 'partial' ? 'partial' : `final;${concat.split(' ').map(urlOf).join(' ')}`
}

/** Returns the ids of the partial uploads of a final one; undefined for other Upload-Concat headers. Throws HostingError. */
export function partialsOf(header: string | null): string[] | undefined {
  if (!header?.startsWith('final;')) return undefined
  const ids = header
    .slice('final;'.length)
    .trim()
    .split(/ +/)
    .map((url) => url.split(/[?#]/)[0]?.split('/').at(-1) ?? '')
  const { partials: most } = HOSTING_LIMITS.hosting
  if (ids.length > most || new Set(ids).size < ids.length || !ids.every((id) => HOSTED_ID.test(id)))
    throw new HostingError('UPLOAD_INVALID', `Upload-Concat must name 1 to ${most} different partial uploads.`)
  return ids
}

/**
 * Joins complete partial uploads into one file, which is completed before it returns. The bytes pass through memory chunk by
 * chunk, until the signal aborts. A repeated call continues after the durable bytes.
 * @throws HostingError, StateError, or the error of the backend
 */
export async function concatenate(
  partials: readonly string[],
  tools: PartTools,
  limits: HostingLimits,
  { owner, metadata }: Uploader,
  id: string,
  signal?: AbortSignal,
): Promise<HostedRow> {
  const { store } = tools
  if (!(await store.find(id))) {
    const createdAt = Date.now()
    const row = { id, owner, metadata, concat: partials.join(' '), createdAt, expiresAt: createdAt + limits.lifetime }
    const refused = await store.join(row, partials, { files: HOSTING_LIMITS.hosting.files, bytes: limits.maxFile })
    if (refused && refused !== 'exists') throw refusal(refused, limits)
  }
  const lock = new UploadLock(store, id)
  let isStopped = false
  await lock.acquire(() => {
    isStopped = true
  })
  try {
    const file = await store.find(id)
    if (file?.completedAt === null)
      await PartWriter.write(file, lock, tools, {
        bytes: joined(file, tools, () => isStopped || signal?.aborted === true),
        stop: () => {
          isStopped = true
        },
      })
  } finally {
    await lock.release()
  }
  const file = await store.find(id)
  if (file && file.completedAt !== null) return file
  throw new HostingError('UPLOAD_LOCKED', 'These partial uploads are not joined yet. Try again in a moment.')
}

/** Yields the bytes of the partial uploads of a file after its durable bytes. Throws HostingError if some are missing. */
async function* joined(
  { id, concat, received }: HostedRow,
  { store, backend }: PartTools,
  isStopped: () => boolean,
): AsyncGenerator<Uint8Array> {
  let skipped = received
  for (const partial of (concat as string).split(' ')) {
    const row = await store.find(partial)
    if (row?.final !== id) throw lostBytes()
    const start = Math.min(skipped, row.size)
    skipped -= start
    let left = row.size - start
    if (left === 0) continue
    for await (const chunk of await backend.read(row, start, row.size - 1)) {
      if (isStopped()) return
      yield chunk as Uint8Array
      left -= (chunk as Uint8Array).length
    }
    if (left > 0) throw lostBytes()
  }
}

function refusal(refused: 'files' | 'bytes' | 'partials', limits: HostingLimits): HostingError {
  if (refused === 'files') return new HostingError('UPLOAD_QUOTA', 'This publisher may not have more files.')
  return refused === 'bytes'
    ? tooLarge(limits)
    : new HostingError('UPLOAD_INVALID', 'Each partial upload must be complete, and used by no other upload.')
}
