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
  // lines are handed over at once, and written while the next ones are made
  return pino(options, pino.destination({ dest: process.stderr.fd, sync: false }))
}
