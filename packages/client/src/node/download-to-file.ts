import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import type { Context } from '../context.js'
import { digestMismatch } from '../download/digest.js'
import { type DownloadOptions, restarted, transferOf } from '../download/download.js'
import { Transfer, type TransferOptions } from '../download/transfer.js'
import { TidegateError } from '../errors.js'
import { inWords } from './failures.js'
import { sendByHttp } from './http.js'
import { type Begun, Part } from './part.js'
import { assertReplaceable, entryOf } from './part-file.js'

export interface FileOptions extends Omit<DownloadOptions, 'range'> {
  /** Whether the complete download replaces an existing file. */
  overwrite?: boolean
  /** Maps the provider's name to the name in a folder. Default: the same name. */
  nameInFolder?: ((name: string) => string) | undefined
}

export interface SavedFile {
  did: string
  service: string
  file: number
  order: string
  path: string
  bytes: number
  /** SHA-256 of the file on the disk, as hex. */
  sha256: string
}

/**
 * Downloads a file, or an archive of all, to a path, or under its own name into a folder (an existing one, or a path with a
 * slash at its end). The bytes go to `PATH.part`, and `PATH.part.json` describes them. The complete file is synced and gets its name. After an
 * interruption, the next call resumes, unless the file has changed. About 2 MiB are buffered, whatever the size. Requests
 * use `node:http`, so settings of `fetch` do not apply.
 *
 * Follows no link to a file, and replaces no device or FIFO.
 *
 * Throws TidegateError like `download`, and `FILE_EXISTS`, `NOT_A_FILE` (a device, FIFO or folder of this name), `BUSY`
 * (another process works on it), `DISK_FULL`, `DISK_FAILED`, `NO_FOLDER`, `NOT_WRITABLE`, `NAME_TOO_LONG`, `DIGEST_MISMATCH`
 * (the bytes differ from the provider's digest, and are deleted).
 *
 * @example
 * const { path, sha256 } = await downloadToFile(tidegate.context, did, './data/', { order })
 */
export async function downloadToFile(
  context: Context,
  did: string,
  target: string,
  { overwrite = false, nameInFolder = (name) => name, ...options }: FileOptions = {},
): Promise<SavedFile> {
  const settings = await transferOf(context, did, options, sendByHttp)
  const { service, order } = settings
  const wanted: Wanted = { did, service, file: options.file ?? 0 }
  try {
    const { path, transfer } = await placeOf(target, settings, nameInFolder)
    try {
      await assertFree(path, overwrite)
      const part = await Part.of(path)
      try {
        await fill(part, wanted, settings, transfer, options.onRestart).catch(async (error) => {
          // an archive does not resume
          if (settings.archive) await part.clear()
          throw error
        })
        const sha256 = await part.digest()
        await part.finish(overwrite)
        return { ...wanted, order, path, bytes: part.bytes, sha256 }
      } finally {
        await part.close()
      }
    } finally {
      transfer?.cancel()
    }
  } catch (error) {
    throw inWords(error)
  }
}

type Wanted = Pick<Begun, 'did' | 'service' | 'file'>

/** Returns the path of the file. In a folder it has its own name, from a first response. */
async function placeOf(
  target: string,
  settings: TransferOptions,
  nameInFolder: (name: string) => string,
): Promise<{ path: string; transfer?: Transfer }> {
  const path = resolve(target)
  const isFolder = /[/\\]$/.test(target) || (await stat(path).catch(() => undefined))?.isDirectory()
  if (!isFolder) return { path }
  const names = await readdir(path)
  const transfer = new Transfer(settings)
  await transfer.connect()
  const told = basename(transfer.facts?.name ?? '')
  const name = told === '' ? '' : nameInFolder(told)
  const inside = join(path, name)
  if (name === '' || inside !== path + (path.endsWith(sep) ? '' : sep) + name) {
    transfer.cancel()
    throw new TidegateError('BAD_ANSWER', 'The name of the file is not valid in a folder.')
  }
  if (!names.includes(`${name}.part`)) return { path: inside, transfer }
  // an earlier run resumes: the connection for the name is superfluous
  transfer.cancel()
  return { path: inside }
}

/** Throws TidegateError if the name is taken: by anything without `overwrite`, otherwise by anything but a file or a link. */
async function assertFree(path: string, overwrite: boolean): Promise<void> {
  const entry = await entryOf(path)
  assertReplaceable(entry)
  if (entry && !overwrite) throw new TidegateError('FILE_EXISTS', `${path} already exists.`)
}

/**
 * Checks that `downloadToFile` can write to a path, before anything is paid: its folder, the length of its name, and
 * `PATH.part`. Changes nothing, not even the part of an earlier run. Throws TidegateError like `downloadToFile`.
 *
 * @example
 * await checkTarget('./tides.csv')
 */
export async function checkTarget(
  path: string,
  { overwrite = false }: Pick<FileOptions, 'overwrite'> = {},
): Promise<void> {
  try {
    await assertFree(resolve(path), overwrite)
    await Part.check(resolve(path))
  } catch (error) {
    throw inWords(error)
  }
}

/** Downloads the rest of the part. */
async function fill(
  part: Part,
  wanted: Wanted,
  settings: TransferOptions,
  opened: Transfer | undefined,
  onRestart: (() => void) | undefined,
): Promise<void> {
  const begun = opened || settings.archive ? undefined : await part.begun()
  // a link alone names no service: the validator shows whether the file is the same
  const sameService = begun?.service === wanted.service || begun?.service === '' || wanted.service === ''
  const goesOn = begun && begun.did === wanted.did && sameService && begun.file === wanted.file
  if (goesOn) await part.resume()
  else await part.clear()
  const total = begun?.version.total
  if (goesOn && total !== undefined && part.bytes > total) await part.clear()
  const first =
    part.bytes > 0 && goesOn ? new Transfer(goingOn(settings, part.bytes, begun)) : (opened ?? new Transfer(settings))
  let expected = part.bytes > 0 ? begun?.sha256 : null
  if (part.bytes === 0 || part.bytes !== total)
    await restarted(
      first,
      async () => {
        onRestart?.()
        await part.clear()
        return new Transfer(settings)
      },
      async (transfer) => {
        try {
          await transfer.connect()
          const { version, facts } = transfer
          if (part.bytes === 0 && version) {
            expected = facts?.sha256 ?? null
            await part.note({ ...wanted, version, sha256: expected })
          }
          for (let piece = await transfer.next(); piece; piece = await transfer.next()) {
            const full = part.append(piece)
            if (full) await full
          }
        } finally {
          transfer.cancel()
        }
      },
    )
  if (!expected || (await part.digest()) === expected) return
  await part.clear()
  throw digestMismatch()
}

function goingOn(settings: TransferOptions, from: number, { version }: Begun): TransferOptions {
  const { onProgress } = settings
  return {
    ...settings,
    range: { start: from },
    begun: version,
    // progress of the whole file, not of this run
    onProgress:
      onProgress &&
      ((progress) =>
        onProgress({
          ...progress,
          received: progress.received + from,
          ...(version.total === undefined ? {} : { total: version.total }),
        })),
  }
}
