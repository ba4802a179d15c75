import { expect, it } from 'vitest'
import { ALICE } from '../../../../../test/helpers/store-session.js'
import { commit, PUBLISHED } from '../../../../catalog/test/store/published.js'
import type { StateStore } from '../../../src/state/stores.js'
import { key, type StateSession } from '../stores.js'

/** IdentityStore: which state a database holds, and where it came from or went to. */
export function identitySuite(session: StateSession): void {
  const identity = () => session.store.identity.get()

  it('gives a new state an id, which every instance sees and a restart keeps', async () => {
    const first = await identity()
    expect(first).toEqual({ id: expect.stringMatching(/./), contains: [] })
    expect(await (await session.open()).identity.get()).toEqual(first)
    await session.restart()
    expect(await identity()).toEqual(first)
  })

  it('is empty while it holds nothing durable but the index', async () => {
    expect(await session.store.identity.isEmpty()).toBe(true)
    await commit(session, PUBLISHED, 1)
    expect(await session.store.identity.isEmpty()).toBe(true)
  })

  it.each<[string, (store: StateStore) => Promise<unknown>]>([
    ['a nonce', ({ nonces }) => nonces.consume(ALICE, key('1'))],
    ['a nonce of a contract wallet', ({ nonces }) => nonces.consume(ALICE, key('1'), 1)],
    ['a revoked token', ({ revocations }) => revocations.revoke('one', 1000)],
    ['a queued proof', ({ proofs }) => proofs.add({ id: 'p', kind: 'http', body: '' }, 0)],
    ['a cut-over time', ({ cutOver }) => cutOver.raise(1)],
  ])('is not empty with %s, even after a restart', async (_name, write) => {
    await write(session.store)
    expect(await session.store.identity.isEmpty()).toBe(false)
    await session.restart()
    expect(await session.store.identity.isEmpty()).toBe(false)
  })

  it('records the states that were moved into it, each once, and never itself', async () => {
    const { id } = await identity()
    await session.store.identity.contain(['a', 'b'])
    await session.store.identity.contain(['b', 'c', id])
    await session.store.identity.contain([])
    await session.restart()
    const { contains, ...rest } = await identity()
    expect(rest).toEqual({ id })
    expect([...contains].sort()).toEqual(['a', 'b', 'c'])
  })

  it('records the last state that it was moved to, until another one is moved into it', async () => {
    const { id } = await identity()
    await session.store.identity.contain(['a'])
    await session.store.identity.retire('b')
    await session.store.identity.retire('c')
    await session.restart()
    expect(await identity()).toEqual({ id, contains: ['a'], successor: 'c' })
    // it was moved back
    await session.store.identity.contain(['c'])
    const { contains, ...rest } = await identity()
    expect(rest).toEqual({ id })
    expect([...contains].sort()).toEqual(['a', 'c'])
  })

  it('continues a state that was moved elsewhere as a new one, once for all instances', async () => {
    const { id } = await identity()
    await session.store.identity.contain(['a'])
    await session.store.identity.retire('b')
    const second = await session.open()
    await Promise.all([session.store, second, session.store].map(({ identity }) => identity.fork()))
    const { contains, ...rest } = await identity()
    expect(rest).toEqual({ id: expect.stringMatching(/./) })
    expect(rest.id).not.toBe(id)
    expect([...contains].sort()).toEqual(['a', 'b', id].sort())
    expect((await second.identity.get()).id).toBe(rest.id)
  })

  it('forks no state that was not moved', async () => {
    const before = await identity()
    await session.store.identity.fork()
    expect(await identity()).toEqual(before)
  })
}
