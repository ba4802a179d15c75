import { type Address, type Hex, toHex } from 'viem'
import { expect, it } from 'vitest'
import { orderOf } from '../../../../test/helpers/orders.js'
import { ALICE, BOB } from '../../../../test/helpers/store-session.js'
import type { IndexChange, ReusedOrder } from '../../src/index/index-store.js'
import { readOrderSearch } from '../../src/search/orders/order-request.js'
import type { CatalogSession } from '../catalog.js'
import { assetOf, searches } from './documents.js'
import { at, commit, DID, NFT, PUBLISHED, TOKEN } from './published.js'

const txOf = (number: number): Hex => toHex(number, { size: 32 })
const OTHER_TOKEN: Address = '0x2222222222222222222222222222222222222222'
const ASSET = PUBLISHED.slice(0, 3)

/** An order of Alice in a block, with the transaction of that number. */
const started = (block: number, log = 0, more: { consumer?: Address; payer?: Address; timestamp?: number } = {}) =>
  orderOf(TOKEN, {
    block,
    log,
    txId: txOf(100 * block + log),
    consumer: ALICE,
    payer: ALICE,
    timestamp: block,
    ...more,
  })

function reused(block: number, log: number, of: Hex, more: Partial<ReusedOrder> = {}, datatoken = TOKEN): IndexChange {
  const order = {
    block,
    log,
    txId: txOf(100 * block + log),
    payer: BOB as Address,
    timestamp: block,
    started: of,
    ...more,
  }
  return { kind: 'reuse', datatoken: datatoken as Address, order }
}

const by = (field: string, value: unknown) => ({ query: { term: { [field]: value } } })

/** SearchStore: orders of the index, and how they follow it. */
export function orderSuite(session: CatalogSession): void {
  const page = (body: object, chains = [1], form: 'market' | 'enterprise' = 'enterprise') => {
    const search = readOrderSearch({ index: 'order', ...body }, form)
    if (!search) throw new Error('It is no search of orders.')
    return session.store.search.findOrders(search, chains)
  }
  /** The transactions that a search finds, by number. */
  const found = async (body: object, chains = [1]) =>
    (await page(body, chains)).orders.map(({ orderId }) => Number(orderId))

  it('finds an order with its asset, in any case of its addresses', async () => {
    await commit(session, [...ASSET, started(3, 2, { payer: BOB })], 7)
    const order = { consumer: ALICE, payer: BOB, datatokenAddress: TOKEN, nftAddress: NFT, did: DID, serviceIndex: 0 }
    const expected = { orderId: txOf(302), type: 'startOrder', timestamp: 3, chainId: 1, ...order }
    for (const [field, value] of [
      ['consumer.keyword', ALICE],
      ['consumer', ALICE.toLowerCase()],
      ['payer.keyword', BOB.toLowerCase()],
      ['datatokenAddress.keyword', TOKEN],
      ['nftAddress', NFT],
      ['did.keyword', DID],
      ['orderId', txOf(302)],
      ['_id', txOf(302)],
    ] as const)
      expect(await page(by(field, value)), field).toEqual({ orders: [expected], total: 1 })
    for (const [field, value] of [
      ['consumer', BOB],
      ['payer', 'nobody'],
      ['did', 'did:op:2'],
      ['orderId', txOf(1)],
    ] as const)
      expect(await page(by(field, value)), field).toEqual({ orders: [], total: 0 })
    expect(await found(by('consumer', ALICE), [2])).toEqual([])
  })

  it('gives a reuse to the consumer of its order, and leaves out one that names no order of its datatoken (threat 104)', async () => {
    const other: IndexChange = {
      kind: 'datatoken',
      datatoken: { address: OTHER_TOKEN, nft: NFT, name: 'o', symbol: 'O' },
    }
    await commit(session, [...ASSET, other, started(3)], 3)
    const wrong = [reused(4, 1, txOf(999)), reused(4, 2, txOf(300), {}, OTHER_TOKEN), reused(4, 3, txOf(400))]
    await commit(session, [reused(4, 0, txOf(300)), ...wrong], 4)
    expect(await found(by('consumer', ALICE))).toEqual([400, 300])
    const [reuse] = (await page(by('payer', BOB))).orders
    expect(reuse).toMatchObject({ type: 'reuseOrder', consumer: ALICE, payer: BOB, startOrderId: txOf(300), did: DID })
    const type = (value: string) => ({ bool: { filter: [by('consumer', ALICE).query, { term: { type: value } }] } })
    expect(await found({ query: type('reuseOrder') })).toEqual([400])
    expect(await found({ query: type('startOrder') })).toEqual([300])
    // the count of an asset is that of its orders
    expect((await session.store.index.asset(DID))?.datatokens[0]?.orders).toBe(1)
  })

  it('is not stopped by an event that a node gives twice', async () => {
    await commit(session, [...ASSET, started(3), started(3), reused(4, 0, txOf(300)), reused(4, 0, txOf(300))], 7)
    expect(await found(by('consumer', ALICE))).toEqual([400, 300])
  })

  it('pages and sorts orders by time, and counts them', async () => {
    await commit(session, [...ASSET, ...[1, 2, 3, 4, 5].map((block) => started(block))], 7)
    const mine = by('consumer', ALICE)
    expect(await found({ ...mine, sort: { timestamp: 'asc' } })).toEqual([100, 200, 300, 400, 500])
    expect(await found({ ...mine, sort: { timestamp: 'desc' }, size: 2 })).toEqual([500, 400])
    expect(await found({ ...mine, sort: { unknown: 'asc' }, size: 2, from: 1 })).toEqual([300, 200])
    const { orders, total } = await page({ ...mine, size: 2, from: '2' })
    expect([orders.map(({ timestamp }) => timestamp), total]).toEqual([[1], 5])
    const market = await page({ ...mine, size: 2, from: 2 }, [1], 'market')
    expect([market.orders.map(({ timestamp }) => timestamp), market.total]).toEqual([[3, 2], 0])
  })

  it('combines clauses, and ignores fields that orders do not have', async () => {
    await commit(session, [...ASSET, started(1), started(2, 0, { payer: BOB }), started(3, 0, { consumer: BOB })], 7)
    const [alice, paidByBob] = [by('consumer', ALICE).query, by('payer', BOB).query]
    const none = { bool: { must_not: [{ term: { 'indexedMetadata.nft.state': 5 } }, { term: { chainId: 2 } }, false] } }
    expect(await found({ query: { bool: { filter: [alice, none, null] } } })).toEqual([200, 100])
    expect(await found({ query: { bool: { must: [alice], must_not: [paidByBob] } } })).toEqual([100])
    expect(await found({ query: { bool: { should: [by('consumer', BOB).query, paidByBob] } } })).toEqual([300, 200])
    const both = { should: [alice, paidByBob], minimum_should_match: 2 }
    expect(await found({ query: { bool: both } })).toEqual([200])
    const since = { range: { timestamp: { gte: 2 } } }
    expect(await found({ query: { bool: { filter: [alice, since, { exists: { field: 'did' } }] } } })).toEqual([200])
    const reuses = { exists: { field: 'startOrderId' } }
    expect(await found({ query: { bool: { filter: [alice], must_not: [reuses] } } })).toEqual([200, 100])
    expect(await found({ query: { bool: { filter: [alice, { term: { chainId: 2 } }] } } })).toEqual([])
    expect(await found({ query: { terms: { consumer: [BOB, ALICE] } } })).toEqual([300, 200, 100])
  })

  it('counts the orders of many assets in one batch, whether their services are stored or not, and takes them back', async () => {
    const assets = Array.from({ length: 60 }, (_, at) => assetOf(at + 1, { name: `tide ${at}` }, { day: 1 }))
    const published = assets.flatMap(({ changes, datatoken }, at) =>
      changes.map((one) =>
        one.kind === 'metadata' && at % 2 === 0 ? { ...one, services: JSON.stringify([['s', datatoken]]) } : one,
      ),
    )
    const provisional = true
    await commit(session, published, 1, { provisional })
    // asset n has n % 4 orders more, in turns
    const orders = [1, 2, 3].flatMap((turn) =>
      assets.flatMap(({ datatoken }, at) =>
        at % 4 >= turn ? [orderOf(datatoken, { block: 2, log: 100 * turn + at, txId: txOf(100 * turn + at) })] : [],
      ),
    )
    const [first, last] = [orders[0], orders.at(-1)] as [(typeof orders)[number], (typeof orders)[number]]
    const reuses = [first, last].map(({ datatoken, order }, at) => reused(2, 90 + at, order.txId, {}, datatoken))
    await commit(session, [...orders.slice(0, -1), ...reuses, last], 2, { provisional })
    const { find } = searches(session)
    const ordered = async (field: string, gte: number) =>
      (await find({ query: { range: { [field]: { gte } } }, aggs: { n: { sum: { field } } }, size: 0 })).aggregations.n
    for (const field of ['stats.orders', 'indexedMetadata.stats.orders'])
      for (const [gte, value] of [
        [1, 90],
        [2, 75],
        [3, 45],
        [4, 0],
      ] as const)
        expect(await ordered(field, gte), `${field} from ${gte}`).toEqual({ value })
    // a reuse finds the orders before it
    expect((await page(by('payer', BOB))).orders.map(({ startOrderId }) => startOrderId)).toEqual([first.order.txId])
    await commit(session, [orderOf(assets[3]?.datatoken as Address, { block: 3 })], 3, { provisional })
    expect(await ordered('stats.orders', 4)).toEqual({ value: 4 })
    await session.store.index.rollback(1, at(1))
    expect(await ordered('stats.orders', 1)).toEqual({ value: 0 })
  })

  it('drops the orders of replaced blocks, also more than one transaction does (threat 33)', async () => {
    const provisional = true
    await commit(session, [...ASSET, started(1)], 1, { provisional })
    const many = Array.from({ length: 600 }, (_, at) => started(2 + Math.floor(at / 200), at))
    await commit(session, [...many, reused(4, 700, txOf(100))], 4, { provisional })
    expect((await page(by('consumer', ALICE))).total).toBe(602)
    expect((await session.store.index.asset(DID))?.datatokens[0]?.orders).toBe(601)
    await session.store.index.rollback(1, at(1))
    expect(await found(by('consumer', ALICE))).toEqual([100])
    expect((await session.store.index.asset(DID))?.datatokens[0]?.orders).toBe(1)
    await commit(session, [started(2, 5)], 2, { provisional })
    expect(await found(by('consumer', ALICE))).toEqual([205, 100])
  })

  it('serves those of the live generation alone, and sweeps those of old ones (threat 75)', async () => {
    await commit(session, [...ASSET, ...Array.from({ length: 600 }, (_, at) => started(1, at))], 7)
    const { index } = session.store
    await index.begin(1, true)
    const step = { chainId: 1, from: undefined, to: at(9, '1'), provisional: false }
    await index.next.commit({ ...step, changes: [...ASSET, started(3), reused(4, 0, txOf(300))] })
    expect((await page(by('consumer', ALICE))).total).toBe(600)
    expect(await index.promote(1, at(9, '1'))).toBe(true)
    expect(await found(by('consumer', ALICE))).toEqual([400, 300])
    while (await index.sweep(1));
    expect(await found(by('consumer', ALICE))).toEqual([400, 300])
    expect((await index.generations(1)).old).toBe(false)
  })

  it('is searched by turns with assets, on the same connections', async () => {
    await commit(session, [...ASSET, started(1)], 7)
    const { find } = searches(session)
    for (let turn = 0; turn < 4; turn++) {
      expect(await found(by('consumer', ALICE))).toEqual([100])
      expect((await find({})).total?.value).toBe(1)
    }
  })

  it('tells assets with the same addresses on two chains apart', async () => {
    await commit(session, [...ASSET, started(1)], 7)
    const changes = ASSET.map((one) =>
      one.kind === 'metadata' ? { ...one, metadata: { ...one.metadata, did: 'did:op:2' } } : one,
    )
    await commit(session, [...changes, started(2)], 8, { chainId: 2 })
    expect(await found(by('did', DID), [1, 2])).toEqual([100])
    expect(await found(by('did', 'did:op:2'), [1, 2])).toEqual([200])
    expect(await found(by('nftAddress', NFT), [1, 2])).toEqual([200, 100])
    expect(
      await found({ query: { bool: { filter: [by('consumer', ALICE).query, by('chainId', 2).query] } } }, [1, 2]),
    ).toEqual([200])
  })
}
