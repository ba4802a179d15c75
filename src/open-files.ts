import { readFileSync } from 'node:fs'
import { BOUNDS } from './bounds.js'
import type { Settings } from './config/schema.js'

/** Files, connections of databases, nodes and metrics that a process has beside those of its requests. */
const OTHERS = 200

/** What a process may have open, and what its settings let it open. */
export interface OpenFiles {
  limit: number
  wanted: number
}

/**
 * Both numbers where the system's limit is below what the settings allow, so that connections would fail in ways that
 * no cap explains. Undefined where it is enough, and on systems that do not say.
 */
export function tooFewOpenFiles(settings: Settings, limits = systemLimits()): OpenFiles | undefined {
  const said = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  if (said === undefined) return undefined
  const { MAX_CONNECTIONS, STORAGE_MAX_REQUESTS, DESCRIBE_MAX_REQUESTS, DATABASE_CONNECTIONS } = settings
  const asked = STORAGE_MAX_REQUESTS + DESCRIBE_MAX_REQUESTS + BOUNDS.dns.inFlight
  const wanted = MAX_CONNECTIONS + BOUNDS.http.told + asked + DATABASE_CONNECTIONS + OTHERS
  const limit = Number(said)
  return limit < wanted ? { limit, wanted } : undefined
}

/** The limits of this process in Linux's words; empty elsewhere. Node itself has raised the soft one to the hard one. */
function systemLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
