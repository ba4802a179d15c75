import { rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Context } from '../context.js'
import type { TidegateError } from '../errors.js'
import { fileChanged, type Hosted, type UploadOptions, upload } from '../upload/upload.js'
import { newIdempotencyKey } from '../upload/upload-calls.js'
import { FileSource } from './file-source.js'
import { lockOf } from './lock.js'
import { readBeside, replaceFile } from './safe-files.js'

export interface FileUploadOptions extends Omit<UploadOptions, 'resume' | 'idempotencyKey'> {
  /**
   * A file that records the upload, so that a later call resumes it, whatever has ended the
   * process. It stays when the upload is complete: remove it once the file is published. It holds the id, a secret.
   */
  resume?: string
}

/** Maximum bytes of the file of `resume`: an id, a URL and a path. */
const NOTES = 65_536

/** What the file of `resume` says. */
interface Notes {
  /** Missing until the provider has told it. */
  id?: string
  idempotencyKey: string
  url: string
  path: string
  version: string
}

/**
 * Uploads a file of this machine to a provider that hosts files. The provider's SHA-256 is compared with that of the
 * file, also of what an earlier call has sent. At most one part of it is in memory.
 *
 * Throws TidegateError as `upload` does, and `NO_FILE`, `NOT_READABLE`, `FILE_CHANGED` (while it was uploaded: what was
 * sent is deleted), `BUSY` (another process is working on it); errors of the file system about `resume`.
 *
 * @example
 * const { object } = await uploadFile(tidegate.context, './tides.csv', { resume: './tides.csv.upload' })
 */
export async function uploadFile(
  context: Context,
  path: string,
  { resume, ...options }: FileUploadOptions = {},
): Promise<Hosted> {
  const lock = resume === undefined ? undefined : await lockOf(`${resume}.lock`)
  try {
    const source = await FileSource.open(path)
    try {
      const about = { url: context.url, path: resolve(path), version: source.version }
      const known = earlier(resume, about)
      const idempotencyKey = known?.idempotencyKey ?? newIdempotencyKey()
      // before the provider is asked: the process may be killed before its answer is noted
      if (resume !== undefined && !known)
        replaceFile(resume, JSON.stringify({ idempotencyKey, ...about } satisfies Notes))
      const hosted = await upload(context, source, {
        name: basename(path),
        ...options,
        ...{ idempotencyKey, ...(known?.id === undefined ? {} : { resume: known.id }) },
        onBegun: async (id) => {
          if (resume !== undefined)
            replaceFile(resume, JSON.stringify({ id, idempotencyKey, ...about } satisfies Notes))
          await options.onBegun?.(id)
        },
      })
      if (hosted.sha256 !== (await source.digest())) throw fileChanged()
      return hosted
    } catch (error) {
      // it cannot be resumed
      if (resume !== undefined && (error as TidegateError).code === 'FILE_CHANGED') await rm(resume, { force: true })
      throw error
    } finally {
      await source.close()
    }
  } finally {
    await lock?.release()
  }
}

/** The upload to resume: none if the file has been replaced or changed. */
function earlier(
  resume: string | undefined,
  about: Omit<Notes, 'id' | 'idempotencyKey'>,
): Pick<Notes, 'id' | 'idempotencyKey'> | undefined {
  if (resume === undefined) return undefined
  try {
    const notes = JSON.parse(readBeside(resume, NOTES)) as Notes
    const { id, idempotencyKey } = notes
    const isSame = notes.url === about.url && notes.path === about.path && notes.version === about.version
    const isWhole = (id === undefined || isToken(id)) && isToken(idempotencyKey)
    return isSame && isWhole ? { idempotencyKey, ...(id === undefined ? {} : { id }) } : undefined
  } catch {
    return undefined
  }
}

function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]{1,200}$/.test(value)
}
