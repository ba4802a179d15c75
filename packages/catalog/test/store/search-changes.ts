import { expect, it } from 'vitest'
import { orderOf } from '../../../../test/helpers/orders.js'
import type { IndexChange } from '../../src/index/index-store.js'
import type { CatalogSession } from '../catalog.js'
import { assetOf, CATALOGUE, CATALOGUE_CHANGES, searches, words } from './documents.js'
import { at, commit, UNSTORABLE } from './published.js'

/** SearchStore: what is found as the index changes, and the scope of a search. */
export function searchChangeSuite(session: CatalogSession): void {
  const { find, names } = searches(session)
  const { tables, waves, model } = CATALOGUE
  const TIDE = words('tide')
  const renamed = assetOf(1, { name: 'Ebb tables' }).changes

  it('finds nothing in an empty index', async () => {
    expect(await find({ aggs: { n: { sum: { field: 'stats.orders' } } } })).toEqual({
      ...{ building: false, total: { value: 0, relation: 'eq' }, hits: [], assets: new Map(), maxScore: null },
      ...{ aggregations: { n: { value: 0 } } },
    })
  })

  it('finds what was committed, on every instance and after a restart, even where it searched before', async () => {
    const second = await session.open()
    for (const store of [session.store, second]) expect(await names(TIDE, {}, store)).toEqual([])
    await commit(session, tables.changes, 1)
    for (const store of [session.store, second]) expect(await names(TIDE, {}, store)).toEqual(['tables'])
    await commit(session, model.changes, 2)
    for (const store of [session.store, second]) expect(await names(TIDE, {}, store)).toEqual(['model', 'tables'])
    await session.restart()
    expect(await names(TIDE)).toEqual(['model', 'tables'])
  })

  it('finds an updated document by its new words, and not by its old ones', async () => {
    await commit(session, CATALOGUE_CHANGES, 1)
    await commit(session, renamed, 2)
    expect(await names(TIDE)).toEqual(['model', 'waves'])
    expect(await names(words('ebb'))).toEqual(['tables'])
    expect((await find(words('ebb'))).assets.get(tables.did)?.metadata.ddo).toContain('Ebb tables')
    expect(await names({ query: { term: { 'metadata.stations': 3 } } })).toEqual([])
  })

  it('finds active and unlisted assets, but none in another state or with an unreadable document', async () => {
    await commit(session, tables.changes, 1)
    for (const [state, found] of [
      [1, []],
      [2, []],
      [3, []],
      [4, []],
      [5, ['tables']],
      [0, ['tables']],
    ] as const) {
      await commit(session, [{ kind: 'state', nft: tables.nft, state }], 2 + state)
      expect(await names(TIDE), `state ${state}`).toEqual(found)
    }
    await commit(session, [{ kind: 'unreadable', nft: tables.nft, reason: 'x' }], 9)
    expect(await names({})).toEqual([])
  })

  it('does not find an asset that is taken down, on any instance, after changes and a rollback', async () => {
    const second = await session.open()
    await commit(session, CATALOGUE_CHANGES, 1)
    expect(await names(TIDE, {}, second)).toEqual(['model', 'waves', 'tables'])
    const { takedowns } = session.store
    // by the DID that a document of version 5 would have
    const did = tables.did.replace('did:op:', 'did:ope:')
    expect(await takedowns.add({ did, reason: 'notice', at: 5 })).toEqual({ isNew: true, isIndexed: true })
    expect(await takedowns.add({ did: tables.did, reason: 'court order', at: 6 })).toMatchObject({ isNew: false })
    for (const store of [session.store, second]) expect(await names(TIDE, {}, store)).toEqual(['model', 'waves'])
    await commit(session, renamed, 2)
    expect(await names(words('ebb'))).toEqual([])
    while (await second.search.buildSome());
    expect(await names({ query: { ids: { values: [tables.did] } } })).toEqual([])
    expect(await second.takedowns.find(did)).toEqual({ did: tables.did, reason: 'court order', at: 5 })
    expect([...(await takedowns.among([waves.did, did]))]).toEqual([did])
    expect(await takedowns.undo(waves.did, 7)).toBe(false)
    const { length } = await takedowns.changesAfter(0, 10)
    expect([length, await takedowns.count(), (await takedowns.newest(5)).length]).toEqual([1, 1, 1])
    expect(await takedowns.undo(did, 7)).toBe(true)
    expect(await names(words('ebb'), {}, second)).toEqual(['tables'])
    expect(await takedowns.list('', 10)).toEqual([])
    expect(await takedowns.changesAfter(0, 10)).toMatchObject([{ did: tables.did, hasEnded: true, change: 3 }])
  })

  it('counts an order at once', async () => {
    await commit(session, CATALOGUE_CHANGES, 1)
    const ordered = {
      query: { range: { 'stats.orders': { gte: 1 } } },
      aggs: { n: { sum: { field: 'stats.orders' } } },
    }
    expect(await names(ordered)).toEqual([])
    const order: IndexChange = orderOf(waves.datatoken)
    await commit(session, [order, order], 2)
    expect(await names(ordered)).toEqual(['waves'])
    expect((await find(ordered)).aggregations).toEqual({ n: { value: 2 } })
    expect(await names(TIDE)).toEqual(['model', 'waves', 'tables'])
  })

  it('finds after a rollback what was there before, and nothing that came later', async () => {
    const provisional = true
    await commit(session, [...tables.changes, ...waves.changes], 1, { provisional })
    const later: IndexChange[] = [
      ...[...renamed, ...model.changes, { kind: 'state', nft: waves.nft, state: 3 } as const],
      orderOf(tables.datatoken),
    ]
    await commit(session, later, 2, { provisional })
    expect(await names(words('ebb'))).toEqual(['tables'])
    await session.store.index.rollback(1, at(1))
    expect(await names(TIDE)).toEqual(['waves', 'tables'])
    expect(await names(words('ebb'))).toEqual([])
    expect(await names({ query: { range: { 'stats.orders': { gte: 1 } } } })).toEqual([])
  })

  it('finds the same as before after a batch that was rejected', async () => {
    await commit(session, tables.changes, 1)
    await expect(commit(session, [...renamed, ...model.changes, UNSTORABLE], 2)).rejects.toThrow()
    expect(await names({})).toEqual(['tables'])
    expect(await names(TIDE)).toEqual(['tables'])
  })

  it('finds documents of a new generation once it is live, and then only those', async () => {
    await commit(session, tables.changes, 1)
    const { index } = session.store
    await index.begin(1, true)
    await index.next.commit({ chainId: 1, from: undefined, to: at(2), changes: waves.changes })
    expect(await names(TIDE)).toEqual(['tables'])
    expect(await index.promote(1, at(2))).toBe(true)
    expect(await names(TIDE)).toEqual(['waves'])
    while (await index.sweep(1));
    expect(await names(TIDE)).toEqual(['waves'])
  })

  it('finds only documents of the chains in scope, and those of each by `chainId`', async () => {
    const elsewhere = assetOf(1, { name: 'Tide tables elsewhere' }, { chainId: 2, day: 9 })
    await commit(session, tables.changes, 1)
    await commit(session, elsewhere.changes, 1, { chainId: 2 })
    const both = { chains: [1, 2, 3] }
    expect(await names(TIDE, both)).toEqual([elsewhere.did, 'tables'])
    expect(await names(TIDE, { chains: [2] })).toEqual([elsewhere.did])
    expect(await names(TIDE, { chains: [1] })).toEqual(['tables'])
    for (const chains of [[], [3]]) expect(await names(TIDE, { chains })).toEqual([])
    expect(await names({ query: { term: { chainId: 1 } } }, both)).toEqual(['tables'])
    expect((await find(TIDE, { chains: [1] })).total).toEqual({ value: 1, relation: 'eq' })
  })

  it('finds encrypted documents only where they are in scope', async () => {
    const sealed = assetOf(4, { name: 'Sealed tide', stations: 100 }, { encrypted: true })
    await commit(session, [...CATALOGUE_CHANGES, ...sealed.changes], 1)
    const stations = { query: { match_all: {} }, aggs: { n: { sum: { field: 'metadata.stations' } } } }
    expect(await names(words('sealed'))).toEqual([sealed.did])
    expect(await names(words('sealed'), { encrypted: false })).toEqual([])
    const { total, aggregations, assets } = await find(stations, { encrypted: false })
    expect([total?.value, aggregations.n, assets.has(sealed.did)]).toEqual([3, { value: 22 }, false])
  })

  it('takes what is in purgatory from the scope, each time anew', async () => {
    await commit(session, CATALOGUE_CHANGES, 1)
    const listed = (state: boolean, purgatory: string[]) =>
      names({ query: { term: { 'purgatory.state': state } } }, { purgatory })
    expect(await listed(true, [waves.did])).toEqual(['waves'])
    expect(await listed(false, [waves.did])).toEqual(['model', 'tables'])
    expect(await listed(true, [])).toEqual([])
  })
}
