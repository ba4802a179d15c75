import { randomBytes } from 'node:crypto'
import { DATABASE_LIMITS } from './limits.js'
import { type Query, sql } from './sql.js'

/** Statement that tests reading. */
export const PROBE: Query = { text: 'SELECT id FROM probe', values: [] }

const WRITE = sql(
  'INSERT INTO probe (id, filler) VALUES (:id, :filler) ON CONFLICT (id) DO UPDATE SET filler = excluded.filler',
)
const UNDO = sql('DELETE FROM probe WHERE id = :id')

/**
 * Returns two statements that test writing: the second undoes the first, in its own transaction.
 */
export function probeWrites(): [Query, Query] {
  const row = { id: 'probe', filler: randomBytes(DATABASE_LIMITS.faults.probe).toString('hex') }
  return [WRITE(row), UNDO(row)]
}
