import { expect, it } from 'vitest'
import { ALICE } from '../../../../../test/helpers/store-session.js'
import { key, type StateSession } from '../stores.js'

/** `checkHealth` and `lastWrite` of StateStore. */
export function healthSuite(session: StateSession): void {
  it('reports no fault of a healthy database, before and after writes, however thoroughly it is checked', async () => {
    const { store } = session
    for (const nonce of ['1', '2']) {
      expect(await store.checkHealth()).toBeUndefined()
      expect(await store.checkHealth({ thorough: true })).toBeUndefined()
      await store.nonces.consume(ALICE, key(nonce))
    }
  })

  it('leaves nothing durable behind when it probes with a write', async () => {
    await session.store.checkHealth({ thorough: true })
    expect(await session.store.identity.isEmpty()).toBe(true)
    expect(session.store.lastWrite()).toBeDefined()
  })

  it('tells the time of its own last write, and none before the first, whatever it reads', async () => {
    const { store } = session
    const second = await session.open()
    await store.nonces.last(ALICE)
    await store.index.chains()
    expect(store.lastWrite()).toBeUndefined()
    let since = Date.now()
    for (const write of [
      () => store.nonces.consume(ALICE, key('1')),
      () => store.revocations.revoke('one', 1000),
      () => store.index.commit({ chainId: 1, from: undefined, to: { block: 1, hash: '0x01' }, changes: [] }),
    ]) {
      await write()
      const last = store.lastWrite() as number
      expect(last).toBeGreaterThanOrEqual(since)
      expect(last).toBeLessThanOrEqual(Date.now())
      // the next write is another millisecond's
      while (Date.now() <= last) await new Promise(setImmediate)
      since = last + 1
    }
    expect(second.lastWrite()).toBeUndefined()
  })
}
