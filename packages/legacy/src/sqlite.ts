import { statSync } from 'node:fs'
import { StartError } from '@tidegate/protocol'
import Database from 'libsql'
import type { LegacyRecord, LegacySource } from './records.js'

/**
 * Opens the legacy SQLite file read-only: table `user_nonce` (address, nonce) and, in later versions, `revoked_tokens`
 * (token). Throws StartError.
 */
export function openLegacySqlite(file: string): LegacySource {
  const problem = (what: string) => new StartError([`--sqlite: ${file} ${what}.`])
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw problem('is not a file')
  let db: Database.Database
  let tables: string[]
  try {
    db = new Database(file, { readonly: true })
    tables = names(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
  } catch {
    throw problem('cannot be read as an SQLite database')
  }
  if (!tables.includes('user_nonce')) {
    db.close()
    throw problem('has no table user_nonce: is it the legacy service’s database?')
  }
  return { records: () => records(db, tables.includes('revoked_tokens')), close: () => db.close() }
}

function* records(db: Database.Database, hasTokens: boolean): Generator<LegacyRecord> {
  for (const row of db.prepare('SELECT address, nonce FROM user_nonce').iterate() as Iterable<Row>)
    yield { address: String(row.address), nonce: String(row.nonce) }
  if (!hasTokens) return
  for (const row of db.prepare('SELECT token FROM revoked_tokens').iterate() as Iterable<Row>)
    yield { token: String(row.token) }
}

type Row = Record<string, unknown>

function names(rows: unknown[]): string[] {
  return (rows as Row[]).map(({ name }) => String(name))
}
