import { expect, it } from 'vitest'
import type { CatalogSession } from '../catalog.js'
import { assetOf, CATALOGUE_CHANGES, searches, words } from './documents.js'
import { commit } from './published.js'

/** Batches that are committed while it is searched. */
const ROUNDS = 5

/** SearchStore: maintenance of the search index, and searches while batches are committed. */
export function searchUpkeepSuite(session: CatalogSession): void {
  const { find, names } = searches(session)

  it('ends building and merging after many small batches, which changes nothing that is found', async () => {
    await commit(session, CATALOGUE_CHANGES, 1)
    for (let round = 1; round <= 40; round++)
      await commit(session, assetOf(10 + (round % 20), { name: `flood f${round}` }, { day: 9 }).changes, 1 + round)
    const results = async () => [
      await find(words('flood'), {}),
      await find({ sort: { 'metadata.name': 'asc' }, aggs: { tags: { terms: { field: 'metadata.tags' } } } }),
      await names(words('"tide tables"')),
      await names(words('flood f1')),
    ]
    const before = await results()
    expect(before).toMatchObject([{ total: { value: 20 } }, { total: { value: 23 } }, ['tables'], []])
    const { search } = session.store
    for (const step of ['buildSome', 'mergeSome'] as const) {
      let steps = 0
      while (await search[step]()) expect(steps++, step).toBeLessThan(1000)
      expect(await search[step]()).toBe(false)
      expect(await results()).toEqual(before)
    }
    await session.restart()
    expect(await results()).toEqual(before)
  })

  it('finds documents alike while their words are collected and added in bulk, and afterwards', async () => {
    const { search } = session.store
    await search.collectWords(true)
    await commit(session, CATALOGUE_CHANGES, 1)
    expect(await names(words('tide'))).toEqual(['model', 'waves', 'tables'])
    await commit(session, assetOf(1, { name: 'Ebb tables' }).changes, 2)
    const found = async () => [await names(words('tide')), await names(words('ebb'))]
    const expected = [['model', 'waves'], ['tables']]
    expect(await found()).toEqual(expected)
    // as another instance or a restarted one does
    for (const isOn of [true, false, false]) {
      await search.collectWords(isOn)
      expect(await found()).toEqual(expected)
    }
  })

  it('finds hits, total, assets and aggregations of one snapshot while batches are committed', async () => {
    const round = (number: number) =>
      Array.from(
        { length: 20 },
        (_, at) => assetOf(10 + at, { name: `round ${number}`, number }, { day: 9 }).changes,
      ).flat()
    await commit(session, round(1), 1)
    let committing = true
    const rounds = (async () => {
      for (let number = 2; number <= ROUNDS; number++) await commit(session, round(number), number)
    })().finally(() => (committing = false))
    const aggs = { numbers: { terms: { field: 'metadata.number' } } }
    // pages of different sizes, so that most are searched and not remembered
    for (let at = 0; committing; at++) {
      const { hits, total, assets, aggregations } = await find({ ...words('round'), size: 20 + (at % 100), aggs })
      expect([hits.length, total?.value, assets.size]).toEqual([20, 20, 20])
      const numbers = [...assets.values()].map(({ metadata }) => JSON.parse(metadata.ddo as string).metadata.number)
      expect(new Set(numbers).size).toBe(1)
      expect(aggregations.numbers).toMatchObject({ buckets: [{ key: numbers[0], doc_count: 20 }] })
    }
    await rounds
    expect((await find({ query: { term: { 'metadata.number': ROUNDS } } })).total?.value).toBe(20)
  })
}
