import { readFileSync } from 'node:fs'
import { STORAGE_LIMITS } from '@tidegate/storage'
import type { Settings } from '../config/schema.js'
import { PROVIDER_LIMITS } from '../limits.js'

/** File descriptors for databases, nodes, metrics and files. */
const RESERVED = 200

/** The limit of open files, and the number that the settings may need. */
export interface OpenFiles {
  limit: number
  wanted: number
}

/**
 * Returns both numbers if the limit is lower than the settings need: connections would fail below MAX_CONNECTIONS.
 * Undefined if the limit suffices, or without /proc.
 */
export function tooFewOpenFiles(settings: Settings, limits = systemLimits()): OpenFiles | undefined {
  const softLimit = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  if (softLimit === undefined) return undefined
  const { MAX_CONNECTIONS, STORAGE_MAX_REQUESTS, DESCRIBE_MAX_REQUESTS, DATABASE_CONNECTIONS } = settings
  const outgoing = STORAGE_MAX_REQUESTS + DESCRIBE_MAX_REQUESTS + STORAGE_LIMITS.dns.inFlight
  const wanted = MAX_CONNECTIONS + PROVIDER_LIMITS.http.excessConnections + outgoing + DATABASE_CONNECTIONS + RESERVED
  const limit = Number(softLimit)
  return limit < wanted ? { limit, wanted } : undefined
}

/** Returns the limits of this process from /proc; otherwise an empty text. Node has raised the soft limit to the hard one. */
function systemLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
