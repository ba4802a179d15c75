import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd, newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startPostgres } from '../../../../test/helpers/postgres-database.js'
import { ask } from '../../../../test/helpers/requests.js'
import { type Service, startHere } from '../../../../test/helpers/service-here.js'
import { World } from '../../../../test/helpers/world.js'
import type { FoundOrder } from '../../../catalog/src/search/orders/order-fields.js'

/** Fields of texts, numbers, times and prices, of documents and of orders. */
const FIELDS = ['*', 'id', 'chainId', 'metadata.name', 'nft.created', 'stats.orders', 'stats.price.value', 'a\0\ud800']
const ORDER_FIELDS = ['consumer', 'orderId', 'timestamp', 'serviceIndex', 'type', 'did', 'nftAddress', 'chainId']
const NUMBERS = [0.5, 1e19, -1e30, 1e308, '99999999999999999999', '9'.repeat(300)]
const TIMES = ['0001-01-01', '9999-12-31T23:59:59Z', '0000-00-00', '+275760-09-13']
const TEXTS = ['\0', 'a\0b', '\ud800', "\udfff' & | ! <-> :* \\", '/(a+)+$/', '*'.repeat(99), 'a'.repeat(4096)]
const VALUES = [...NUMBERS, ...TIMES, ...TEXTS, null, {}]

/** Clauses of a field, in groups by the type of their values. */
function clausesOf(field: string): object[][] {
  const each = [NUMBERS, TIMES, TEXTS, [null, {}]].map((values) =>
    values.flatMap((value) => [
      { range: { [field]: { gt: value } } },
      { range: { [field]: { lte: value } } },
      { term: { [field]: value } },
    ]),
  )
  const all = [...NUMBERS, ...TIMES, ...TEXTS]
  return [...each, [{ terms: { [field]: all } }, { match: { [field]: all.join(' ') } }, { ids: { values: all } }]]
}

describe('hostile searches', () => {
  let order: FoundOrder
  const services: Record<string, Service> = {}
  const post = (name: string, path: string, body: unknown) =>
    ask(`${services[name]?.url}/api/aquarius/assets${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const ordersOf = (name: string, consumer: string, ...filter: object[]) =>
    post(name, '/metadata/query', { index: 'order', query: { bool: { must: [{ term: { consumer } }], filter } } })

  beforeAll(async () => {
    const folder = newFolder()
    const [world, postgres] = await Promise.all([World.start(), startPostgres()])
    const settings = (name: string, changed = {}) =>
      world.beside({ STATE_DIR: join(folder, name), MCP: 'on', ...changed })
    services.embedded = await startHere(settings('embedded'))
    services.PostgreSQL = await startHere(settings('postgres', { DATABASE_URL: postgres.url() }))
    for (const service of Object.values(services)) atEnd(() => service.end())
    const { buyer } = await world.sold(world.storage.file('/tides.csv', Buffer.from('tides')))
    for (const name of Object.keys(services))
      await eventually(async () => {
        const { json } = await ordersOf(name, buyer.address)
        order = (json as unknown as FoundOrder[][])[0]?.[0] as FoundOrder
        return order !== undefined
      })
  })

  it.each(['embedded', 'PostgreSQL'])('are never a 5xx, in any clause of any field: %s (threat 140)', async (name) => {
    const failed: string[] = []
    const send = async (path: string, body: object) => {
      const { status, text } = await post(name, path, body)
      if (status !== 200 && status !== 400) failed.push(`${status} ${JSON.stringify(body).slice(0, 200)} ${text}`)
      return status
    }
    /**
     * Sends clauses together. A refused clause hides those beside it, so those of a refused list go alone, and then
     * those together that are not refused.
     */
    const sendClauses = async (path: string, clauses: object[], around: (clauses: object[]) => object) => {
      if ((await send(path, around(clauses))) === 200) return
      const taken: object[] = []
      for (const clause of clauses) if ((await send(path, around([clause]))) === 200) taken.push(clause)
      if (taken.length > 1) expect(await send(path, around(taken))).toBe(200)
    }
    for (const field of FIELDS) {
      for (const group of clausesOf(field))
        await sendClauses('/query', group, (should) => ({ query: { bool: { should } }, size: 1 }))
      await send('/query', { sort: [{ [field]: 'desc' }], _source: [field, '*\0*'] })
      await send('/query', { size: 0, aggs: { a: { terms: { field }, aggs: { b: { sum: { field } } } } } })
    }
    const listed = { term: { consumer: order.consumer } }
    for (const field of ORDER_FIELDS)
      for (const group of clausesOf(field)) {
        const around = (must_not: object[]) => ({ index: 'order', query: { bool: { must: [listed], must_not } } })
        await sendClauses('/metadata/query', group, around)
      }
    for (const value of VALUES)
      for (const key of ['from', 'size', 'track_total_hits', 'sort', '_source', 'aggs', 'query']) {
        await send('/query', { [key]: value })
        await send('/metadata/query', { index: 'order', query: listed, [key]: value })
        await send('/metadata/query', { index: 'op_ddo_v5.0.0', query: { match_all: {} }, [key]: value })
      }
    for (const didList of [TEXTS, VALUES, Array(1000).fill(TEXTS[0])]) await send('/names', { didList })
    expect(failed).toEqual([])
  })

  it.each(['embedded', 'PostgreSQL'])('of agents are answered or refused: %s (threat 140)', async (name) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const failed: string[] = []
    for (const value of [...VALUES, 'a '.repeat(100), '-"('.repeat(66), Array(10).fill('\0'), ['a'.repeat(100)]])
      for (const field of ['text', 'tags', 'type', 'free', 'sort', 'page']) {
        const params = { name: 'search_assets', arguments: { [field]: value } }
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
        const { status, text } = await ask(`${services[name]?.url}/mcp`, { method: 'POST', headers, body })
        if (status >= 500 || /FAILED|UNAVAILABLE|TIMEOUT/.test(text)) failed.push(`${status} ${body} ${text}`)
      }
    expect(failed).toEqual([])
  })

  it.each([
    'embedded',
    'PostgreSQL',
  ])('of orders compare with fractions and any number: %s (threat 140)', async (name) => {
    const { consumer, timestamp } = order
    const isFound = async (field: string, range: object) =>
      (await ordersOf(name, consumer, { range: { [field]: range } })).text !== '[]'
    const met = [
      { gt: timestamp - 0.5 },
      { gte: timestamp - 0.5 },
      { gte: timestamp },
      { lt: timestamp + 0.5 },
      { lte: timestamp },
    ]
    for (const range of [...met, { gt: -1e300, lt: 1e300 }]) expect(await isFound('timestamp', range)).toBe(true)
    const missed = [
      { gt: timestamp },
      { gte: timestamp + 0.5 },
      { lt: timestamp },
      { lte: timestamp - 0.5 },
      { gt: 1e300 },
    ]
    for (const range of missed) expect(await isFound('timestamp', range)).toBe(false)
    expect(await isFound('serviceIndex', { gt: -0.5, lt: 0.5 })).toBe(true)
    expect(await isFound('serviceIndex', { gte: 0.5 })).toBe(false)
  })
})
