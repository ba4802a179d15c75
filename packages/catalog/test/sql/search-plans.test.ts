import Database from 'libsql'
import { expect, it } from 'vitest'
import { runScriptSync } from '../../../database/src/script.js'
import type { Result } from '../../../database/src/sql.js'
import { migrationsFor } from '../../../provider/src/state/migrations/index.js'
import { readSearch } from '../../src/search/request/request.js'
import { find } from '../../src/search/sql/find.js'

/** A million documents have forty million values. */
it('no statement of a search reads the values of all documents for each of some, or those of all fields', () => {
  const db = new Database(':memory:')
  for (const step of migrationsFor('sqlite')) db.exec(step)
  db.exec("INSERT INTO index_reading (id, chain_id, role, wanted) VALUES (1, 1, 'live', 0)")
  const search = readSearch({
    size: 0,
    query: { bool: { filter: [{ term: { 'stats.price.tokenAddress': `0x${'1'.repeat(40)}` } }] } },
    aggs: {
      tags: {
        terms: { field: 'metadata.tags', order: { sales: 'desc' } },
        aggs: { sales: { sum: { field: 'stats.orders' } }, types: { terms: { field: 'metadata.type' } } },
      },
      orders: { sum: { field: 'stats.orders' } },
    },
  })
  let [statements, listed, values] = [0, 0, 0]
  const scope = { chains: [1], encrypted: true, purgatory: [] }
  runScriptSync(find(search, scope, 'sqlite'), (query) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${query.text}`).all(...query.values) as { detail: string }[]
    const reads = query.text.includes('search_value') ? plan.map(({ detail }) => detail) : []
    if (reads.length > 0) statements += 1
    for (const read of reads) {
      expect(read, query.text).not.toMatch(/^SCAN (?:search_value|[fgtv])\b/)
      if (read.includes('search_value_by_num')) listed += 1
      if (/^SEARCH [fgtv] .*PRIMARY KEY \(doc=\? AND path=\?/.test(read)) values += 1
    }
    return { rows: db.prepare(query.text).all(...query.values) as Result['rows'], changes: 0 }
  })
  db.close()
  // each statement lists the documents with a price once
  expect(listed).toBe(statements)
  expect(values).toBeGreaterThan(4)
})
