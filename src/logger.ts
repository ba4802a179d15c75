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
  return pino(options, together(pino.destination({ dest: process.stderr.fd, sync: false, minLength: FULL })))
}

/** Milliseconds for which lines wait for others to be written with, and bytes that are written without waiting. */
const WAIT = 10
const FULL = 8192

/** To write a line by itself costs more than to make it. What waits at the end is written by the library. */
function together(destination: ReturnType<typeof pino.destination>): { write(line: string): void } {
  let due = false
  return {
    write(line) {
      destination.write(line)
      if (due) return
      due = true
      setTimeout(() => {
        due = false
        destination.flush()
      }, WAIT).unref()
    },
  }
}
