import { statSync } from 'node:fs'
import Database from 'libsql'
import { StartError } from '../errors.js'
import type { LegacyRecord } from './records.js'

/**
 * Reads the SQLite file of the legacy service: table `user_nonce` (address, nonce) and, where that version had it,
 * `revoked_tokens` (token). The file is not written to. Throws StartError.
 */
export function* sqliteRecords(file: string): Generator<LegacyRecord> {
  const problem = (what: string) => new StartError([`--sqlite: ${file} ${what}.`])
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw problem('is no file')
  let db: Database.Database
  let tables: string[]
  try {
    db = new Database(file, { readonly: true })
    tables = names(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
  } catch {
    throw problem('cannot be read as an SQLite database')
  }
  try {
    if (!tables.includes('user_nonce')) throw problem('has no table user_nonce: is it the legacy service’s database?')
    for (const row of db.prepare('SELECT address, nonce FROM user_nonce').iterate() as Iterable<Row>)
      yield { address: String(row.address), nonce: String(row.nonce) }
    if (!tables.includes('revoked_tokens')) return
    for (const row of db.prepare('SELECT token FROM revoked_tokens').iterate() as Iterable<Row>)
      yield { token: String(row.token) }
  } finally {
    db.close()
  }
}

type Row = Record<string, unknown>

function names(rows: unknown[]): string[] {
  return (rows as Row[]).map(({ name }) => String(name))
}
