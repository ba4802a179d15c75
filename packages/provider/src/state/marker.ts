import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '@tidegate/common/safe-files'
import { DATABASE_FILE } from '@tidegate/database/sqlite'
import Database from 'libsql'
import { DURABLE_TABLES, identityOf } from './identity.js'

/** File in the state folder that records the location of the state. */
const MARKER_FILE = 'state.json'

/** The database that last held the state of this installation, and the id of that state. */
export interface Marker {
  database: 'embedded' | 'postgres'
  id: string
}

/** Reads the marker of a folder; undefined if there is none. Throws an Error if it is unreadable. */
export function readMarker(folder: string): Marker | undefined {
  let text: string
  try {
    text = readFileSync(join(folder, MARKER_FILE), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Error(`${MARKER_FILE} cannot be read (${code})`)
  }
  try {
    const { database, id } = JSON.parse(text) as Marker
    if ((database === 'embedded' || database === 'postgres') && typeof id === 'string') return { database, id }
  } catch {
    // throws below
  }
  throw new Error(`${MARKER_FILE} is damaged`)
}

/** Replaces the marker of a folder atomically. */
export function writeMarker(folder: string, marker: Marker): void {
  replaceFile(join(folder, MARKER_FILE), `${JSON.stringify(marker)}\n`)
}

/** Returns the bytes of the embedded database in a folder; 0 if there is none. */
export function embeddedSize(folder: string): number {
  try {
    return statSync(join(folder, DATABASE_FILE)).size
  } catch {
    return 0 // also if the path is no folder
  }
}

/** Id of a database without an id, or of an unreadable one. */
const UNNAMED = 'unnamed'

/** Returns the id of the embedded state in a folder, opened read-only; undefined if it has no durable rows. */
export function embeddedState(folder: string): string | undefined {
  if (embeddedSize(folder) === 0) return undefined
  try {
    const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
    try {
      const rows = (text: string) => db.prepare(text).all() as Record<string, string>[]
      const tables = new Set(rows(`SELECT name FROM sqlite_master WHERE type = 'table'`).map(({ name }) => name))
      const used = DURABLE_TABLES.some(
        (table) => tables.has(table) && rows(`SELECT 1 AS found FROM ${table} LIMIT 1`).length > 0,
      )
      if (!used) return undefined
      return tables.has('identity') ? (identityOf(rows('SELECT id, role FROM identity')).id ?? UNNAMED) : UNNAMED
    } finally {
      db.close()
    }
  } catch {
    return UNNAMED // unreadable: it may hold durable rows
  }
}
