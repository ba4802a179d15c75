import { type Hex, toHex } from 'viem'
import { expect, it } from 'vitest'
import { orderOf } from '../../../../test/helpers/orders.js'
import { ALICE, BOB } from '../../../../test/helpers/store-session.js'
import type { SaleChange } from '../../src/sales/sale-table.js'
import type { CatalogSession } from '../catalog.js'
import { at, commit, DID, NFT, PUBLISHED, TOKEN } from './published.js'

const txOf = (number: number): Hex => toHex(number, { size: 32 })
const ASSET = PUBLISHED.slice(0, 3)
const provisional = true

/** An order of Alice, paid by Bob, in the transaction of a number. */
const ordered = (tx: number, block: number, log: number, timestamp = 100 + block) =>
  orderOf(TOKEN, { block, log, txId: txOf(tx), consumer: ALICE, payer: BOB, timestamp })

/** SaleStore: each change of an order is reported once. */
export function saleSuite(session: CatalogSession): void {
  /** The reported changes of one instance. `crash`: whether they are lost before they are recorded. */
  async function changes({ store = session.store, oldest = 0, crash = false } = {}): Promise<SaleChange[]> {
    const found: SaleChange[] = []
    const add = function* (some: SaleChange[]) {
      found.push(...some)
      if (crash) throw new Error('crash')
      yield* []
    }
    for (let rounds = 0; await store.sales.report(1, oldest, add); rounds++)
      if (rounds === 20) throw new Error('The reports have no end.')
    return found
  }
  const reported = async (options?: Parameters<typeof changes>[0]) =>
    (await changes(options)).map(
      ({ kind, order }) => `${kind} ${Number(order.orderId)}/${order.position} in ${order.block}`,
    )

  it('reports an order when it is read and when it is final, once over all instances and restarts (threat 147)', async () => {
    await session.store.sales.begin(1, 50_000)
    expect(await reported()).toEqual([])
    await commit(session, [...ASSET, ordered(1, 2, 0, 49)], 3)
    await commit(session, [ordered(2, 5, 0), ordered(2, 5, 4), ordered(3, 5, 7)], 5, { provisional })
    await expect(reported({ crash: true })).rejects.toThrow()
    const stores = [session.store, await session.open()]
    const both = await Promise.all(stores.map((store) => reported({ store })))
    expect(both.flat()).toEqual(['created 2/0 in 5', 'created 2/1 in 5', 'created 3/0 in 5'])

    await session.restart()
    expect(await reported()).toEqual([])
    await commit(session, [ordered(4, 6, 1)], 6, { provisional })
    await session.store.sales.begin(1, 900_000)
    await session.store.index.confirm(1, 5)
    expect((await reported()).toSorted()).toEqual([
      ...['confirmed 2/0 in 5', 'confirmed 2/1 in 5', 'confirmed 3/0 in 5', 'created 4/0 in 6'],
    ])
    expect(await reported()).toEqual([])
  })

  it('reports an order with its asset and both accounts', async () => {
    await session.store.sales.begin(1, 0)
    await commit(session, ASSET, 3)
    await commit(session, [ordered(1, 4, 0)], 4, { provisional })
    const order = { consumer: ALICE, payer: BOB, datatokenAddress: TOKEN, nftAddress: NFT, did: DID, serviceIndex: 0 }
    expect(await changes()).toEqual([
      {
        kind: 'created',
        order: {
          orderId: txOf(1),
          type: 'startOrder',
          timestamp: 104,
          chainId: 1,
          block: 4,
          log: 0,
          position: 0,
          ...order,
        },
      },
    ])
  })

  it('reports nothing twice of a moved order, and a lost one once the blocks in its place are final', async () => {
    await session.store.sales.begin(1, 0)
    await commit(session, ASSET, 3)
    await commit(session, [ordered(1, 4, 0), ordered(2, 5, 0)], 5, { provisional })
    expect(await reported()).toEqual(['created 1/0 in 4', 'created 2/0 in 5'])
    await session.store.index.rollback(1, at(3))
    expect(await reported()).toEqual([])
    // the second transaction is in another block and place, and the first one in none
    await commit(session, [ordered(2, 4, 3)], 4, { provisional })
    await commit(session, [], 6, { provisional })
    await session.restart()
    expect(await reported()).toEqual([])
    await session.store.index.confirm(1, 4)
    expect(await reported()).toEqual(['confirmed 2/0 in 4', 'reverted 1/0 in 4'])
    await session.store.index.confirm(1, 6)
    expect(await reported()).toEqual([])
  })

  it('reports all of many orders, without those of a long pause', async () => {
    await session.store.sales.begin(1, 0)
    await commit(session, ASSET, 3)
    const many = Array.from({ length: 250 }, (_, log) => ordered(log, 4, log, 200 + log))
    await commit(session, many, 4, { provisional })
    const oldest = 230_000
    expect(await reported({ oldest })).toHaveLength(220)
    await commit(session, [], 5)
    expect((await reported({ oldest })).filter((text) => text.startsWith('confirmed'))).toHaveLength(220)
  })

  it('reports many orders once each that are final when it first looks', async () => {
    await session.store.sales.begin(1, 0)
    await commit(session, [...ASSET, ...Array.from({ length: 250 }, (_, log) => ordered(log, 4, log))], 4)
    const all = await reported()
    expect(new Set(all).size).toBe(500)
    expect(all).toHaveLength(500)
    expect(await reported()).toEqual([])
  })
}
