import { expect, it } from 'vitest'
import type { IndexChange } from '../../src/index/index-store.js'
import type { CatalogSession } from '../catalog.js'
import { at, commit, DID, metadata, NFT, order, PUBLISHED, TOKEN } from './published.js'

const [NFT_CREATED, TOKEN_CREATED] = PUBLISHED as [IndexChange, IndexChange]

/** IndexStore: a second generation of the index that is built beside the live one and then replaces it (threat 75). */
export function generationSuite(session: CatalogSession): void {
  /** Commits a batch of the next generation, with blocks of another fork. */
  const commitNext = (changes: IndexChange[], to: number, from?: number) =>
    session.store.index.next.commit({
      ...{ chainId: 1, from: from === undefined ? undefined : at(from, '1'), to: at(to, '1') },
      ...{ changes, provisional: true },
    })

  /** Deletes all rows of obsolete generations. Returns the number of batches. */
  async function sweepAll(chainId: number): Promise<number> {
    let batches = 0
    while (await session.store.index.sweep(chainId)) batches++
    return batches
  }

  /** A live generation at block 7, and the next one at block 4 of another fork, without orders. */
  async function twoGenerations() {
    await commit(session, PUBLISHED, 7, { provisional: true })
    await commit(session, [NFT_CREATED, TOKEN_CREATED], 8, { chainId: 2 })
    const live = await session.store.index.asset(DID)
    await session.store.index.begin(1, true)
    await commitNext([NFT_CREATED, TOKEN_CREATED], 3)
    await commitNext([{ kind: 'metadata', metadata }], 4, 3)
    return live
  }

  it('starts the next generation only if one is live, and keeps it across a restart', async () => {
    await session.store.index.begin(1, true)
    expect(await session.store.index.generations(1)).toEqual({ old: false })
    await commit(session, PUBLISHED, 7)
    expect(await session.store.index.generations(1)).toEqual({ live: { id: 1, cursor: at(7) }, old: false })
    await session.store.index.begin(1, true)
    await session.restart()
    const { next, live } = await session.store.index.generations(1)
    expect([live?.cursor, next?.cursor, next?.wanted]).toEqual([at(7), undefined, true])
  })

  it('fills the next generation while the live one continues to serve and change', async () => {
    const before = await twoGenerations()
    const { index } = session.store
    expect(await index.next.known(1, 'nft', [NFT])).toEqual([NFT])
    expect(await index.next.emitters(1, 'datatoken', undefined, 9)).toEqual([TOKEN])
    await commit(session, [order], 8, { provisional: true })
    expect((await index.asset(DID))?.datatokens[0]?.orders).toBe(3)
    await index.rollback(1, at(7))
    expect(await index.asset(DID)).toEqual(before)
    expect(await commitNext([{ kind: 'state', nft: NFT, state: 4 }], 5, 4)).toBe(true)
    await index.next.rollback(1, at(4, '1'))
    expect((await index.next.checkpoints(1)).map(({ block }) => block)).toEqual([4, 3])
    expect(await index.asset(DID)).toEqual(before)
    expect(await index.sweep(1)).toBe(false)
  })

  it('promotes the next generation only at its cursor, atomically', async () => {
    const before = await twoGenerations()
    const { index } = session.store
    expect(await index.promote(1, at(4))).toBe(false)
    expect(await index.asset(DID)).toEqual(before)
    expect(await index.promote(1, at(4, '1'))).toBe(true)
    expect(await index.cursor(1)).toEqual(at(4, '1'))
    expect(await index.asset(DID)).toEqual({ ...before, datatokens: [{ ...before?.datatokens[0], orders: 0 }] })
    expect(await index.promote(1, at(4, '1'))).toBe(false)
    // an instance that still writes to the replaced generation is too late
    expect(await index.commit({ chainId: 1, from: at(7), to: at(8), changes: [] })).toBe(false)
  })

  it('sweeps only the replaced generation', async () => {
    await twoGenerations()
    const { next } = await session.store.index.generations(1)
    await session.store.index.promote(1, at(4, '1'))
    await session.restart()
    const { index } = session.store
    const after = await index.asset(DID)
    expect((await index.generations(1)).old).toBe(true)
    expect(await sweepAll(1)).toBe(2)
    expect(await index.asset(DID)).toEqual(after)
    expect(await index.datatoken(1, TOKEN)).toMatchObject({ nft: NFT })
    expect(await index.generations(1)).toEqual({ live: { id: next?.id, cursor: at(4, '1') }, old: false })
    await index.rollback(1, at(3, '1'))
    expect(await index.asset(DID)).toBeUndefined()
    expect(await index.nft(2, NFT)).toMatchObject({ name: 'n' })
    expect(await index.chains()).toEqual([1, 2])
  })

  it('restarts or abandons the next generation without touching the live one', async () => {
    const { index } = session.store
    const changes = [NFT_CREATED, TOKEN_CREATED]
    for (const chainId of [1, 2]) await commit(session, changes, 7, { chainId })
    const first = { chainId: 1, from: undefined, to: at(3), changes }
    for (let time = 0; time < 3; time++) {
      await Promise.all([index.begin(1, false), index.begin(2, true)])
      expect(await index.next.cursor(1)).toBeUndefined()
      expect(await index.next.commit(first)).toBe(true)
      expect(await index.next.known(2, 'nft', [NFT])).toEqual([])
    }
    await index.abandon(1)
    expect(await index.next.commit(first)).toBe(false)
    expect(await index.promote(1, at(3))).toBe(false)
    for (const chainId of [1, 2]) await sweepAll(chainId)
    expect(await index.generations(1)).toEqual({ live: { id: 1, cursor: at(7) }, old: false })
    expect((await index.generations(2)).next).toMatchObject({ wanted: true })
    for (const chainId of [1, 2]) expect(await index.nft(chainId, NFT)).toMatchObject({ name: 'n' })
  })
}
