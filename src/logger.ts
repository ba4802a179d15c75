import { type Logger as PinoLogger, pino } from 'pino'
import { ProviderError } from './errors.js'

/** What the service logs with: fields first, then a fixed sentence. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Logs on standard error as JSON lines. What an error says is logged only for errors of our own, whose words are
 * fixed: others may quote a location or a header.
 */
export function createLogger(level: string): PinoLogger {
  const options = {
    level,
    base: null,
    serializers: {
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        message: error instanceof ProviderError ? error.message : '',
        stack: '',
        ...(error.code ? { code: error.code } : {}),
      }),
    },
  }
  return pino(options, errorOutput())
}

/** Milliseconds for which lines wait for others to be written with: to write one by itself costs more than to make it. */
const WAIT = 10

let output: { write(line: string): void } | undefined

/** Standard error, written in the background. At the end of the process the library writes what is left. */
function errorOutput(): { write(line: string): void } {
  if (output) return output
  const destination = pino.destination({ dest: process.stderr.fd, sync: false })
  let lines = ''
  const handOver = () => {
    if (lines === '') return
    destination.write(lines)
    lines = ''
  }
  process.prependListener('beforeExit', handOver)
  process.prependListener('exit', handOver)
  output = {
    write(line) {
      if (lines === '') setTimeout(handOver, WAIT).unref()
      lines += line
    },
  }
  return output
}
