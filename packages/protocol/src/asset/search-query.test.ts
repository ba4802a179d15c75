import { expect, it } from 'vitest'
import { searchQuery } from './search-query.js'

const wordsOf = (text: string) => {
  const { must, filter } = (searchQuery({ text, beginning: true }) as { bool: Record<'must' | 'filter', object[]> })
    .bool
  const queries = (clauses: object[]) =>
    clauses.flatMap((clause) => Object.values(clause).map(({ query }) => query as string | undefined))
  return { must: queries(must), filter: queries(filter).filter((query) => query !== undefined) }
}

it('orders by complete words alone, if there are any', () => {
  expect(wordsOf('tide tab')).toEqual({ must: ['tide'], filter: ['tab*'] })
  expect(wordsOf('tide tables of b')).toEqual({ must: ['tide tables of'], filter: ['b*'] })
  expect(wordsOf('tab')).toEqual({ must: ['tab*'], filter: [] })
  expect(wordsOf('tide c++')).toEqual({ must: ['tide c++'], filter: [] })
  expect(wordsOf(' ')).toEqual({ must: [undefined], filter: [] })
})
