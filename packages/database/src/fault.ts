import type { Logger } from '@tidegate/common'
import { StartError, StateError, UnavailableError } from '@tidegate/protocol'
import { DATABASE_LIMITS } from './limits.js'

/** Kinds of database failures. */
export type FaultKind =
  | 'full'
  | 'corrupt'
  | 'locked'
  | 'gone'
  | 'readonly'
  | 'disk'
  | 'refused'
  | 'unreachable'
  | 'failed'

export interface DatabaseFault {
  kind: FaultKind
  /** Error code of the database, or else the error's name. Never the message, which may quote anything. */
  code: string
}

/** Options of a health check. */
export interface HealthCheckOptions {
  /** Always probes a write, and reads an embedded database completely, which may take seconds. */
  thorough?: boolean
}

const WORDS: Record<FaultKind, string> = {
  full: 'its disk is full',
  corrupt: 'it is damaged',
  locked: 'another program holds it locked',
  gone: 'its file was removed, replaced or cut short while in use',
  readonly: 'it cannot be written to',
  disk: 'its disk fails',
  refused: 'it refuses the user, the password or a permission',
  unreachable: 'it cannot be reached',
  failed: 'it failed',
}

/** All kinds of faults. */
export const FAULT_KINDS = Object.keys(WORDS) as FaultKind[]

/** Prefixes of error codes of both databases and of files, most specific first. Those of PostgreSQL are SQLSTATEs. */
const KINDS: [start: string, kind: FaultKind][] = [
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
  ['STANDBY', 'unreachable'],
  ['STATE_OUTDATED', 'unreachable'],
  ['ENOENT', 'failed'],
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
  ['ERR_TLS', 'failed'],
  ['E', 'unreachable'],
]

/** SQLite result codes of errors without a code. */
const NUMBERS: Record<string, string> = { 5: 'SQLITE_BUSY', 8: 'SQLITE_READONLY', 14: 'SQLITE_CANTOPEN' }

/** Classifies an error of a database. */
export function faultOf(error: unknown): DatabaseFault {
  const { code, message, name } = error as { code?: unknown; message?: string; name?: string }
  const number = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(message ?? '')?.[1]
  if (number !== undefined) return classified(NUMBERS[number] ?? `SQLITE_${number}`)
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return classified(code)
  // a wrong sslmode, which no later start corrects
  if (/does not support SSL/.test(message ?? '')) return { kind: 'failed', code: 'NO_TLS' }
  // the PostgreSQL client gives no code to timeouts and lost connections
  if (/time(d )?out|terminated|connection/i.test(message ?? '')) return { kind: 'unreachable', code: 'NO_ANSWER' }
  return { kind: 'failed', code: name ?? 'Error' }
}

function classified(code: string): DatabaseFault {
  return { kind: KINDS.find(([start]) => code.startsWith(start))?.[1] ?? 'failed', code }
}

/** Describes a fault for operators. */
export function describeFault({ kind, code }: DatabaseFault): string {
  return `${WORDS[kind]} (${code})`
}

/** Faults that are possible with right settings: a later start may succeed. */
const PASSING: readonly FaultKind[] = ['unreachable', 'locked', 'full', 'disk']

/** Returns the error of a command whose database has a fault. */
export function startErrorOf({ kind }: DatabaseFault, problem: string): StartError {
  return PASSING.includes(kind) ? new UnavailableError([problem]) : new StartError([problem])
}

/** Returns the error that hides the database's own. */
export function unavailable(): StateError {
  return new StateError('STATE_UNAVAILABLE', 'The state store cannot be used now.')
}

const { logged: LOG_EVERY, idle: IDLE } = DATABASE_LIMITS.faults

/** Milliseconds between two probe writes after a failure. */
const PROBE_EVERY = 1000

/** Records the last write and the last fault of a database. Logs a new fault at once, a repeated one at intervals. */
export class FaultLog {
  /** The last fault, cleared by a successful write. Corruption is never cleared. */
  current: DatabaseFault | undefined
  /** Time of the last successful write, in milliseconds since 1970. */
  lastWrite: number | undefined
  private lastLogged: { code: string; at: number } | undefined
  private unlogged = 0
  private probedAt = 0

  constructor(private readonly log?: Logger) {}

  /**
   * Whether a probe write is due: only a write shows recovery after a failure, or that an idle database takes writes.
   * Rate-limited, since health checks are public and a write waits for a locked database.
   */
  isProbeDue(): boolean {
    const shown = this.current === undefined ? Math.max(this.lastWrite ?? 0, this.probedAt) + IDLE : 0
    if (Date.now() < Math.max(shown, this.probedAt + PROBE_EVERY)) return false
    this.probedAt = Date.now()
    return true
  }

  /** Records an error of the database. Returns the error to throw. */
  record(error: unknown): StateError {
    const fault = faultOf(error)
    this.current = fault
    this.unlogged += 1
    const now = Date.now()
    if (this.lastLogged?.code !== fault.code || now - this.lastLogged.at >= LOG_EVERY) {
      this.log?.error({ ...fault, times: this.unlogged }, 'state store failed')
      this.lastLogged = { code: fault.code, at: now }
      this.unlogged = 0
    }
    return unavailable()
  }

  /** Records a successful write. Corruption remains: the write may not have touched the damaged pages. */
  wrote(): void {
    this.lastWrite = Date.now()
    if (this.current === undefined || this.current.kind === 'corrupt') return
    this.log?.info({ after: this.current.code }, 'state store recovered')
    this.current = undefined
    this.lastLogged = undefined
    this.unlogged = 0
  }
}
