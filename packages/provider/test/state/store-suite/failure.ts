import { expect, it } from 'vitest'
import { ALICE } from '../../../../../test/helpers/store-session.js'
import { readSearch } from '../../../../catalog/src/search/request/request.js'
import { SearchError, StateError } from '../../../../protocol/src/errors.js'
import { key, type StateSession } from '../stores.js'

/** The behaviour of a store that cannot reach its database. */
export function failureSuite(session: StateSession): void {
  it('rejects with STATE_UNAVAILABLE when it cannot answer, and accepts nothing (threat 8)', async () => {
    const closed = await session.open()
    await session.close(closed)
    await expect(closed.nonces.consume(ALICE, key('9'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    await expect(closed.revocations.isRevoked('one')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    expect(await session.store.nonces.last(ALICE)).toBeUndefined()
  })

  it('rejects with StateError or SearchError when it cannot tell its identity, search, or build search rows', async () => {
    const closed = await session.open()
    await session.close(closed)
    const { identity, search } = closed
    for (const [asked, ask] of Object.entries({
      get: () => identity.get(),
      isEmpty: () => identity.isEmpty(),
      contain: () => identity.contain(['a']),
      retire: () => identity.retire('a'),
      fork: () => identity.fork(),
      find: () => search.find(readSearch({}), { chains: [1], encrypted: true, purgatory: [] }),
      buildSome: () => search.buildSome(),
    })) {
      const error = await ask().catch((reason: unknown) => reason)
      expect(error instanceof StateError || error instanceof SearchError, `${asked}: ${error}`).toBe(true)
    }
    expect(await session.store.identity.get()).not.toHaveProperty('successor')
  })
}
