import { CommanderError } from '@commander-js/extra-typings'
import { StartError, StateError, UnavailableError } from '@tidegate/protocol'

/** Exit codes of all commands. 69 is EX_UNAVAILABLE of sysexits.h. */
export const EXIT = { done: 0, failed: 1, misuse: 2, notConfirmed: 3, unavailable: 69, interrupted: 130 } as const

/** A failed command: a message for people, a code for programs, and the exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError'

  constructor(
    readonly code: string,
    message: string,
    readonly exitCode: number = EXIT.failed,
    /** Transactions sent before the failure. */
    readonly transactions: readonly string[] = [],
  ) {
    super(message)
  }
}

/** Returns the error for wrong usage or settings. */
export const misuse = (message: string) => new CommandError('USAGE', message, EXIT.misuse)

/** The report of an error. */
export interface Failure {
  code: string
  lines: string[]
  exitCode: number
  transactions: readonly string[]
}

/** Codes of the client library for wrong settings. */
const SETTINGS_CODES = new Set(['NO_WALLET', 'NO_CHAIN', 'BAD_OPTION'])

/** Converts any error to a report: of the command line, the client library or the operating system. */
export function failureOf(error: unknown): Failure {
  const failure = (code: string, lines: string[], exitCode: number): Failure => ({
    code,
    lines,
    exitCode,
    transactions: (error as { transactions?: string[] }).transactions ?? [],
  })
  if (error instanceof CommandError) return failure(error.code, [error.message], error.exitCode)
  if (error instanceof UnavailableError) return failure('UNAVAILABLE', error.problems, EXIT.unavailable)
  if (error instanceof StateError) return failure(error.code, [error.message], EXIT.unavailable)
  if (error instanceof StartError) return failure('SETTINGS', error.problems, EXIT.misuse)
  if (error instanceof CommanderError)
    return failure('USAGE', [error.message.replace(/^error: /, '')], error.exitCode === 0 ? EXIT.done : EXIT.misuse)
  const { name, code = 'FAILED', message } = error as NodeJS.ErrnoException
  if (name === 'TidegateError') return failure(code, [message], SETTINGS_CODES.has(code) ? EXIT.misuse : EXIT.failed)
  const plain = ofSystem(error as NodeJS.ErrnoException) ?? missingModule(error as Error)
  return failure(plain ? code : 'FAILED', [plain ?? message], EXIT.failed)
}

/** Explains a refusal of the operating system; undefined for other errors. */
function ofSystem({ code, path }: NodeJS.ErrnoException): string | undefined {
  const what = path === undefined ? '' : `${path}: `
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `${what}the disk is full. Free some space and repeat the command: it resumes.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${what}may not be written or read.`
    case 'EFBIG':
      return `${what}the file system takes no file of this size.`
    default:
      return undefined
  }
}

/** Explains a missing package, also native ones of this platform; undefined for other errors. */
function missingModule(error: Error): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const name = /'([^']+)'/.exec(message)?.[1] ?? 'one'
  return `the package ${name} is missing (${process.platform}-${process.arch}): install again on this machine, with optional dependencies.`
}
