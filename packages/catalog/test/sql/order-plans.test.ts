import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { orderOf, orderStatements } from '../../../../test/helpers/orders.js'
import { upgrade } from '../../../database/src/schema.js'
import type { Query } from '../../../database/src/sql.js'
import { insertReuse } from '../../src/index/tables/orders.js'
import { CATALOG_SCHEMA } from '../catalog.js'

const ADDRESS = `0x${'1'.repeat(40)}` as const
const HASH = `0x${'2'.repeat(64)}` as const
/** Anybody fills a chain with orders: no statement may read all of them (threat 104). */
describe('statements on orders', () => {
  const db = new Database(':memory:')
  for (const step of upgrade(CATALOG_SCHEMA, 'sqlite')) db.exec(step)

  function expectIndexed({ text, values }: Query): void {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[]
    const reads = plan.map(({ detail }) => detail).filter((detail) => detail.includes('index_order'))
    expect(reads.length, text).toBeGreaterThan(0)
    for (const read of reads)
      expect(read).toMatch(/^SEARCH index_order USING (?:COVERING )?INDEX index_order_by_\w+ \((?!chain)/)
  }

  it.each([
    [{ term: { consumer: ADDRESS } }],
    [{ terms: { payer: [ADDRESS, `0x${'3'.repeat(40)}`] } }],
    [{ term: { datatokenAddress: ADDRESS } }],
    [{ term: { orderId: HASH } }],
    [{ term: { did: 'did:op:1' } }],
    [{ term: { nftAddress: ADDRESS } }],
    [{ bool: { should: [{ term: { consumer: ADDRESS } }, { term: { payer: ADDRESS } }] } }],
    [
      {
        bool: {
          filter: [{ term: { consumer: ADDRESS } }],
          must_not: [{ term: { chainId: 2 } }, { exists: { field: 'a' } }],
        },
      },
    ],
    [{ bool: { filter: [{ term: { did: 'did:op:1' } }, { range: { timestamp: { gte: 1 } } }] } }],
  ])('of a search read them by an index: %j', async (query) => {
    const found = await orderStatements(query)
    expect(found).toHaveLength(2)
    for (const statement of found) expectIndexed(statement)
  })

  it('of a reuse read them by an index', () => {
    const { order } = orderOf(ADDRESS)
    expectIndexed(insertReuse(1, ADDRESS, { ...order, started: HASH }))
  })
})
