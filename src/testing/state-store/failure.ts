import { expect, it } from 'vitest'
import { ALICE, key, type StoreSession } from './session.js'

/** The behaviour of a store that cannot reach its database. */
export function failureSuite(session: StoreSession): void {
  it('rejects with STATE_UNAVAILABLE when it cannot answer, and accepts nothing (threat 8)', async () => {
    const closed = await session.open()
    await session.close(closed)
    await expect(closed.nonces.consume(ALICE, key('9'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    await expect(closed.revocations.isRevoked('one')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    expect(await session.store.nonces.last(ALICE)).toBeUndefined()
  })
}
