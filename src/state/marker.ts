import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { DATABASE_FILE } from './sqlite-file.js'
import { identityOf, MUST_SURVIVE } from './tables/identity.js'

/** Name of the file in the state folder that says where the state is. */
export const MARKER_FILE = 'state.json'

/** Where the state of this folder's installation was last, and which one it was. */
export interface Marker {
  database: 'embedded' | 'postgres'
  id: string
}

/** What the marker of a folder says; undefined where there is none. Throws where it cannot be read. */
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
    // said below
  }
  throw new Error(`${MARKER_FILE} is damaged`)
}

/** Written aside and renamed, so that nobody ever reads half a file. */
export function writeMarker(folder: string, marker: Marker): void {
  const aside = join(folder, `${MARKER_FILE}.${process.pid}`)
  try {
    writeFileSync(aside, `${JSON.stringify(marker)}\n`, { mode: 0o600, flush: true })
    renameSync(aside, join(folder, MARKER_FILE))
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
}

/** The size of a folder's embedded database, 0 where there is none. */
export function embeddedSize(folder: string): number {
  try {
    return statSync(join(folder, DATABASE_FILE)).size
  } catch {
    return 0 // also where the folder is none
  }
}

/** Stands for the id of a database that has none yet, or cannot be read. */
const UNNAMED = 'unnamed'

/** The state in a folder's embedded database, which is not changed; undefined where it holds nothing that must survive. */
export function embeddedState(folder: string): string | undefined {
  if (embeddedSize(folder) === 0) return undefined
  try {
    const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
    try {
      const rows = (text: string) => db.prepare(text).all() as Record<string, string>[]
      const tables = new Set(rows(`SELECT name FROM sqlite_master WHERE type = 'table'`).map(({ name }) => name))
      const used = MUST_SURVIVE.some(
        (table) => tables.has(table) && rows(`SELECT 1 AS found FROM ${table} LIMIT 1`).length > 0,
      )
      if (!used) return undefined
      return tables.has('identity') ? (identityOf(rows('SELECT id, role FROM identity')).id ?? UNNAMED) : UNNAMED
    } finally {
      db.close()
    }
  } catch {
    return UNNAMED // whatever it holds, nobody knows
  }
}
