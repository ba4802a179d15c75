import { expect, it } from 'vitest'
import { ALICE, BOB } from '../../../../../test/helpers/store-session.js'
import { key, type StateSession } from '../stores.js'

/** NonceStore: a nonce passes once, and the last nonce of an address never decreases. */
export function nonceSuite(session: StateSession): void {
  it('accepts a nonce only if it is greater than the last one of its address, even after a restart', async () => {
    const { nonces } = session.store
    expect(await nonces.last(ALICE)).toBeUndefined()
    for (const [nonce, accepted] of [
      ['5', true],
      ['5', false],
      ['4', false],
      ['5.5', true],
      ['5.4', false],
      ['10', true],
    ] as const)
      expect(await nonces.consume(ALICE, key(nonce)), nonce).toBe(accepted)
    expect(await nonces.consume(BOB, key('1'))).toBe(true)
    await session.restart()
    expect(await session.store.nonces.last(ALICE)).toBe(key('10'))
    expect(await session.store.nonces.consume(ALICE, key('10'))).toBe(false)
  })

  it('mayPass rejects a nonce that another instance has consumed', async () => {
    const { nonces } = session.store
    const second = (await session.open()).nonces
    expect(await nonces.mayPass(ALICE, key('5'))).toBe(true)
    await nonces.consume(ALICE, key('5'))
    expect(await nonces.mayPass(ALICE, key('5'))).toBe(false)
    expect(await second.mayPass(ALICE, key('5'))).toBe(false)
    expect(await second.mayPass(ALICE, key('6'))).toBe(true)
    await second.consume(ALICE, key('7'))
    // the first instance may have cached 5 as the last nonce: `consume` decides
    expect(await nonces.consume(ALICE, key('6'))).toBe(false)
    expect(await nonces.last(ALICE)).toBe(key('7'))
    expect(await nonces.mayPass(ALICE, key('6'))).toBe(false)
  })

  it('accepts exactly one of 50 concurrent uses of a nonce, on two instances, and never decreases (threat 11)', async () => {
    const stores = [session.store, await session.open()]
    const consume = (at: number, nonce: string) => stores[at % 2]?.nonces.consume(ALICE, key(nonce))
    const same = await Promise.all(Array.from({ length: 50 }, (_, at) => consume(at, '77')))
    expect(same.filter(Boolean)).toHaveLength(1)
    await Promise.all(Array.from({ length: 50 }, (_, at) => consume(at, String(100 - at))))
    expect(await session.store.nonces.last(ALICE)).toBe(key('100'))
  })

  it('stores nonces of contract wallets per chain, above the nonce of the account (threat 63)', async () => {
    const { nonces } = session.store
    const second = (await session.open()).nonces
    await nonces.consume(ALICE, key('5'))
    for (const [chainId, nonce, accepted] of [
      [1, '5', false],
      [1, '6', true],
      [1, '6', false],
      [2, '5.5', true],
      [2, '5.4', false],
      [1, '6.5', true],
    ] as const) {
      expect(await second.consume(ALICE, key(nonce), chainId), `${chainId} ${nonce}`).toBe(accepted)
      expect(await second.mayPass(ALICE, key(nonce), chainId)).toBe(false)
    }
    // nonces of wallets do not count for the account of the same address
    expect(await nonces.mayPass(ALICE, key('5.1'))).toBe(true)
    expect(await nonces.consume(ALICE, key('5.1'))).toBe(true)
    expect(await nonces.mayPass(ALICE, key('5.2'), 3)).toBe(true)
    await session.restart()
    const lasts = [1, 2, 3, undefined].map((chainId) => session.store.nonces.last(ALICE, chainId))
    expect(await Promise.all(lasts)).toEqual([key('6.5'), key('5.5'), key('5.1'), key('6.5')])
  })

  it('accepts exactly one of 50 concurrent uses of a nonce by a wallet (threat 63)', async () => {
    const stores = [session.store, await session.open()]
    const uses = Array.from({ length: 50 }, (_, at) => stores[at % 2]?.nonces.consume(ALICE, key('77'), 1))
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1)
  })
}
