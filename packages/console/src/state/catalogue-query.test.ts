import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFiltered, optionsOf, queryOf, SORTS, searchOf } from './catalogue-query.js'

const word = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== '')
const query = fc
  .record({
    text: fc.oneof(fc.constant(''), word),
    type: fc.oneof(fc.constant(''), word),
    tags: fc.uniqueArray(word, { maxLength: 5 }),
    license: fc.oneof(fc.constant(''), word),
    format: fc.oneof(fc.constant(''), word),
    size: fc.constantFrom('' as const, 'small' as const, 'middle' as const, 'large' as const),
    price: fc.constantFrom('any' as const, 'free' as const, 'paid' as const),
    token: fc.constantFrom('', `0x${'ab'.repeat(20)}`),
    most: fc.constant(''),
    sort: fc.constantFrom(undefined, ...SORTS),
    page: fc.integer({ min: 1, max: 400 }),
  })
  .map((state) => (state.token ? { ...state, price: 'paid' as const } : state))

describe('the state of the catalogue', () => {
  it('is completely in its address', () => {
    fc.assert(
      fc.property(query, (state) => {
        expect(queryOf(searchOf(state))).toEqual(state)
      }),
    )
  })

  it('is an empty address by default', () => {
    expect(searchOf(queryOf(''))).toBe('')
    expect(isFiltered(queryOf(''))).toBe(false)
  })

  it('ignores invalid values', () => {
    expect(queryOf('?page=-1&sort=dear&price=cheap&token=OCEAN&most=5&size=constructor&tag=&tag=a&tag=a')).toEqual({
      ...queryOf(''),
      tags: ['a'],
    })
    expect(queryOf(`?q=${'x'.repeat(5_000)}&page=99999`)).toMatchObject({ text: 'x'.repeat(200), page: 1 })
    fc.assert(fc.property(fc.string(), (search) => optionsOf(queryOf(search)).page !== undefined))
  })

  it('limits the price only within a token', () => {
    const token = `0x${'ab'.repeat(20)}`
    expect(optionsOf(queryOf(`?token=${token}&most=2.5`))).toMatchObject({ price: { token, most: '2.5' } })
    expect(queryOf('?most=2.5').most).toBe('')
    expect(queryOf(`?token=${token}&most=-1`).most).toBe('')
  })

  it('sorts by relevance only with a text', () => {
    expect(optionsOf({ ...queryOf(''), sort: 'relevance' })).not.toHaveProperty('sort')
    expect(optionsOf(queryOf('?q=tide&price=free'))).toMatchObject({ text: 'tide', beginning: true, free: true })
  })
})
