import { type Address, getAddress, type Hex, toHex } from 'viem'
import { expect, it } from 'vitest'
import type { IndexChange } from '../../src/index/index-store.js'
import type { CatalogSession } from '../catalog.js'
import { CATALOGUE, CATALOGUE_CHANGES, searches } from './documents.js'
import { at, commit } from './published.js'

const { tables, waves, model } = CATALOGUE
const contract = (digit: string): Address => `0x${digit}${'1'.repeat(39)}`
const [EXCHANGE, DISPENSER, EUROE, OCEAN] = [contract('E'), contract('D'), contract('A'), contract('B')]
const idOf = (number: number): Hex => toHex(number, { size: 32 })

/** An exchange's offer. `number`: its id, and its position. */
const sold = (number: number, datatoken: Address, price: string, token = EUROE): IndexChange => {
  const offer = { type: 'fixedrate', price, contract: EXCHANGE, token, exchangeId: idOf(number) } as const
  return { kind: 'offer', offer: { ...offer, datatoken, block: 1, log: number } }
}
const free = (datatoken: Address, log = 0): IndexChange => ({
  kind: 'offer',
  offer: { type: 'dispenser', price: '0', contract: DISPENSER, datatoken, block: 1, log },
})
const rate = (number: number, price: string, market = EXCHANGE): IndexChange => ({
  kind: 'rate',
  market,
  offer: idOf(number),
  price,
})
const activity = (number: number, isActive: boolean): IndexChange => ({
  kind: 'activity',
  market: EXCHANGE,
  offer: idOf(number),
  isActive,
})

/** Offers in the index and in searches. */
export function offerSuite(session: CatalogSession): void {
  const { find, names } = searches(session)
  const PATH = 'indexedMetadata.stats.prices.price'
  const offersOf = async ({ did, datatoken }: { did: string; datatoken: Address }) =>
    (await session.store.index.asset(did))?.offers?.get(datatoken)?.map(({ type, price }) => `${type} ${price}`)
  const above = (price: number) => names({ query: { range: { [PATH]: { gt: price } } } })

  it('lists the active offers of a datatoken, exchanges first, as single asset and in a page', async () => {
    await commit(session, [...CATALOGUE_CHANGES, free(tables.datatoken), sold(1, tables.datatoken, '2.5')], 1)
    const offers = [
      { type: 'fixedrate', price: '2.5', contract: EXCHANGE, token: EUROE, exchangeId: idOf(1) },
      { type: 'dispenser', price: '0', contract: DISPENSER },
    ]
    expect((await session.store.index.asset(tables.did))?.offers).toEqual(new Map([[tables.datatoken, offers]]))
    const { assets } = await find({})
    expect(assets.get(tables.did)?.offers).toEqual(new Map([[tables.datatoken, offers]]))
    expect(assets.get(waves.did)?.offers).toEqual(new Map())
  })

  it('follows rates and activity, and finds by the current price', async () => {
    await commit(session, [...CATALOGUE_CHANGES, sold(1, tables.datatoken, '2.5'), sold(2, waves.datatoken, '1')], 1)
    expect(await above(2)).toEqual(['tables'])
    expect(await names({ query: { term: { [`${PATH}.keyword`]: '2.5' } } })).toEqual(['tables'])
    await commit(session, [rate(1, '0.5'), rate(2, '30'), activity(2, false)], 2)
    expect([await offersOf(tables), await offersOf(waves)]).toEqual([['fixedrate 0.5'], undefined])
    expect(await above(0)).toEqual(['tables'])
    expect(await names({ query: { exists: { field: PATH } } })).toEqual(['tables'])
    await commit(session, [activity(2, true)], 3)
    expect(await above(2)).toEqual(['waves'])
    // a new version of the document keeps its price
    await commit(session, tables.changes.slice(2), 4)
    expect(await above(0)).toEqual(['waves', 'tables'])
  })

  it('leaves out offers of unknown datatokens, and changes of unknown offers', async () => {
    const stranger: Address = `0x${'7'.repeat(40)}`
    await commit(session, [...CATALOGUE_CHANGES, sold(1, stranger, '1'), sold(2, waves.datatoken, '1')], 1)
    await commit(session, [rate(1, '9'), rate(2, '9', stranger), activity(3, true)], 2)
    expect(await offersOf(waves)).toEqual(['fixedrate 1'])
    expect(await above(0)).toEqual(['waves'])
  })

  it('sorts by price within a token, tokens grouped, and free assets first', async () => {
    const changes = [free(model.datatoken), sold(1, tables.datatoken, '10'), sold(2, waves.datatoken, '9')]
    await commit(session, [...CATALOGUE_CHANGES, ...changes], 1)
    for (const field of [PATH, `${PATH}.keyword`, 'stats.price.value']) {
      expect(await names({ sort: { [field]: 'asc' } }), field).toEqual(['model', 'waves', 'tables'])
      expect(await names({ sort: { [field]: 'desc' } }), field).toEqual(['tables', 'waves', 'model'])
    }
    await commit(session, [activity(2, false), sold(3, waves.datatoken, '1', OCEAN), activity(1, true)], 2)
    expect(await names({ sort: { [PATH]: 'asc' } })).toEqual(['model', 'tables', 'waves'])
    expect(await names({ sort: { [PATH]: 'desc' } })).toEqual(['tables', 'waves', 'model'])
    await commit(session, [activity(1, false)], 3)
    expect(await names({ sort: { [PATH]: 'asc' } })).toEqual(['model', 'waves', 'tables'])
    expect(await names({ sort: { 'stats.unknown': 'asc' } })).toEqual(['model', 'waves', 'tables'])
  })

  it('finds assets by the token of their first offer', async () => {
    const changes = [
      free(model.datatoken),
      sold(1, tables.datatoken, '10'),
      sold(2, waves.datatoken, '9', getAddress(OCEAN)),
    ]
    await commit(session, [...CATALOGUE_CHANGES, ...changes], 1)
    const soldFor = (token: string) => names({ query: { term: { 'stats.price.tokenAddress': token } } })
    expect(await soldFor(OCEAN)).toEqual(['waves'])
    expect(await soldFor(OCEAN.toLowerCase())).toEqual(['waves'])
    expect([await soldFor('OCEAN'), await soldFor('')]).toEqual([[], []])
  })

  it('takes back what replaced blocks offered (threat 33)', async () => {
    const provisional = true
    const { index } = session.store
    await commit(session, [...CATALOGUE_CHANGES, sold(1, tables.datatoken, '2')], 1, { provisional })
    const market = { kind: 'market', market: EXCHANGE, block: 1 } as const
    await commit(session, [market, rate(1, '5'), sold(2, waves.datatoken, '7')], 2, { provisional })
    await commit(session, [activity(1, false), market], 3, { provisional })
    expect(await index.known(1, 'market', [EXCHANGE])).toEqual([EXCHANGE])
    await index.rollback(1, at(2))
    expect([await offersOf(tables), await offersOf(waves)]).toEqual([['fixedrate 5'], ['fixedrate 7']])
    expect(await index.emitters(1, 'market', undefined, 9)).toEqual([EXCHANGE])
    await index.rollback(1, at(1))
    expect([await offersOf(tables), await offersOf(waves)]).toEqual([['fixedrate 2'], undefined])
    expect(await names({ sort: { [PATH]: 'asc' }, query: { exists: { field: PATH } } })).toEqual(['tables'])
    expect(await above(4)).toEqual([])
    expect(await index.known(1, 'market', [EXCHANGE])).toEqual([])
  })

  it('serves offers of the live generation alone, and sweeps those of old ones (threat 75)', async () => {
    await commit(
      session,
      [...CATALOGUE_CHANGES, { kind: 'market', market: EXCHANGE, block: 1 }, sold(1, tables.datatoken, '2')],
      1,
    )
    const { index } = session.store
    await index.begin(1, true)
    const changes = [...CATALOGUE_CHANGES, sold(2, waves.datatoken, '3')]
    await index.next.commit({ chainId: 1, from: undefined, to: at(9, '1'), changes })
    expect(await above(0)).toEqual(['tables'])
    expect(await index.promote(1, at(9, '1'))).toBe(true)
    expect(await above(0)).toEqual(['waves'])
    while (await index.sweep(1));
    expect((await index.generations(1)).old).toBe(false)
    expect([await offersOf(tables), await offersOf(waves)]).toEqual([undefined, ['fixedrate 3']])
  })
}
