import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  openSync,
  realpathSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty, WriteStream } from 'node:tty'
import { isForeign } from '@tidegate/common/safe-files'
import { visibleLines } from '@tidegate/common/visible-text'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { shown } from '../output/text.js'
import { foundAt } from './target.js'

/** The destination of a streamed download: an open descriptor of this process, a device or a FIFO. */
export interface StreamTarget {
  name: string
  /** Undefined for a path, which must be opened first. */
  descriptor: number | undefined
}

/** Milliseconds between two attempts to open a FIFO without a reader. */
const RETRY = 100

const NAMED: Record<string, string> = { '-': '1', '/dev/stdout': '1', '/dev/stderr': '2' }

/** Reads --output: undefined if it names a file or a folder. Throws CommandError if it is not writable. */
export function streamTargetOf(output: string | undefined, force: boolean): StreamTarget | undefined {
  if (output === undefined) return undefined
  const descriptor = NAMED[output] ?? /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(output)?.[1]
  if (descriptor !== undefined) return { name: output === '-' ? 'standard output' : output, descriptor: +descriptor }
  const found = foundAt(resolve(output))
  if (!found || found.isFile() || found.isDirectory()) return undefined
  if (found.isBlockDevice() && !force)
    throw new CommandError('FILE_EXISTS', `${shown(output)} is a disk. Overwrite what is on it with --force.`)
  if (found.isSocket()) throw misuse(`--output: ${shown(output)} is a socket.`)
  if (isPlanted(found, output)) throw foreign(output)
  return { name: output, descriptor: undefined }
}

export const isStandardOutput = (target: StreamTarget | undefined) => target?.descriptor === 1

/** A stream that reports each failure in one line. */
export class OutputStream {
  private constructor(
    private readonly stream: Writable,
    private readonly name: string,
    /** Whether this command opened it: not a stream of the process. */
    private readonly isOwn: boolean,
    private readonly signal: AbortSignal,
    /** For a terminal, which would obey the bytes of a file. */
    private readonly decoder: TextDecoder | undefined,
  ) {
    // the failed write reports the error
    stream.on('error', () => undefined)
  }

  /**
   * Opens a writable target. Waits for the reader of a FIFO, and reports that by `note`. Throws CommandError, and the reason
   * of `signal`.
   */
  static async open(
    { name, descriptor }: StreamTarget,
    signal: AbortSignal,
    note: (line: string) => void,
  ): Promise<OutputStream> {
    try {
      const open = descriptor ?? (await opened(resolve(name), signal, note))
      assertTakesBytes(open, name)
      return new OutputStream(
        writable(open),
        name,
        descriptor === undefined || descriptor > 2,
        signal,
        isatty(open) ? new TextDecoder() : undefined,
      )
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof CommandError ? error : streamFailure(name, error)
    }
  }

  /** Writes a piece, and resolves when the system has accepted it. Throws CommandError, and the reason of the signal. */
  async write(piece: Uint8Array): Promise<void> {
    const part = this.decoder ? forTerminal(this.decoder.decode(piece, { stream: true })) : piece
    let abort = () => {}
    try {
      await new Promise<void>((done, reject) => {
        abort = () => reject(this.signal.reason)
        this.signal.addEventListener('abort', abort, { once: true })
        this.stream.write(part, (error) => (error ? reject(error) : done()))
      })
    } catch (error) {
      this.signal.throwIfAborted()
      throw streamFailure(this.name, error)
    } finally {
      this.signal.removeEventListener('abort', abort)
    }
  }

  /** Closes it at once, unless it is a stream of the process. The system has accepted all writes. */
  close(): void {
    if (this.isOwn) this.stream.destroy()
  }
}

/** Returns a part of a file as visible text, with its line breaks and tabs. */
function forTerminal(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  return lines.split('\t').map(visibleLines).join('\t')
}

/**
 * Throws CommandError if a descriptor is not writable: an empty write shows that it is open for reading, or is a full
 * device.
 */
export function assertTakesBytes(descriptor: number, name: string): void {
  try {
    writeSync(descriptor, '')
  } catch (error) {
    // full at this moment
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw streamFailure(name, error)
  }
}

/** Opens a device or a FIFO. The path may have changed since its check. */
async function opened(path: string, signal: AbortSignal, note: (line: string) => void): Promise<number> {
  for (let told = false; ; told = true) {
    try {
      const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
      const stats = fstatSync(descriptor)
      if (!stats.isFile() && !isPlanted(stats, path)) return descriptor
      closeSync(descriptor)
      throw foreign(path)
    } catch (error) {
      // no reader yet; without O_NONBLOCK the whole process would wait
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO' || !foundAt(path)?.isFIFO()) throw error
    }
    if (!told) note(`waiting for a reader of ${shown(path)} …`)
    await sleep(RETRY, undefined, { signal })
  }
}

/** Whether a FIFO may belong to another user, who would get the bytes. */
function isPlanted(stats: Stats, path: string): boolean {
  if (!stats.isFIFO()) return false
  try {
    return isForeign(stats, dirname(realpathSync(path)))
  } catch {
    // a descriptor of a process, without a path
    return false
  }
}

const foreign = (path: string) =>
  new CommandError('UNSAFE_FILE', `--output: ${shown(path)} is not this user's: it may have been planted.`)

function writable(descriptor: number): Writable {
  const stats = fstatSync(descriptor)
  const isPipe = stats.isFIFO() || stats.isSocket()
  const ofProcess = { 1: process.stdout, 2: process.stderr }[descriptor]
  if (ofProcess && (isPipe || isatty(descriptor))) return ofProcess
  if (isatty(descriptor)) return new WriteStream(descriptor)
  if (isPipe) return new Socket({ fd: descriptor, readable: false, writable: true })
  // also for streams of the process: theirs do not report a full disk or device
  return createWriteStream('', { fd: descriptor, autoClose: false })
}

const REASONS: Record<string, [code: string, reason: string]> = {
  EPIPE: ['READER_GONE', 'its reader has closed it'],
  ECONNRESET: ['READER_GONE', 'its reader has closed it'],
  ENOSPC: ['DISK_FULL', 'no space is left on it'],
  EDQUOT: ['DISK_FULL', 'the quota is used up'],
  EFBIG: ['DISK_FULL', 'it takes no file of this size'],
  EIO: ['DISK_FAILED', 'it has failed'],
  EACCES: ['NOT_WRITABLE', 'it may not be written to'],
  EPERM: ['NOT_WRITABLE', 'it may not be written to'],
  EROFS: ['NOT_WRITABLE', 'it may not be written to'],
  EBADF: ['NOT_WRITABLE', 'it is not open for writing'],
}

/** Codes of stream failures, after which the written bytes are lost. */
export const STREAM_CODES = new Set([...Object.values(REASONS).map(([code]) => code), 'NOT_WRITTEN'])

function streamFailure(name: string, error: unknown): CommandError {
  const { code = 'FAILED' } = error as NodeJS.ErrnoException
  const [own, reason] = REASONS[code] ?? ['NOT_WRITTEN', `it cannot be written to: ${code}`]
  return new CommandError(own, `${shown(name)}: ${reason}.`)
}
