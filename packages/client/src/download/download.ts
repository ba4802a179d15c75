import { bytesText } from '@tidegate/protocol/values'
import type { Hex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Send } from '../http/api.js'
import { LIMITS } from '../limits.js'
import { policyOf } from '../policies/sessions.js'
import type { Downloaded } from '../types.js'
import { assertDigest } from './digest.js'
import { filesOf, type Ordered, orderedOf } from './order.js'
import { opener } from './proof.js'
import { type Progress, Transfer, type TransferOptions } from './transfer.js'

export interface DownloadOptions {
  /** Id of the service; by default the first that gives access. */
  service?: string
  /** Index of the file; 0 by default. */
  file?: number
  /** Whether all files are downloaded as a ZIP archive, instead of one file. */
  archive?: boolean
  /** The order. Default: a valid one. */
  order?: Hex
  /** First and last byte, from 0; without `end` to the end of the file. */
  range?: { start: number; end?: number }
  /** Consumer parameters of the service. */
  userdata?: Record<string, unknown>
  /** A valid download link, instead of token and wallet. */
  link?: string
  /** Called for each piece. */
  onProgress?: (progress: Progress) => void
  /** Called when the file has changed and the download restarts: all received bytes are void. */
  onRestart?: () => void
  /** Most retries in a row; 10 by default. */
  retries?: number
  /** Milliseconds without a byte until a connection counts as stalled; a minute by default. */
  stallTimeout?: number
  /** Maximum size in bytes. `FILE_TOO_LARGE` for a larger file. */
  maxSize?: number
  signal?: AbortSignal
}

/**
 * Starts the download of an ordered file. Resolves when its name, type and size are known. The bytes are fetched when they
 * are read, over as many connections as necessary.
 *
 * An interrupted transfer resumes with the file's validator and a new proof. If the file has changed, `blob()` restarts, and
 * a partly read stream fails with `FILE_CHANGED`.
 *
 * Throws TidegateError: the provider's refusal (`ORDER_EXPIRED`, `STORAGE_NOT_FOUND`, …), `NO_ORDER`, `NO_WALLET`,
 * `FILE_TOO_LARGE`, `BROKEN_OFF`, `STALLED`, `UNREACHABLE`; the signal's own reason if it is aborted.
 *
 * @example
 * const { name, stream } = await download(context, did, { order })
 */
export async function download(context: Context, did: string, options: DownloadOptions = {}): Promise<Downloaded> {
  const settings = await transferOf(context, did, options)
  const begin = () => new Transfer(settings)
  let transfer = begin()
  await transfer.connect()
  const { facts, size } = transfer
  let used = false
  const once = () => {
    if (used) throw new TidegateError('ALREADY_READ', 'A download can be read only once, by stream() or blob().')
    used = true
  }
  return {
    name: facts?.name ?? '',
    ...(facts?.contentType === undefined ? {} : { contentType: facts.contentType }),
    ...(size === undefined ? {} : { size }),
    ...(facts?.sha256 === undefined ? {} : { sha256: facts.sha256 }),
    stream() {
      once()
      return streamOf(transfer)
    },
    async blob() {
      once()
      const most = options.maxSize ?? LIMITS.blob
      const restarting = () => {
        options.onRestart?.()
        transfer = begin()
        return transfer
      }
      const pieces = await restarted(transfer, restarting, (current) => collected(current, most))
      const blob = new Blob(pieces, { type: facts?.contentType ?? '' })
      const digest = transfer.facts?.sha256
      if (digest !== undefined && options.range === undefined) await assertDigest(blob, digest)
      return blob
    },
    cancel(reason) {
      transfer.cancel(reason ?? new DOMException('The download was cancelled.', 'AbortError'))
    },
  }
}

export type ArchiveOptions = Omit<DownloadOptions, 'file' | 'archive' | 'range'>

/**
 * Starts the download of all files of a service as a ZIP archive, with the publisher's names. It has no size and does not
 * resume. Throws TidegateError like `download`; `BROKEN_OFF` if a file fails, and the bytes so far are void.
 *
 * @example
 * const { name, stream } = await archive(context, did, { order })
 */
export function archive(context: Context, did: string, options: ArchiveOptions = {}): Promise<Downloaded> {
  return download(context, did, { ...options, archive: true })
}

/** Returns the transfer of a file. A link alone already names service and order. Throws TidegateError as `orderedOf` does. */
export async function transferOf(
  context: Context,
  did: string,
  options: DownloadOptions,
  by?: Send,
): Promise<TransferOptions & Ordered> {
  const {
    file = 0,
    archive = false,
    userdata,
    link,
    range,
    onProgress,
    retries,
    stallTimeout,
    maxSize,
    signal,
  } = options
  assertKnown(options)
  const files = filesOf(options)
  checkRange(range)
  if (archive && range) throw new TidegateError('BAD_OPTION', 'An archive has no ranges.')
  const linked = link !== undefined && !context.wallet && context.token === undefined
  const nothing: Ordered = { service: '', order: '0x' }
  const ordered = linked ? nothing : await orderedOf(context, did, options)
  const request = {
    documentId: did,
    serviceId: ordered.service,
    ...files,
    transferTxId: ordered.order,
    userdata: userdata === undefined ? undefined : JSON.stringify(userdata),
    ...policyOf(context, did, ordered.service),
  }
  return {
    ...ordered,
    open: opener(context, request, link, by),
    file,
    archive,
    signal,
    range,
    onProgress,
    retries,
    stallTimeout,
    maxSize,
  }
}

const OPTIONS: Record<keyof DownloadOptions, true> = {
  service: true,
  file: true,
  archive: true,
  order: true,
  range: true,
  userdata: true,
  link: true,
  onProgress: true,
  onRestart: true,
  retries: true,
  stallTimeout: true,
  maxSize: true,
  signal: true,
}

/** Throws TidegateError for an unknown option: a misspelt file would be another one. */
function assertKnown(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name))
  if (unknown !== undefined)
    throw new TidegateError(
      'BAD_OPTION',
      `A download has no option ${unknown}. Its options are ${Object.keys(OPTIONS).join(', ')}.`,
    )
}

function checkRange(range: DownloadOptions['range']): void {
  if (!range) return
  const { start, end = start } = range
  if (!Number.isSafeInteger(start) || start < 0 || !Number.isSafeInteger(end) || end < start)
    throw new TidegateError('BAD_OPTION', 'range must have a start, and an end that is not before it.')
}

/** Runs work on a transfer, and again on a new one if the file changes, up to `LIMITS.restarts` times. */
export async function restarted<T>(
  transfer: Transfer,
  restart: () => Transfer | Promise<Transfer>,
  work: (transfer: Transfer) => Promise<T>,
): Promise<T> {
  let current = transfer
  for (let left: number = LIMITS.restarts; ; left--) {
    try {
      return await work(current)
    } catch (error) {
      if (left === 0 || !isVoid(error, current)) throw error
      current = await restart()
    }
  }
}

/** Whether the received bytes are void: the file has changed, or has no validator for a resumption. */
function isVoid(error: unknown, { version, position, isArchive }: Transfer): boolean {
  // one of its files fails, which a repetition would meet again after as many bytes
  if (!(error instanceof TidegateError) || isArchive) return false
  if (error.code === 'FILE_CHANGED') return true
  return (error.code === 'BROKEN_OFF' || error.code === 'STALLED') && position > 0 && version?.validator === undefined
}

function streamOf(transfer: Transfer): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await transfer.next()
        if (piece) controller.enqueue(piece)
        else controller.close()
      },
      cancel: (reason) => transfer.cancel(reason),
    },
    // reads nothing ahead
    { highWaterMark: 0 },
  )
}

async function collected(transfer: Transfer, most: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const tooLarge = () =>
    new TidegateError('FILE_TOO_LARGE', `The file is larger than ${bytesText(most)}. Read it as a stream.`)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  try {
    if ((transfer.size ?? 0) > most) throw tooLarge()
    for (let piece = await transfer.next(); piece; piece = await transfer.next()) {
      length += piece.length
      if (length > most) throw tooLarge()
      pieces.push(piece)
    }
    return pieces
  } finally {
    transfer.cancel()
  }
}
