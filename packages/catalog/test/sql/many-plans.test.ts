import pg from 'pg'
import { expect, it } from 'vitest'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { startPostgres } from '../../../../test/helpers/postgres-database.js'
import { runScript } from '../../../database/src/script.js'
import { numbered, type Query, type Result } from '../../../database/src/sql.js'
import { find } from '../../src/search/answer/find.js'
import { readSearch } from '../../src/search/request/request.js'
import { postgresCatalog } from '../catalog.js'
import { CHAIN, published, SCOPE } from './published.js'

const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))

it('looks up long lists of values in the full-text index, whatever the planner expects (threat 141)', async () => {
  const server = await startPostgres()
  const store = await postgresCatalog({ url: server.url(), connections: 4, timeout: 600_000 })
  atEnd(() => store.close())
  const changes = many(400, (at) => published(at, { name: `tide ${at}`, tags: [`t${at}`] }).changes).flat()
  await store.index.commit({ chainId: CHAIN, from: undefined, to: { block: 1, hash: '0x1' }, changes })
  while (await store.search.buildSome());
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  // as searches are read
  await client.query('ANALYZE; SET enable_seqscan = off; SET jit = off')
  const values = many(2048, (at) => `t${at}`)
  const search = readSearch({ query: { terms: { 'metadata.tags.keyword': values } } })
  const plans: string[] = []
  const { found } = await runScript(find(search, SCOPE, 'postgres'), async ({ text, values }: Query) => {
    if (text.includes('tsquery[]')) {
      const { rows } = await client.query(`EXPLAIN ${numbered(text)}`, values)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    }
    return { rows: (await client.query(numbered(text), values)).rows, changes: 0 } as Result
  })
  await client.end()
  expect(found.hits).toHaveLength(10)
  expect(plans.length).toBeGreaterThan(0)
  for (const plan of plans) {
    expect(plan).toContain('Index Cond: (tsv @@ part.query)')
    expect(plan).not.toMatch(/Join Filter: .*@@/)
  }
})
