import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { memoizedText, ProviderError } from '@tidegate/protocol'
import { networkAround } from '@tidegate/protocol/addresses'
import { type Logger as PinoLogger, pino } from 'pino'
import { withDeadline } from './deadline.js'
import { COMMON_LIMITS } from './limits.js'
import { jsonOfVisible, visibleJson } from './visible-text.js'

/** Structured logger: fields first, then a constant message. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The settings of the log. */
export interface LogOptions {
  LOG_LEVEL: string
  /** Default: `pretty` if standard error is a terminal, `json` otherwise. */
  LOG_FORMAT?: LogFormat | undefined
  LOG_ADDRESSES: LogAddresses
}

export type LogFormat = 'json' | 'pretty'

/** How the log writes the address of a client: in full, its network, or not at all. */
export type LogAddresses = 'full' | 'short' | 'none'

/** Functions that write an address; undefined leaves the field out. */
const WRITTEN_ADDRESSES: Record<LogAddresses, (address: string) => string | undefined> = {
  full: (address) => address,
  short: memoizedText(networkAround),
  none: () => undefined,
}

/**
 * Creates a logger to standard error: JSON lines, or text for people. It logs messages of ProviderError only, since
 * these are constant. Other messages may quote a location or a header. Addresses of clients are in the field `remote` alone.
 */
export async function createLogger({ LOG_LEVEL: level, LOG_FORMAT, LOG_ADDRESSES }: LogOptions): Promise<PinoLogger> {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: isoTime(),
    serializers: {
      remote: (address: string | undefined) => address && WRITTEN_ADDRESSES[LOG_ADDRESSES](address),
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        message: error instanceof ProviderError ? error.message : '',
        stack: '',
        ...(error.code ? { code: error.code } : {}),
      }),
    },
  }
  const format = LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json')
  return pino(options, format === 'pretty' ? await prettyOutput() : jsonOutput())
}

/** Returns the time function of the log library. Lines of one millisecond share a text: formatting costs as much as a line. */
function isoTime(): () => string {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) {
      last = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

const { waiting, lastWait } = COMMON_LIMITS.log

/** Milliseconds of lines per write: a write costs more than formatting a line. */
const FLUSH_DELAY = 10

/** The destination of a logger's lines. */
interface Output {
  write(line: string): void
}

/** Global like standard error: two batches would overwrite each other's lines. */
let jsonLines: (Output & { written(): Promise<void> }) | undefined
let prettyLines: Output | undefined

/** Resolves when all lines are written or have no reader. Call it before the process exits. */
export async function logWritten(): Promise<void> {
  await jsonLines?.written()
}

/** Returns standard error, written asynchronously in batches, and synchronously at exit. */
function jsonOutput(): Output {
  if (jsonLines) return jsonLines
  const destination = pino.destination({ dest: process.stderr.fd, sync: false, maxLength: waiting })
  let lines = ''
  let isWriting = false
  // for example a full disk: the next batch retries; at exit the library would retry forever
  destination.on('error', () => {
    isWriting = false
    destination.flushSync = () => undefined
  })
  destination.on('drain', () => {
    isWriting = false
  })
  const flush = () => {
    if (lines === '') return
    isWriting = true
    destination.write(lines)
    lines = ''
  }
  process.prependListener('beforeExit', flush)
  process.prependListener('exit', () => {
    // at exit the library does not finish its writes
    if (lines !== '') writeAtOnce(process.stderr.fd, lines)
    lines = ''
  })
  jsonLines = {
    write(line) {
      if (lines === '') setTimeout(flush, FLUSH_DELAY).unref()
      lines += visibleJson(line)
    },
    async written() {
      flush()
      const drained = (signal: AbortSignal) => once(destination, 'drain', { signal }).catch(() => undefined)
      if (isWriting) await withDeadline({ milliseconds: lastWait }, drained)
    },
  }
  return jsonLines
}

/** Writes text synchronously. Gives up if the reader has left or is idle. */
function writeAtOnce(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  const deadline = Date.now() + lastWait
  for (let at = 0; at < bytes.length && Date.now() < deadline; ) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FLUSH_DELAY)
    }
  }
}

/** Returns standard error as lines for people, coloured on a terminal. */
async function prettyOutput(): Promise<Output> {
  // on demand: it takes as long to load as the rest of the logger
  const { default: pretty } = await import('pino-pretty')
  prettyLines ??= visibleOutput(
    pretty({
      destination: process.stderr.fd,
      sync: true,
      colorize: process.stderr.isTTY && !process.env.NO_COLOR,
      translateTime: 'SYS:HH:MM:ss.l',
      ignore: 'reqId',
      singleLine: true,
    }),
  )
  return prettyLines
}

/** Returns an output that removes control characters, also those that JSON escapes and text for people does not. */
const visibleOutput = (output: Output): Output => ({ write: (line) => output.write(jsonOfVisible(line)) })
