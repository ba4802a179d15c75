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
  /** Whether an existing file is replaced, once the new one is complete. */
  overwrite?: boolean
  /** Returns the name in a folder for the one that the provider tells (default: the same). */
  nameInFolder?: ((name: string) => string) | undefined
}

export interface SavedFile {
  did: string
  service: string
  file: number
  order: string
  path: string
  bytes: number
  /** Of the file as it lies there, as hex. */
  sha256: string
}

/**
 * Downloads a file to a path, or under its own name into a folder (one that is there, or a path that ends in a slash).
 * The bytes go to `PATH.part`, beside which `PATH.part.json` says what they are of; at the end they are on the disk and
 * get their name. Whatever ends the process, the next call resumes it, unless the file has changed. Memory does not
 * grow with the file: about 2 MiB are buffered. Requests are sent by `node:http`, which follows no settings of `fetch`.
 *
 * No link is followed to a file, and no device or FIFO is replaced.
 *
 * Throws TidegateError as `download` does, and `FILE_EXISTS`, `NOT_A_FILE` (a device, FIFO or folder of this name), `BUSY`
 * (another process works on it), `DISK_FULL`, `DISK_FAILED`, `NO_FOLDER`, `NOT_WRITABLE`, `NAME_TOO_LONG`, `DIGEST_MISMATCH` (the bytes are not those that the provider announces;
 * they are thrown away).
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
        await fill(part, wanted, settings, transfer, options.onRestart)
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

/** Where the file goes. Into a folder it goes under its own name, which a first answer tells. */
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
    throw new TidegateError('BAD_ANSWER', 'The name of the file cannot be one within a folder.')
  }
  if (!names.includes(`${name}.part`)) return { path: inside, transfer }
  // an earlier run is resumed: the connection that told the name is not needed
  transfer.cancel()
  return { path: inside }
}

/** Throws TidegateError if a name is taken: by anything, a link that leads nowhere included, or else by what is no file. */
async function assertFree(path: string, overwrite: boolean): Promise<void> {
  const entry = await entryOf(path)
  assertReplaceable(entry)
  if (entry && !overwrite) throw new TidegateError('FILE_EXISTS', 'A file of this name already exists.')
}

/**
 * Makes sure that `downloadToFile` can write to a path, before anything is paid: its folder, the length of its name, and
 * `PATH.part` with what lies beside it. Leaves everything as it is, an earlier run's part included. Throws TidegateError
 * as `downloadToFile` does.
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

/** Brings the part to its end, from where it is. */
async function fill(
  part: Part,
  wanted: Wanted,
  settings: TransferOptions,
  opened: Transfer | undefined,
  onRestart: (() => void) | undefined,
): Promise<void> {
  const begun = opened ? undefined : await part.begun()
  // a link by itself does not say which service it is of: the validator tells whether the file is the same
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
    // of the whole file, not of what this run adds
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
