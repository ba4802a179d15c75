import pg from 'pg'
import { type Address, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { heldBy } from '../../../../test/helpers/measured.js'
import { orderOf, orderStatements } from '../../../../test/helpers/orders.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { readOrderSearch } from '../../../catalog/src/search/orders/order-request.js'
import { at, DID, PUBLISHED, TOKEN } from '../../../catalog/test/store/published.js'
import { numbered } from '../../../database/src/sql.js'
import { openPostgresStore } from '../../src/state/postgres.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/stores.js'

const ORDERS = 1_000_000
/** Orders of one commit, which is what the index commits inside a block at most. */
const AT_ONCE = 800
/** Consumers with as many orders each; the first one has a hundredth of all orders. */
const CONSUMERS = 20_000
const consumer = (number: number): Address => toHex(number + 1, { size: 20 })

describe.each(['embedded', 'PostgreSQL'])('a million orders: %s', (kind) => {
  let store: StateStore
  let server: PostgresDatabase | undefined
  const folder = newFolder()
  beforeAll(async () => {
    if (kind === 'PostgreSQL') server = await startPostgres()
    store = server
      ? await openPostgresStore({ url: server.url(), connections: 4, timeout: 600_000 })
      : openSqliteStore(folder)
    const begun = performance.now()
    await fill(store.index, 0)
    const seconds = (performance.now() - begun) / 1000
    console.info(`${kind}: ${Math.round(ORDERS / seconds)} orders a second`)
  }, 3_600_000)
  afterAll(async () => {
    await store?.close()
    await server?.close()
  }, 600_000)

  /** Commits the asset and all orders to a generation, in many blocks. */
  async function fill(generation: Pick<StateStore['index'], 'commit'>, fork: number) {
    const cursor = (block: number) => at(block, String(fork))
    await generation.commit({ chainId: 1, from: undefined, to: cursor(1), changes: PUBLISHED.slice(0, 3) })
    for (let done = 0, block = 1; done < ORDERS; done += AT_ONCE, block++) {
      const changes = Array.from({ length: Math.min(AT_ONCE, ORDERS - done) }, (_, log) => {
        const number = done + log
        const buyer = number % 100 === 0 ? consumer(0) : consumer(1 + (number % CONSUMERS))
        const order = { block: block + 1, log, txId: toHex(number, { size: 32 }), consumer: buyer, payer: buyer }
        return orderOf(TOKEN, { ...order, timestamp: block + 1 })
      })
      await generation.commit({ chainId: 1, from: cursor(block), to: cursor(block + 1), changes })
    }
  }
  const last = 1 + Math.ceil(ORDERS / AT_ONCE)

  async function found(query: object, more: object = {}) {
    const search = readOrderSearch({ index: 'order', query, ...more }, 'enterprise')
    if (!search) throw new Error('It is no search of orders.')
    const begun = performance.now()
    const { orders, total } = await store.search.findOrders(search, [1])
    return { count: orders.length, total, took: performance.now() - begun }
  }

  it('are found by consumer, payer, asset and transaction in a moment', async () => {
    const few = consumer(2)
    for (const [query, total] of [
      [{ term: { consumer: few } }, ORDERS / CONSUMERS],
      [{ term: { payer: few } }, ORDERS / CONSUMERS],
      [{ bool: { should: [{ term: { consumer: few } }, { term: { payer: few } }] } }, ORDERS / CONSUMERS],
      [{ term: { orderId: toHex(77, { size: 32 }) } }, 1],
      // counted up to a bound, and only a page is read
      [{ term: { did: DID } }, 10_000],
      [{ term: { datatokenAddress: TOKEN } }, 10_000],
      [{ term: { consumer: consumer(0) } }, ORDERS / 100],
    ] as const) {
      const { total: counted, took } = await found(query, { size: 100 })
      expect([JSON.stringify(query), counted]).toEqual([JSON.stringify(query), total])
      expect(took, JSON.stringify(query)).toBeLessThan(2_000)
    }
  })

  it.runIf(kind === 'PostgreSQL')('are found by consumer and payer through an index', async () => {
    const db = new pg.Client(server?.url())
    await db.connect()
    await db.query('ANALYZE index_order')
    for (const field of ['consumer', 'payer']) {
      for (const { text, values } of await orderStatements({ term: { [field]: consumer(2) } })) {
        const { rows } = await db.query(`EXPLAIN ${numbered(text)}`, values)
        expect(JSON.stringify(rows)).toMatch(new RegExp(`index_order_by_${field}.*Index Cond: \\(\\(?${field} = `))
      }
    }
    await db.end()
  })

  it('do not hold the event loop when a search reads all of them in vain', async () => {
    const filter = [{ term: { datatokenAddress: TOKEN } }, { term: { type: 'reuseOrder' } }]
    const held = await heldBy(async () => {
      const { total } = await found({ bool: { filter } }).catch(() => ({ total: 0 }))
      expect(total).toBe(0)
    })
    expect(held).toBeLessThan(1_000)
  })

  it('are rebuilt beside, served meanwhile, and swept', async () => {
    await store.index.begin(1, true)
    await fill(store.index.next, 1)
    expect((await found({ term: { consumer: consumer(2) } })).total).toBe(ORDERS / CONSUMERS)
    expect(await store.index.promote(1, at(last, '1'))).toBe(true)
    await eventually(async () => !(await store.index.sweep(1)), 3_600_000)
    expect((await found({ term: { consumer: consumer(2) } })).total).toBe(ORDERS / CONSUMERS)
  }, 7_200_000)
})
