import { describe, expect, it } from 'vitest'
import { MostFrequent } from './most-frequent.js'

describe('the most frequent text', () => {
  it('is undefined of none, and the only one', () => {
    const texts = new MostFrequent()
    expect(texts.first()).toBeUndefined()
    texts.add('a')
    expect(texts.first()).toBe('a')
  })

  it('is found among a flood of others, whose number takes no memory (threat 133)', () => {
    const texts = new MostFrequent()
    let most = 0
    for (let at = 0; at < 200_000; at++) {
      texts.add(`${at}`)
      if (at % 200 === 0) texts.add('own')
      most = Math.max(most, texts.size)
    }
    expect(most).toBeLessThanOrEqual(256)
    expect(texts.first()).toBe('own')
  })

  it.each(['first', 'last'])('is found if all others come %s', (order) => {
    const texts = new MostFrequent()
    const others = () => {
      for (let at = 0; at < 20_000; at++) texts.add(`${at}`)
    }
    if (order === 'first') others()
    for (let at = 0; at < 100; at++) texts.add('own')
    if (order === 'last') others()
    expect(texts.first()).toBe('own')
  })
})
