import { describe, expect, it } from 'vitest'
import { PROVIDER_LIMITS } from '../limits.js'
import { CutOver } from './cut-over.js'
import { parseNonce } from './nonce.js'

const AT = Date.parse('2025-11-21T20:29:30.250Z')
const nonce = (text: string) => parseNonce(text, 10n ** 39n)

/** A cut-over with a fake clock, and a store that counts its reads. */
function cutOver() {
  const clock = { now: 0 }
  let asked = 0
  let at: number | undefined
  const store = {
    get: async () => {
      asked++
      return at
    },
    raise: async (to: number) => {
      at = to
    },
  }
  return { clock, store, asked: () => asked, cutOver: new CutOver(store, () => clock.now) }
}

describe('the cut-over time', () => {
  it.each([
    // seconds, milliseconds, microseconds
    ['1763756970.249', false],
    ['1763756970.25', true],
    ['1763756970', false],
    ['1763756971', true],
    ['1000000000', false],
    ['1763756970249', false],
    ['1763756970249.999', false],
    ['1763756970250', true],
    ['1763756970249999', false],
    ['1763756970250000', true],
    ['100000000000', false],
    // not times
    ['1', true],
    ['999999999.9', true],
    ['99999999999', true],
  ])('lets the nonce %s pass: %s', async (text, passes) => {
    const { store, cutOver: rule } = cutOver()
    await store.raise(AT)
    const checked = rule.check(nonce(text))
    if (passes) await checked
    else
      await expect(checked).rejects.toMatchObject({
        fields: { nonce: [expect.stringMatching(/is a time before 2025-11-21T20:29:30\.250Z, .*Sign again/)] },
      })
  })

  it('rejects nothing when it is not set', async () => {
    const { cutOver: rule } = cutOver()
    for (const text of ['1', '1000000000', '1763756970249']) await rule.check(nonce(text))
    expect(await rule.lastNonce(nonce('1763756970249').sortKey)).toBe('1763756970249')
  })

  it('is returned as the last nonce, so that the next integer passes', async () => {
    const { store, cutOver: rule } = cutOver()
    await store.raise(AT)
    for (const [last, told] of [
      [undefined, '1'],
      ['7', '7'],
      ['1700000000', '1763756970.25'],
      ['1700000000000', '1763756970250'],
      ['1700000000000000.5', '1763756970250000'],
      ['1763756970251', '1763756970251'],
    ] as const) {
      const shown = await rule.lastNonce(last && nonce(last).sortKey)
      expect(shown).toBe(told)
      await rule.check(nonce(`${Number(shown) + 1}`))
    }
  })

  it('is cached for a while', async () => {
    const { clock, store, asked, cutOver: rule } = cutOver()
    await Promise.all(Array.from({ length: 50 }, () => rule.check(nonce('1700000000'))))
    await rule.check(nonce('1700000000'))
    expect(asked()).toBe(1)
    await store.raise(AT)
    clock.now = PROVIDER_LIMITS.nonces.cutOverFresh - 1
    await rule.check(nonce('1700000000'))
    clock.now = PROVIDER_LIMITS.nonces.cutOverFresh
    await expect(rule.check(nonce('1700000000'))).rejects.toThrow()
    expect(asked()).toBe(2)
  })

  it('is read again after a failed read', async () => {
    const { clock, store, cutOver: rule } = cutOver()
    await rule.check(nonce('1700000000'))
    clock.now = PROVIDER_LIMITS.nonces.cutOverFresh
    const { get } = store
    store.get = () => Promise.reject(new Error('gone'))
    await expect(rule.check(nonce('1700000000'))).rejects.toThrow('gone')
    store.get = get
    await rule.check(nonce('1700000000'))
  })
})
