import { rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { readBeside, replaceFile } from '@tidegate/common/safe-files'
import type { Context } from '../context.js'
import type { TidegateError } from '../errors.js'
import { NODE_LIMITS } from '../limits.js'
import { fileChanged, type Hosted, type UploadOptions, upload } from '../upload/upload.js'
import { newIdempotencyKey } from '../upload/upload-calls.js'
import { FileSource } from './file-source.js'
import { lockOf } from './lock.js'

export interface FileUploadOptions extends Omit<UploadOptions, 'resume' | 'idempotencyKey'> {
  /**
   * Path of a file that records the upload, for a resumption after any interruption. It stays after the upload: delete it
   * after publishing. It holds the upload's id, a secret.
   */
  resume?: string
}

/** The content of the `resume` file. */
interface Notes {
  /** Missing until the provider has returned it. */
  id?: string
  idempotencyKey: string
  url: string
  path: string
  version: string
  /** Missing for an anonymous file. */
  name?: string
}

/**
 * Uploads a local file to a provider that hosts files. Compares the provider's SHA-256 with that of the whole file,
 * including parts of an earlier call. At most one part is in memory.
 *
 * Throws TidegateError like `upload`, and `NO_FILE`, `NOT_READABLE`, `FILE_CHANGED` (during the upload; the sent parts are
 * deleted), `BUSY` (another process works on it); errors of the file system about `resume`.
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
      const { name = basename(path), anonymous = false } = options
      const named = anonymous ? {} : { name }
      const about = { url: context.url, path: resolve(path), version: source.version, ...named }
      const known = earlier(resume, about)
      const idempotencyKey = known?.idempotencyKey ?? newIdempotencyKey()
      // written before the request: the process may be killed before the response
      if (resume !== undefined && !known)
        replaceFile(resume, JSON.stringify({ idempotencyKey, ...about } satisfies Notes))
      const hosted = await upload(context, source, {
        ...options,
        ...named,
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
      // a changed file cannot be resumed
      if (resume !== undefined && (error as TidegateError).code === 'FILE_CHANGED') await rm(resume, { force: true })
      throw error
    } finally {
      await source.close()
    }
  } finally {
    await lock?.release()
  }
}

/** Returns the upload to resume; undefined if the file was replaced or changed. */
function earlier(
  resume: string | undefined,
  about: Omit<Notes, 'id' | 'idempotencyKey'>,
): Pick<Notes, 'id' | 'idempotencyKey'> | undefined {
  if (resume === undefined) return undefined
  try {
    const notes = JSON.parse(readBeside(resume, NODE_LIMITS.notes)) as Notes
    const { id, idempotencyKey } = notes
    const isSame =
      notes.url === about.url &&
      notes.path === about.path &&
      notes.version === about.version &&
      notes.name === about.name
    const isWhole = (id === undefined || isToken(id)) && isToken(idempotencyKey)
    return isSame && isWhole ? { idempotencyKey, ...(id === undefined ? {} : { id }) } : undefined
  } catch {
    return undefined
  }
}

function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]{1,200}$/.test(value)
}
