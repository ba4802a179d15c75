import { expect, it } from 'vitest'
import { UnstorableError } from '../../errors.js'
import type { IndexRow } from '../../state/store.js'
import { at, commit, DID, metadata, NFT, nft, order, PUBLISHED, TOKEN } from './published.js'
import type { StoreSession } from './session.js'

const ROWS: IndexRow[] = [
  { kind: 'nft', nft },
  { kind: 'datatoken', datatoken: { address: TOKEN, nft: NFT, name: 'd', symbol: 't', orders: 2 } },
  { kind: 'asset', metadata },
]

/** IndexImports: an index that is imported, beside what the service reads. */
export function importSuite(session: StoreSession): void {
  it('lets one instance import a chain, and another one once that is closed', async () => {
    const first = session.store
    const second = await session.open()
    const led = [await first.imports.tryLead(1), await second.imports.tryLead(1), await second.imports.tryLead(2)]
    expect(led).toEqual([true, false, true])
    await session.close(first)
    await expect.poll(() => second.imports.tryLead(1), { timeout: 60_000 }).toBe(true)
  })

  it('is live when it is complete, and equals what the same events give', async () => {
    const { imports, index } = session.store
    const id = await imports.begin(1)
    await imports.add(id, ROWS)
    expect(await index.generations(1)).toEqual({ old: false })
    expect([await index.chains(), await index.asset(DID)]).toEqual([[], undefined])
    expect(await imports.promote(id, 1, at(7))).toBe(true)
    await session.restart()
    const imported = await session.store.index.asset(DID)
    await commit(session, PUBLISHED, 7, { chainId: 2 })
    expect(imported).toEqual({ ...(await session.store.index.asset(DID)), chainId: 1 })
    expect(await session.store.index.checkpoints(1)).toEqual([at(7)])
  })

  it('is continued by batches, and can be rolled back to its block', async () => {
    const { imports, index } = session.store
    const id = await imports.begin(1)
    await imports.add(id, ROWS)
    await imports.promote(id, 1, at(7))
    expect(await commit(session, [order], 8, { undoSince: 7 })).toBe(true)
    expect((await index.asset(DID))?.datatokens[0]?.orders).toBe(3)
    await index.rollback(1, at(7))
    expect((await index.asset(DID))?.datatokens[0]?.orders).toBe(2)
  })

  it('replaces a live generation that is behind, and none that has read as far', async () => {
    await commit(session, PUBLISHED, 7)
    const { imports, index } = session.store
    const behind = await imports.begin(1)
    expect(await imports.promote(behind, 1, at(7))).toBe(false)
    expect((await index.generations(1)).live?.id).toBe(1)
    expect(await imports.promote(behind, 1, at(8))).toBe(true)
    expect(await index.generations(1)).toEqual({ live: { id: behind, cursor: at(8) }, old: true })
    while (await index.sweep(1));
    expect(await index.generations(1)).toMatchObject({ old: false })
    expect(await index.asset(DID)).toBeUndefined()
  })

  it('is abandoned when another one begins', async () => {
    const { imports, index } = session.store
    const first = await imports.begin(1)
    await imports.add(first, ROWS)
    const second = await imports.begin(1)
    await expect(imports.add(first, ROWS)).rejects.toBeInstanceOf(UnstorableError)
    expect(await imports.promote(first, 1, at(7))).toBe(false)
    await imports.add(second, ROWS)
    await imports.abandon(1)
    expect(await imports.promote(second, 1, at(7))).toBe(false)
    while (await index.sweep(1));
    expect(await index.generations(1)).toEqual({ old: false })
  })

  it('takes no row twice, and then none of those that came with it', async () => {
    const { imports, index } = session.store
    const id = await imports.begin(1)
    await imports.add(id, ROWS)
    const other: IndexRow = { kind: 'nft', nft: { ...nft, address: TOKEN } }
    for (const twice of ROWS.slice(0, 2))
      await expect(imports.add(id, [other, twice])).rejects.toBeInstanceOf(UnstorableError)
    await imports.promote(id, 1, at(7))
    expect(await index.nft(1, TOKEN)).toBeUndefined()
  })
}
