import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { ProviderError } from '@tidegate/protocol'
import { type Logger as PinoLogger, pino } from 'pino'
import { withDeadline } from './deadline.js'

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
}

export type LogFormat = 'json' | 'pretty'

/**
 * Creates a logger that writes to standard error: JSON lines, or text for people. Error messages are logged only for
 * ProviderError, whose messages are constant: others may quote a location or a header.
 */
export async function createLogger({ LOG_LEVEL: level, LOG_FORMAT }: LogOptions): Promise<PinoLogger> {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: isoTime(),
    serializers: {
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

/** Returns the library's function for the time of a line. Lines of one millisecond share it: formatting costs as much as a line. */
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

/** Milliseconds to batch lines before writing: a write for each line costs more than formatting it. */
const FLUSH_DELAY = 10

/** Bytes of lines that wait for a full disk or for a reader that does not read. Further batches are lost. */
const MOST_WAITING = 8_388_608

/** The destination of a logger's lines. */
interface Output {
  write(line: string): void
}

/** Milliseconds to wait for a reader of the log that does not read, before the process exits. */
const LAST_WAIT = 3000

/** Process-wide, as standard error itself is: two batches would write over each other's lines. */
let jsonLines: (Output & { written(): Promise<void> }) | undefined
let prettyLines: Output | undefined

/** Resolves when all lines are written, or nobody reads them. Call it before the process exits. */
export async function logWritten(): Promise<void> {
  await jsonLines?.written()
}

/** Returns standard error, written asynchronously in batches, and synchronously at exit. */
function jsonOutput(): Output {
  if (jsonLines) return jsonLines
  const destination = pino.destination({ dest: process.stderr.fd, sync: false, maxLength: MOST_WAITING })
  let lines = ''
  let isWriting = false
  // for example a full disk: the next batch tries again; at exit the library would try for ever
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
    // at exit the library only begins to write
    if (lines !== '') writeAtOnce(process.stderr.fd, lines)
    lines = ''
  })
  jsonLines = {
    write(line) {
      if (lines === '') setTimeout(flush, FLUSH_DELAY).unref()
      lines += line
    },
    async written() {
      flush()
      const drained = (signal: AbortSignal) => once(destination, 'drain', { signal }).catch(() => undefined)
      if (isWriting) await withDeadline({ milliseconds: LAST_WAIT }, drained)
    },
  }
  return jsonLines
}

/** Writes text before it returns, unless its reader is gone or does not read. */
function writeAtOnce(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  const deadline = Date.now() + LAST_WAIT
  for (let at = 0; at < bytes.length && Date.now() < deadline; ) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FLUSH_DELAY)
    }
  }
}

/** Returns standard error for people: one line each, coloured if it is a terminal. */
async function prettyOutput(): Promise<Output> {
  // loaded on use, since that takes as long as loading the logger
  const { default: pretty } = await import('pino-pretty')
  prettyLines ??= pretty({
    destination: process.stderr.fd,
    sync: true,
    colorize: process.stderr.isTTY && !process.env.NO_COLOR,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'reqId',
    singleLine: true,
  })
  return prettyLines
}
