import { type Address, toHex } from 'viem'
import { expect, it } from 'vitest'
import { BOB } from '../../../../test/helpers/store-session.js'
import type { Cursor, IndexChange } from '../../src/index/index-store.js'
import type { CatalogSession } from '../catalog.js'
import { at, commit, DID, metadata, NFT, nft, order, PUBLISHED, TOKEN } from './published.js'

/** IndexGeneration: rollbacks after reorganisations of the chain. */
export function rollbackSuite(session: CatalogSession): void {
  const checkpoints = async () => (await session.store.index.checkpoints(1)).map(({ block }) => block)

  it('rolls back to any checkpoint, restoring every row (threat 33)', async () => {
    const provisional = true
    await commit(session, PUBLISHED.slice(0, 1), 5)
    await commit(session, PUBLISHED.slice(1), 10, { provisional })
    const published = await session.store.index.asset(DID)
    await commit(session, [{ kind: 'state', nft: NFT, state: 3 }, order], 11, { provisional })
    const another = { kind: 'nft', nft: { ...nft, address: BOB } } as const
    await commit(session, [{ kind: 'state', nft: NFT, state: 1 }, another], 12, { provisional })
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

  it('moves into a block, and takes its beginning back with what was committed with it (threat 86)', async () => {
    await commit(session, PUBLISHED, 5)
    const { index } = session.store
    const published = await index.asset(DID)
    const inside = (log: number): Cursor => ({ ...at(7), part: { ...at(8), log } })
    const state = (value: number): IndexChange => ({ kind: 'state', nft: NFT, state: value })
    const move = (from: Cursor, to: Cursor, changes: IndexChange[]) =>
      index.commit({ chainId: 1, from, to, changes, provisional: false })
    expect(await move(at(5), inside(3), [state(1), order])).toBe(true)
    expect(await index.cursor(1)).toEqual(inside(3))
    expect((await index.generations(1)).live?.cursor).toEqual(inside(3))
    // neither its beginning nor another part of it is where the cursor is
    for (const from of [at(7), inside(2)]) expect(await move(from, at(8), [])).toBe(false)
    expect(await move(inside(3), inside(9), [state(3), order])).toBe(true)
    expect((await index.asset(DID))?.metadata.state).toBe(3)
    expect(await checkpoints()).toEqual([5])
    await index.rollback(1, at(5))
    expect(await index.asset(DID)).toEqual(published)
    expect(await index.cursor(1)).toEqual(at(5))
    // with its end it is final, and a checkpoint
    await move(at(5), inside(3), [state(1)])
    expect(await move(inside(3), at(8), [state(4)])).toBe(true)
    expect(await checkpoints()).toEqual([8])
    expect((await index.asset(DID))?.metadata.state).toBe(4)
  })

  it('restores more rows than one transaction does, with long documents (threats 86 and 90)', async () => {
    const [count, long] = [40, 'tide '.repeat(40_000)]
    const nfts = Array.from({ length: count }, (_, number) => toHex(number + 1, { size: 20 }))
    const document = (address: Address, text: string): IndexChange => ({
      kind: 'metadata',
      metadata: { ...metadata, nft: address, did: `did:op:${address}`, ddo: JSON.stringify({ text }) },
    })
    const all = (text: string) => nfts.map((address) => document(address, text))
    await commit(
      session,
      nfts.map((address) => ({ kind: 'nft', nft: { ...nft, address } })),
      5,
      { provisional: true },
    )
    await commit(session, all('short'), 6, { provisional: true })
    await commit(session, all(long), 7, { provisional: true })
    await session.restart()
    const texts = async () => {
      const found = await Promise.all(nfts.map((address) => session.store.index.asset(`did:op:${address}`)))
      return new Set(found.map((one) => one?.metadata.ddo))
    }
    expect(await texts()).toEqual(new Set([JSON.stringify({ text: long })]))
    await session.store.index.rollback(1, at(6))
    expect(await texts()).toEqual(new Set([JSON.stringify({ text: 'short' })]))
    await session.store.index.rollback(1, at(5))
    expect(await texts()).toEqual(new Set([undefined]))
  })

  it('deletes checkpoints of final blocks', async () => {
    await commit(session, PUBLISHED, 5, { provisional: true })
    await commit(session, [], 6, { provisional: true })
    await commit(session, [{ kind: 'state', nft: NFT, state: 3 }], 9, { provisional: true })
    expect(await checkpoints()).toEqual([9, 6, 5])
    const { index } = session.store
    // block 8 has no checkpoint
    await index.confirm(1, 8)
    expect(await checkpoints()).toEqual([9, 6])
    await index.rollback(1, at(6))
    expect((await index.asset(DID))?.metadata.state).toBe(0)
    await commit(session, [], 500)
    expect(await checkpoints()).toEqual([500])
  })
}
