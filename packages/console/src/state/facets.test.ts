import { expect, it } from 'vitest'
import { facetsIn } from './facets.js'

const answer = (error: number, ...buckets: object[]) => ({
  aggregations: { tags: { doc_count_error_upper_bound: error, buckets } },
})

it('facets have the counts of all matches, and none where only some were read', () => {
  const buckets = [
    { key: 'tide', doc_count: 9000 },
    { key: 'sea', doc_count: 2 },
  ]
  expect(facetsIn(answer(0, ...buckets), 'tags')).toEqual([
    { value: 'tide', count: 9000 },
    { value: 'sea', count: 2 },
  ])
  expect(facetsIn(answer(-1, ...buckets), 'tags')).toEqual([
    { value: 'tide', count: 0 },
    { value: 'sea', count: 0 },
  ])
})

it('facets leave out values that are not texts, and texts that are too long', () => {
  const odd = [{ key: 7, doc_count: 1 }, { key: 'x'.repeat(61), doc_count: 1 }, { key: 'sea' }]
  expect(facetsIn(answer(0, ...odd), 'tags')).toEqual([])
  expect(facetsIn({}, 'tags')).toEqual([])
})
