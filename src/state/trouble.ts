import { StateError } from '../errors.js'
import type { Logger } from '../logger.js'

/** Why a database does not do what it is asked to. */
export type TroubleKind = keyof typeof WORDS

export interface Trouble {
  kind: TroubleKind
  /** The database's own code, or the name of the error where it has none: never its words, which may quote anything. */
  code: string
}

const WORDS = {
  full: 'its disk is full',
  corrupt: 'it is damaged',
  locked: 'another program holds it locked',
  gone: 'its file was removed, replaced or cut short while in use',
  readonly: 'it cannot be written to',
  disk: 'its disk fails',
  refused: 'it refuses the user, the password or a permission',
  unreachable: 'it cannot be reached',
  failed: 'it failed',
} as const

/** The kinds of trouble that there are. */
export const TROUBLES = Object.keys(WORDS) as TroubleKind[]

/** What the codes of both databases and of files begin with, the longer ones first. Those of PostgreSQL are SQLSTATEs. */
const KINDS: [start: string, kind: TroubleKind][] = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_BUSY', 'locked'],
  ['SQLITE_LOCKED', 'locked'],
  ['SQLITE_READONLY', 'readonly'],
  ['SQLITE_PERM', 'readonly'],
  ['SQLITE_CANTOPEN', 'readonly'],
  ['SQLITE_IOERR', 'disk'],
  ['STATE_GONE', 'gone'],
  ['53100', 'full'],
  ['XX001', 'corrupt'],
  ['XX002', 'corrupt'],
  ['55P03', 'locked'],
  ['57014', 'locked'],
  ['40P01', 'locked'],
  ['25006', 'readonly'],
  ['28', 'refused'],
  ['42501', 'refused'],
  ['3D000', 'refused'],
  ['58', 'disk'],
  ['08', 'unreachable'],
  ['53', 'unreachable'],
  ['57P', 'unreachable'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EIO', 'disk'],
  ['EACCES', 'readonly'],
  ['EPERM', 'readonly'],
  ['EROFS', 'readonly'],
  ['ENOTDIR', 'readonly'],
  ['EEXIST', 'readonly'],
  ['E', 'unreachable'],
]

/** What SQLite says where its library gives no code. */
const NUMBERS: Record<string, string> = { 5: 'SQLITE_BUSY', 8: 'SQLITE_READONLY', 14: 'SQLITE_CANTOPEN' }

/** What an error of a database means. */
export function troubleOf(error: unknown): Trouble {
  const { code, message, name } = error as { code?: unknown; message?: string; name?: string }
  const number = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(message ?? '')?.[1]
  if (number !== undefined) return classified(NUMBERS[number] ?? `SQLITE_${number}`)
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return classified(code)
  // the driver of PostgreSQL has words alone for what took too long, or was cut
  if (/time(d )?out|terminated|connection/i.test(message ?? '')) return { kind: 'unreachable', code: 'NO_ANSWER' }
  return { kind: 'failed', code: name ?? 'Error' }
}

function classified(code: string): Trouble {
  return { kind: KINDS.find(([start]) => code.startsWith(start))?.[1] ?? 'failed', code }
}

/** A trouble in words, for operators. */
export function inWords({ kind, code }: Trouble): string {
  return `${WORDS[kind]} (${code})`
}

/** What is thrown in place of an error of the database. */
export function unavailable(): StateError {
  return new StateError('STATE_UNAVAILABLE', 'The state store cannot be used now.')
}

/** Milliseconds after which the same trouble is logged again. */
const LOG_EVERY = 10_000

/** Milliseconds between two writes that only find out whether it works again. */
const PROBE_EVERY = 1000

/** Keeps what went wrong with a database last, and logs it: at once where it is new, else now and then. */
export class Troubles {
  /** What went wrong with the last write. */
  current: Trouble | undefined
  private logged: { code: string; at: number } | undefined
  private since = 0
  private probed = 0

  constructor(private readonly log?: Logger) {}

  /**
   * Whether a write is to be tried that changes nothing: after a failure only a write can tell that it is over. Not
   * more often than now and then, since anybody may ask, and a database that is locked is waited for.
   */
  probes(): boolean {
    if (this.current === undefined || Date.now() - this.probed < PROBE_EVERY) return false
    this.probed = Date.now()
    return true
  }

  /** Notes an error of the database. Answers the one to be thrown in its place. */
  failed(error: unknown): StateError {
    const trouble = troubleOf(error)
    this.current = trouble
    this.since += 1
    const now = Date.now()
    if (this.logged?.code !== trouble.code || now - this.logged.at >= LOG_EVERY) {
      this.log?.error({ ...trouble, times: this.since }, 'state store failed')
      this.logged = { code: trouble.code, at: now }
      this.since = 0
    }
    return unavailable()
  }

  /** Notes that the database took a write, which says nothing of the pages that are damaged. */
  worked(): void {
    if (this.current === undefined || this.current.kind === 'corrupt') return
    this.log?.info({ after: this.current.code }, 'state store works again')
    this.current = undefined
    this.logged = undefined
    this.since = 0
  }
}
