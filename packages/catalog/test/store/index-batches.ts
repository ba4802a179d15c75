import { expect, it } from 'vitest'
import { ALICE, BOB } from '../../../../test/helpers/store-session.js'
import { UnstorableError } from '../../../protocol/src/errors.js'
import type { IndexBatch, IndexChange } from '../../src/index/index-store.js'
import type { CatalogSession } from '../catalog.js'
import { at, commit, DID, metadata, NFT, nft, order, PUBLISHED, TOKEN, UNSTORABLE } from './published.js'

/** IndexStore: leadership of a chain, and batches of events. */
export function indexSuite(session: CatalogSession): void {
  it('lets one instance lead the index of a chain, and another one once that is closed', async () => {
    const first = session.store
    const second = await session.open()
    const led = [
      await first.index.tryLead(1),
      await second.index.tryLead(1),
      await second.index.tryLead(2),
      await first.index.tryLead(2),
    ]
    expect(led).toEqual([true, false, true, false])
    expect(await first.index.tryLead(1)).toBe(true)
    await session.close(first)
    await expect.poll(() => second.index.tryLead(1), { timeout: 60_000 }).toBe(true)
  })

  it('applies the changes of a batch in order and moves the cursor', async () => {
    expect(await session.store.index.cursor(1)).toBeUndefined()
    expect(await commit(session, PUBLISHED, 7)).toBe(true)
    expect(await commit(session, [{ kind: 'state', nft: NFT, state: 3 }], 9)).toBe(true)
    await session.restart()
    const { index } = session.store
    expect(await index.cursor(1)).toEqual(at(9))
    expect(await index.asset(DID)).toEqual({
      chainId: 1,
      nft,
      datatokens: [{ address: TOKEN, nft: NFT, name: 'd', symbol: 't', orders: 2 }],
      metadata: { ...metadata, state: 3 },
      offers: new Map(),
    })
    expect(await index.datatoken(1, TOKEN)).toMatchObject({ nft: NFT })
    expect(await index.nft(2, NFT)).toBeUndefined()
  })

  it('lists the hidden assets of an owner', async () => {
    await commit(session, PUBLISHED, 7)
    const hidden = (of = nft.owner) => session.store.index.hiddenOf(of, 10)
    expect(await hidden()).toEqual([])
    await commit(session, [{ kind: 'state', nft: NFT, state: 3 }], 9)
    const { tokenUri: _, ...told } = nft
    expect(await hidden()).toEqual([{ chainId: 1, did: DID, state: 3, nft: told }])
    // anybody may deploy an NFT for this owner, and describe it
    await commit(session, [{ kind: 'metadata', metadata: { ...metadata, state: 3, from: BOB } }], 9)
    expect(await hidden()).toEqual([])
    await commit(session, [{ kind: 'metadata', metadata: { ...metadata, state: 3 } }], 9)
    expect(await hidden(NFT)).toEqual([])
    await commit(session, [{ kind: 'state', nft: NFT, state: 5 }], 10)
    expect(await hidden()).toEqual([])
  })

  it('applies a batch atomically', async () => {
    await expect(commit(session, [...PUBLISHED, UNSTORABLE], 7, { provisional: true })).rejects.toThrow()
    expect(await session.store.index.cursor(1)).toBeUndefined()
    expect(await session.store.index.nft(1, NFT)).toBeUndefined()
  })

  it('applies nothing when another instance has moved the cursor', async () => {
    await commit(session, PUBLISHED, 7)
    const { index } = session.store
    const late: IndexBatch = { chainId: 1, from: undefined, to: at(8), changes: [order] }
    expect(await index.commit(late)).toBe(false)
    expect(await index.commit({ ...late, from: at(7, '1') })).toBe(false)
    expect((await index.asset(DID))?.datatokens[0]?.orders).toBe(2)
    expect(await index.cursor(1)).toEqual(at(7))
  })

  it('replaces U+0000 and lone surrogates in names (threat 47)', async () => {
    const batch: IndexChange[] = [
      { kind: 'nft', nft: { ...nft, name: 'a\0b', symbol: '\ud800', tokenUri: '🌊\0' } },
      { kind: 'datatoken', datatoken: { address: TOKEN, nft: NFT, name: '\0', symbol: 'x\udfffy' } },
      ...PUBLISHED.slice(2),
    ]
    expect(await commit(session, batch, 7, { provisional: true })).toBe(true)
    await session.restart()
    expect(await session.store.index.asset(DID)).toMatchObject({
      nft: { name: 'a\ufffdb', symbol: '\ufffd', tokenUri: '🌊\ufffd' },
      datatokens: [{ name: '\ufffd', symbol: 'x\ufffdy', orders: 2 }],
    })
  })

  it('skips a change that cannot be stored if onUnstorable is given, and applies the others (threat 47)', async () => {
    await commit(session, PUBLISHED, 7, { provisional: true })
    const { index } = session.store
    const batch: IndexBatch = {
      ...{ chainId: 1, from: await index.cursor(1), to: at(8) },
      ...{ changes: [UNSTORABLE, order], provisional: true },
    }
    await expect(index.commit(batch)).rejects.toBeInstanceOf(UnstorableError)
    expect(await index.cursor(1)).toEqual(at(7))
    const skipped: IndexChange[] = []
    expect(await index.commit({ ...batch, onUnstorable: (change) => skipped.push(change) })).toBe(true)
    expect(skipped).toEqual([UNSTORABLE])
    // the stored document is stale, since the asset has a newer one
    expect(await index.asset(DID)).toMatchObject({
      metadata: { ddo: null, reason: 'cannot be stored', state: 0 },
      datatokens: [{ orders: 3 }],
    })
    await index.rollback(1, at(7))
    expect(await index.asset(DID)).toMatchObject({ metadata: { ddo: metadata.ddo, reason: null } })
  })

  it('returns which of many contracts are indexed, and lists all of them in pages', async () => {
    const others = ([ALICE, BOB] as const).map((address): IndexChange => ({ kind: 'nft', nft: { ...nft, address } }))
    await commit(session, [...PUBLISHED, ...others], 7)
    const { index } = session.store
    const strangers = Array.from({ length: 300 }, (_, number) => account(number))
    expect((await index.known(1, 'nft', [...strangers, NFT, TOKEN, BOB])).sort()).toEqual([NFT, BOB].sort())
    expect(await index.known(1, 'datatoken', [NFT, TOKEN])).toEqual([TOKEN])
    expect(await index.known(2, 'nft', [NFT])).toEqual([])
    expect(await index.known(1, 'nft', [])).toEqual([])
    const first = await index.emitters(1, 'nft', undefined, 2)
    const second = await index.emitters(1, 'nft', first[1], 2)
    expect([first.length, second.length]).toEqual([2, 1])
    expect([...first, ...second].sort()).toEqual([NFT, ALICE, BOB].sort())
  })

  it('uses the parameters of each query, however often its statement has run before', async () => {
    const { index } = session.store
    for (let number = 1; number <= 20; number++) {
      expect(await index.nft(1, account(number))).toBeUndefined()
      const change: IndexChange = { kind: 'nft', nft: { ...nft, address: account(number) } }
      expect(await commit(session, [change], number, number % 2 ? {} : { provisional: true })).toBe(true)
      for (const wanted of [1, number]) expect((await index.nft(1, account(wanted)))?.address).toBe(account(wanted))
    }
  })
}

/** The address of this number. */
const account = (number: number): `0x${string}` => `0x${String(number).padStart(40, '0')}`
