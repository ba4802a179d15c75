import Database from 'libsql'
import { expect, it } from 'vitest'
import { migrationsFor } from '../../src/state/migrations/index.js'
import { MUST_SURVIVE } from '../../src/state/tables/identity.js'
import { GROUPS } from '../../src/state/tables/moving.js'

/** Tables that `tidegate move-state` leaves where they are. */
const STAYS = [
  'identity', // says which database this is
  'leases', // say which instance on this database leads
]

/** What a database of this version has: columns by table, and those of its primary key in their order. */
function schema(): Record<string, { columns: string[]; key: string[] }> {
  const db = new Database(':memory:')
  for (const step of migrationsFor('sqlite')) db.exec(step)
  const rows = (text: string) => db.prepare(text).all() as { name: string; pk: number }[]
  const tables = rows(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
  return Object.fromEntries(
    tables.map(({ name }) => {
      const columns = rows(`SELECT name, pk FROM pragma_table_info('${name}')`)
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
      return [name, { columns: columns.map((column) => column.name).sort(), key: key.map((column) => column.name) }]
    }),
  )
}

const moved = GROUPS.flatMap(({ tables }) => tables)

it('moves every table with all of its columns, but those that are known to stay (threat 66)', () => {
  const found = schema()
  for (const table of STAYS) {
    delete found[table]
  }
  const known = moved.map(({ name, columns, key }) => [
    name,
    { columns: [...columns].sort(), key: columns.slice(0, key) },
  ])
  expect(Object.fromEntries(known)).toEqual(found)
})

it('knows the tables of both databases (threat 66)', () => {
  const created = migrationsFor('postgres').flatMap((step) => [...step.matchAll(/CREATE TABLE (\w+)/g)])
  expect(created.map(([, name]) => name).sort()).toEqual([...moved.map(({ name }) => name), ...STAYS].sort())
})

it('moves each table once, and every one whose rows must survive (threat 66)', () => {
  const names = moved.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(MUST_SURVIVE))
})
