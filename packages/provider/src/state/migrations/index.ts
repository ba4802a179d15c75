import type { Dialect } from '@tidegate/database'
import { MIGRATIONS } from './steps.js'

/**
 * Placeholders with a text per dialect: a type for bytewise comparison, the time in seconds since 1970, and the option
 * for a table that is a single B-tree.
 */
const PLACEHOLDERS: Record<Dialect, Record<string, string>> = {
  sqlite: {
    BYTE_ORDERED: 'TEXT',
    SECONDS_NOW: "CAST(strftime('%s', 'now') AS INTEGER)",
    STORED_BY_KEY: 'WITHOUT ROWID',
  },
  postgres: {
    BYTE_ORDERED: 'TEXT COLLATE "C"',
    SECONDS_NOW: 'CAST(extract(epoch FROM now()) AS BIGINT)',
    STORED_BY_KEY: '',
  },
}

/** Returns the migrations for a database. */
export function migrationsFor(dialect: Dialect): string[] {
  return MIGRATIONS.map((step) =>
    (typeof step === 'string' ? step : step[dialect]).replace(
      /\b(?:BYTE_ORDERED|SECONDS_NOW|STORED_BY_KEY)\b/g,
      (placeholder) => PLACEHOLDERS[dialect][placeholder] as string,
    ),
  )
}
