import Database from 'libsql'
import { expect, it } from 'vitest'
import { upgrade } from '../../../database/src/schema.js'
import { runScriptSync } from '../../../database/src/script.js'
import type { Query, Result } from '../../../database/src/sql.js'
import { find, stateIn, stateQuery } from '../../src/search/answer/find.js'
import { generationsIn } from '../../src/search/conditions/generations.js'
import { STEPS } from '../../src/search/hits/order-walk.js'
import { byPrice } from '../../src/search/hits/price-order.js'
import { sorted } from '../../src/search/hits/sorted.js'
import { planOf } from '../../src/search/plan/plan.js'
import { readSearch } from '../../src/search/request/request.js'
import { CATALOG_SCHEMA } from '../catalog.js'

const SCOPE = { chains: [1], encrypted: true, purgatory: [] }
const SOLD = { term: { 'stats.price.tokenAddress': `0x${'1'.repeat(40)}` } }

/** Returns an empty database with the tables of a chain. */
function empty(): Database.Database {
  const db = new Database(':memory:')
  for (const step of upgrade(CATALOG_SCHEMA, 'sqlite')) db.exec(step)
  db.exec("INSERT INTO index_reading (id, chain_id, role, wanted) VALUES (1, 1, 'live', 0)")
  return db
}

const planIn = (db: Database.Database, { text, values }: Query) =>
  (db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[]).map(({ detail }) => detail)

/** A million documents have forty million values. */
it('no statement of a search reads the values of all documents for each of some, or those of all fields', () => {
  const db = empty()
  const search = readSearch({
    size: 0,
    query: { bool: { filter: [SOLD] } },
    aggs: {
      tags: {
        terms: { field: 'metadata.tags', order: { sales: 'desc' } },
        aggs: { sales: { sum: { field: 'stats.orders' } }, types: { terms: { field: 'metadata.type' } } },
      },
      orders: { sum: { field: 'stats.orders' } },
    },
  })
  let [listed, values] = [0, 0]
  runScriptSync(find(search, SCOPE, 'sqlite'), (query) => {
    const reads = query.text.includes('search_value') ? planIn(db, query) : []
    for (const read of reads) {
      expect(read, query.text).not.toMatch(/^SCAN (?:search_value|[fgtv])\b/)
      if (read.includes('search_value_by_price')) listed += 1
      if (/^SEARCH [fgtv] .*PRIMARY KEY \(doc=\? AND path=\?/.test(read)) values += 1
    }
    return { rows: db.prepare(query.text).all(...query.values) as Result['rows'], changes: 0 }
  })
  db.close()
  // the hits are listed once, which counts them, and each aggregation reads that list
  expect(listed).toBe(1)
  expect(values).toBeGreaterThan(4)
})

const RANGE = { range: { 'stats.price.value': { gt: 0, lte: 100 } } }
it.each([
  ['asc', [SOLD, RANGE], ['search_value_by_price (path=? AND txt=? AND num>? AND num<?)']],
  ['desc', [SOLD, RANGE], ['search_value_by_price_down (path=? AND txt=? AND num>? AND num<?)']],
  ['asc', [], ['search_value_by_price (path=? AND txt=?)', 'search_value_by_price (path=? AND txt>?)']],
  ['desc', [], ['search_value_by_price_down (path=? AND txt>?)', 'search_value_by_price_down (path=? AND txt=?)']],
] as const)('an index has the order of prices: %s, of %j', (order, filter, wanted) => {
  const db = empty()
  const search = readSearch({ query: { bool: { filter } }, sort: { 'stats.price.value': order } })
  const rows = ({ text, values }: Query) => ({ rows: db.prepare(text).all(...values) as Result['rows'], changes: 0 })
  const plan = planOf(search, SCOPE, 'sqlite', generationsIn(stateIn(rows(stateQuery('sqlite')))))
  const read: string[] = []
  runScriptSync(
    byPrice(plan, { path: 'stats.price.value', descending: order === 'desc', missing: 'last' }),
    (query) => {
      const explained = planIn(db, query).filter((one) => one.startsWith('SEARCH v'))
      if (explained.length > 0) read.push(...explained)
      // the page itself is sorted, and nothing else
      const sorts = planIn(db, query).filter((one) => one.includes('TEMP B-TREE FOR ORDER BY'))
      expect(sorts.length, query.text).toBeLessThanOrEqual(1)
      return rows(query)
    },
  )
  db.close()
  expect(new Set(read)).toEqual(new Set(wanted.map((one) => `SEARCH v USING COVERING INDEX ${one}`)))
})

it.each([
  ['metadata.name', 'asc', 'search_value_by_name_4'],
  ['metadata.name', 'desc', 'search_value_by_name_4'],
  ['credentialSubject.metadata.name', 'asc', 'search_value_by_name_5'],
] as const)('an index has the order of names: %s %s', (path, order, index) => {
  const db = empty()
  const sort = { path, descending: order === 'desc', missing: 'last' as const }
  const search = readSearch({
    query: { bool: { filter: [{ term: { 'metadata.type': 'dataset' } }] } },
    sort: { [`${path}.keyword`]: order },
  })
  expect(search.sort).toEqual([sort])
  const rows = ({ text, values }: Query) => ({ rows: db.prepare(text).all(...values) as Result['rows'], changes: 0 })
  const plan = planOf(search, SCOPE, 'sqlite', generationsIn(stateIn(rows(stateQuery('sqlite')))))
  const [read, values]: [string[], unknown[]] = [[], []]
  runScriptSync(sorted(plan), (query) => {
    const explained = planIn(db, query)
    values.push(...query.values)
    read.push(...explained.filter((one) => /^(?:SEARCH|SCAN) (?:v|search_value) /.test(one)))
    // the names of one asset and the page itself are sorted, and nothing else
    expect(explained.filter((one) => one.includes('TEMP B-TREE FOR ORDER BY')).length, query.text).toBeLessThanOrEqual(
      2,
    )
    return rows(query)
  })
  db.close()
  const numbers = 'SEARCH search_value USING COVERING INDEX search_value_by_num (path=? AND num>?)'
  expect(read).toEqual([numbers, `SCAN v USING INDEX ${index}`])
  // where hits are rare, it ends before all names are looked up
  expect(values).toContain(STEPS.least + STEPS.perHit * search.size)
})
