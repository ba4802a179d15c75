import { expect, it } from 'vitest'
import { at, commit, DID, NFT, nft, order, PUBLISHED, TOKEN } from './published.js'
import { BOB, type StoreSession } from './session.js'

/** IndexGeneration: rollbacks after reorganisations of the chain. */
export function rollbackSuite(session: StoreSession): void {
  const checkpoints = async () => (await session.store.index.checkpoints(1)).map(({ block }) => block)

  it('rolls back to any checkpoint, restoring every row (threat 33)', async () => {
    const undoSince = 4
    await commit(session, PUBLISHED.slice(0, 1), 5)
    await commit(session, PUBLISHED.slice(1), 10, { undoSince })
    const published = await session.store.index.asset(DID)
    await commit(session, [{ kind: 'state', nft: NFT, state: 3 }, order], 11, { undoSince })
    const another = { kind: 'nft', nft: { ...nft, address: BOB } } as const
    await commit(session, [{ kind: 'state', nft: NFT, state: 1 }, another], 12, { undoSince })
    await session.restart()
    const { index } = session.store
    expect(await checkpoints()).toEqual([12, 11, 10, 5])

    await index.rollback(1, at(10))
    expect(await index.asset(DID)).toEqual(published)
    expect(await index.nft(1, BOB)).toBeUndefined()
    expect(await index.cursor(1)).toEqual(at(10))

    await index.rollback(1, at(5))
    expect(await index.asset(DID)).toBeUndefined()
    expect(await index.datatoken(1, TOKEN)).toBeUndefined()
    expect(await index.nft(1, NFT)).toBeDefined()
    expect(await checkpoints()).toEqual([5])
  })

  it('deletes checkpoints of final blocks', async () => {
    await commit(session, PUBLISHED, 5, { undoSince: 0 })
    await commit(session, [], 6, { undoSince: 0 })
    await commit(session, [], 9, { undoSince: 6 })
    expect(await checkpoints()).toEqual([9, 6])
    await commit(session, [], 500)
    expect(await checkpoints()).toEqual([500])
  })
}
