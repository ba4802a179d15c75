import { describe, expect, it } from 'vitest'
import { afterReload, type Entry, merged, openPurchase, readEntries, trimmed } from './journal.js'
import { nextStep, type Situation } from './publishing/next-step.js'
import { progressOf } from './publishing/publication.js'

const FROM = `0x${'ab'.repeat(20)}` as const
const HASH = `0x${'cd'.repeat(32)}` as const
const entry = (changes: Partial<Entry> = {}): Entry => ({
  id: 'visit-0',
  chainId: 1,
  from: FROM,
  kind: 'buy',
  step: 'Order',
  title: 'Tides',
  did: 'did:op:1',
  service: 'access',
  at: 1,
  state: 'sent',
  hash: HASH,
  ...changes,
})

describe('sent transactions', () => {
  it('are restored from storage without invalid entries', () => {
    const kept = [
      entry({ nonce: 7 }),
      entry({ id: 'visit-1', state: 'mined' }),
      entry({ id: 'visit-2', state: 'replaced' }),
    ]
    expect(readEntries(JSON.parse(JSON.stringify(kept)))).toEqual(kept)
    for (const wrong of [
      null,
      'x',
      {},
      [1, null, {}],
      [{ ...entry(), hash: 'javascript:' }],
      [{ ...entry(), state: 'x' }],
      [{ ...entry(), nonce: '7' }],
    ])
      expect(readEntries(wrong)).toEqual([])
    // only an entry with a hash can have been sent
    expect(readEntries([{ ...entry(), hash: undefined }])).toEqual([])
  })

  it('are unsure if the page ended before the wallet responded', () => {
    const { hash: _, ...asked } = entry({ state: 'asked', id: 'old-0' })
    const own = entry({ state: 'asked', id: 'new-0' })
    expect(afterReload([asked, own, entry()], 'new-').map(({ state }) => state)).toEqual(['unsure', 'asked', 'sent'])
  })

  it('are never dropped in favour of settled ones', () => {
    const settled = Array.from({ length: 80 }, (_, at) => entry({ id: `s-${at}`, state: 'mined', at: 1_000 + at }))
    const left = trimmed([...settled, entry({ at: 0 })])
    expect(left).toHaveLength(50)
    expect(left.at(-1)).toMatchObject({ id: 'visit-0' })
  })

  it('of two tabs are merged, and the later state wins', () => {
    const all = merged([entry({ state: 'mined' }), entry({ id: 'b' })], [entry(), entry({ id: 'c' })])
    expect(all.map(({ id, state }) => `${id} ${state}`)).toEqual(['visit-0 mined', 'b sent', 'c sent'])
    const stateOf = (stored: Entry['state'], own: Entry['state']) =>
      merged([entry({ state: stored })], [entry({ state: own })])[0]?.state
    expect([stateOf('replaced', 'sent'), stateOf('sent', 'replaced')]).toEqual(['replaced', 'replaced'])
    // with a lagging node, one tab may have considered it replaced
    expect([stateOf('mined', 'replaced'), stateOf('replaced', 'mined')]).toEqual(['mined', 'mined'])
  })
})

describe('the next step', () => {
  const asset = { chainId: 1, state: 'active' } as const
  const quote = { did: 'did:op:1', service: 'access', chainId: 1, datatoken: FROM, consumer: FROM } as const
  const price = { type: 'free', total: [] } as const
  const situation = (changes: Partial<Situation>): Situation => ({
    asset,
    wallet: { chainId: 1 },
    readable: true,
    quote: { value: { ...quote, price: { ...price, total: [] } }, loading: false },
    open: undefined,
    buying: false,
    ...changes,
  })

  it.each([
    ['connect', { wallet: undefined }],
    ['unavailable', { asset: { chainId: 1, state: 'revoked' as const } }],
    ['switch', { wallet: { chainId: 5 } }],
    ['check', { quote: { loading: true } }],
    ['buy', {}],
    ['buying', { buying: true }],
    ['failed', { quote: { error: new Error(), loading: false } }],
    ['denied', { quote: { error: { code: 'CREDENTIALS_DENIED' }, loading: false } }],
    ['wait', { open: entry() }],
    ['unsure', { open: entry({ state: 'unsure' }) }],
    ['download', { bought: HASH }],
  ] satisfies [string, Partial<Situation>][])('is to %s', (step, changes) => {
    expect(nextStep(situation(changes))).toMatchObject({ step })
  })

  it('is not to wait for a replaced transaction', () => {
    const of = { did: 'did:op:1', service: 'access', from: FROM }
    expect(openPurchase([entry()], of)).toBeDefined()
    expect(openPurchase([entry({ state: 'replaced' })], of)).toBeUndefined()
  })

  it('is never to buy while a transaction of the asset is open', () => {
    for (const state of ['asked', 'sent', 'unsure'] as const)
      expect(nextStep(situation({ open: entry({ state }) })).step).not.toBe('buy')
  })

  it('is to download if there is a valid order, whatever is open', () => {
    const value = { ...quote, price: { ...price, total: [] }, order: HASH }
    expect(nextStep(situation({ open: entry(), quote: { value, loading: false } }))).toEqual({
      step: 'download',
      order: HASH,
    })
  })

  it("considers only the account's own transactions", () => {
    const of = { did: 'did:op:1', service: 'access', from: FROM.toUpperCase().replace('X', 'x') }
    expect(openPurchase([entry()], of)).toBeDefined()
    expect(openPurchase([entry({ state: 'mined' })], of)).toBeUndefined()
    expect(openPurchase([entry()], { ...of, from: HASH })).toBeUndefined()
  })
})

describe('a publication', () => {
  const part = (part: 'create' | 'metadata', state: Entry['state']) =>
    entry({ id: part, kind: 'publish', draft: 'd', part, state, to: FROM })

  it('continues from the state of its transactions', () => {
    expect(progressOf([], 'd').phase).toBe('none')
    expect(progressOf([part('create', 'sent')], 'd').phase).toBe('creating')
    expect(progressOf([part('create', 'mined')], 'd')).toEqual({ phase: 'created', hash: HASH })
    expect(progressOf([part('metadata', 'sent'), part('create', 'mined')], 'd').phase).toBe('finishing')
    expect(progressOf([part('metadata', 'unsure'), part('create', 'mined')], 'd').phase).toBe('unsure')
    expect(progressOf([part('metadata', 'mined'), part('create', 'mined')], 'd').phase).toBe('published')
    expect(progressOf([part('create', 'failed')], 'd').phase).toBe('none')
    expect(progressOf([part('create', 'sent')], 'other').phase).toBe('none')
  })
})
