import type pg from 'pg'
import { LOCK_SPACE } from '../constants.js'
import { ageOf, CREATE_VERSIONS, type Schema, upgrade, VERSIONS_TABLE, versionsFrom, versionsOf } from '../schema.js'
import { numbered } from '../sql.js'
import type { Timeline } from './timeline.js'

/** Second number of the advisory lock of migrations. */
const MIGRATION_LOCK = 1

const RECORD = `INSERT INTO ${VERSIONS_TABLE} (owner, version) VALUES ($1, $2)
  ON CONFLICT (owner) DO UPDATE SET version = excluded.version`

/** Brings a database to the versions of a schema, in one transaction; instances that start at once wait for one another. */
export async function migrate(client: pg.ClientBase, schema: Schema, timelines: Timeline): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1, $2)', [LOCK_SPACE, MIGRATION_LOCK])
  await client.query(CREATE_VERSIONS)
  const { rows } = await client.query(`SELECT owner, version FROM ${VERSIONS_TABLE}`)
  const versions = versionsFrom(rows)
  if (ageOf(versions, schema) === 'newer') throw new Error('it was made by a newer version of Tidegate')
  await client.query('BEGIN')
  for (const step of upgrade(schema, 'postgres', versions)) await client.query(step)
  for (const [owner, version] of Object.entries(versionsOf(schema)))
    if (versions[owner] !== version) await client.query(RECORD, [owner, version])
  const after = schema.afterMigration?.()
  if (after) await client.query(numbered(after.text), after.values)
  await timelines.begin(client)
  await client.query('COMMIT')
}
