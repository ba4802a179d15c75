import { expect, it } from 'vitest'
import { commit, metadata, NFT, PUBLISHED } from '../../../catalog/test/store/published.js'
import type { NewHostedFile } from '../../../hosting/src/hosted-store.js'
import { onBothDatabases } from '../state/stores.js'

const OWNER = '0x1111111111111111111111111111111111111111'
const LIMITS = { files: 100, bytes: 1000 }
const SHA256 = 'ab'.repeat(32)

function file(id: string, changed: Partial<NewHostedFile> = {}): NewHostedFile {
  return { id, owner: OWNER, size: 10, metadata: '', createdAt: 1, expiresAt: 100, ...changed }
}

/** HostedStore: quotas are exact, one writer has a file at a time, and what is acknowledged is there. */
onBothDatabases((session) => {
  it('has the uses of public files by indexed documents, and of no other file (threat 122)', async () => {
    const { hosted } = session.store
    const [open, secret] = ['a'.repeat(43), 'B'.repeat(43)]
    for (const [id, words] of [
      [open, 'filename eA==,public'],
      [secret, 'filename eA=='],
    ] as const)
      expect(await hosted.create(file(id, { metadata: words }), LIMITS)).toBeUndefined()
    const named = [open, open, secret, 'c'.repeat(43)].map((id) => `/api/services/public/${id}/x`)
    const document = { kind: 'metadata', metadata: { ...metadata, ddo: JSON.stringify({ named }) } } as const
    await commit(session, [...PUBLISHED, document], 7)
    await commit(session, [document], 9)
    expect(await hosted.uses(open, 10)).toEqual([{ chainId: 1, nft: NFT, list: named[0]?.slice(0, -2) }])
    expect(await hosted.uses(secret, 10)).toEqual([])
  })

  it('lets no more files in at once than fit, over all instances, and gives back what is removed', async () => {
    const stores = [session.store, await session.open()]
    const at = (index: number) => (stores[index % 2] ?? session.store).hosted
    const many = Array.from({ length: 50 }, (_, index) =>
      at(index).create(file(`a${index}`), { files: 100, bytes: 75 }),
    )
    const outcomes = await Promise.all(many)
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(7)
    expect(outcomes.filter((outcome) => outcome === 'bytes')).toHaveLength(43)
    const { hosted } = session.store
    expect(await hosted.totals(OWNER)).toEqual({ files: 7, bytes: 70 })
    expect(await hosted.create(file('b', { size: 1 }), { files: 7, bytes: 75 })).toBe('files')
    const other = `${OWNER} 5`
    expect(await hosted.create(file('c', { owner: other, size: 76 }), { files: 7, bytes: 75 })).toBe('bytes')
    expect(await hosted.create(file('c', { owner: other, size: 75 }), { files: 7, bytes: 75 })).toBeUndefined()
    expect(await hosted.totals()).toEqual({ files: 8, bytes: 145 })

    const admitted = `a${outcomes.indexOf(undefined)}`
    const removals = await Promise.all(Array.from({ length: 6 }, (_, index) => at(index).remove(admitted, 5)))
    expect(removals.filter(Boolean)).toHaveLength(1)
    expect(await hosted.totals(OWNER)).toEqual({ files: 6, bytes: 60 })
    expect(await hosted.find(admitted)).toBeUndefined()
    await session.restart()
    expect(await session.store.hosted.removed(10)).toEqual([{ id: admitted, place: null, metadata: '' }])
    await session.store.hosted.forget(admitted, [])
    expect(await session.store.hosted.removed(10)).toEqual([])
    expect(await session.store.hosted.totals(OWNER)).toEqual({ files: 6, bytes: 60 })
  })

  it('adds a file of an id once, and counts it once', async () => {
    const { hosted } = session.store
    const second = (await session.open()).hosted
    const outcomes = await Promise.all([hosted, second, hosted].map((store) => store.create(file('once'), LIMITS)))
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'exists')).toHaveLength(2)
    expect(await hosted.totals()).toEqual({ files: 1, bytes: 10 })
    await hosted.remove('once', 5)
    expect(await hosted.create(file('once'), LIMITS)).toBe('exists')
    await hosted.forget('once', [])
    expect(await hosted.create(file('once'), LIMITS)).toBeUndefined()
  })

  it('grows a file of unknown length in the quota, over all instances, until its length is declared', async () => {
    const { hosted } = session.store
    const second = (await session.open()).hosted
    const ids = Array.from({ length: 10 }, (_, at) => `d${at}`)
    for (const id of ids) {
      expect(await hosted.create(file(id, { size: 0, isDeferred: true }), LIMITS)).toBeUndefined()
      await hosted.lock(id, 'x', 0, 10)
    }
    const outcomes = await Promise.all(
      ids.map((id, at) => (at % 2 ? hosted : second).resize(id, 'x', { size: 200, isDeferred: true }, 1000)),
    )
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome === 'bytes')).toHaveLength(5)
    expect(await hosted.totals(OWNER)).toEqual({ files: 10, bytes: 1000 })
    const [grown, refused] = [undefined, 'bytes' as const].map((outcome) => ids[outcomes.indexOf(outcome)] as string)
    expect(await hosted.find(refused as string)).toMatchObject({ size: 0, isDeferred: true })
    const declare = (id: string, size: number, holder = 'x') =>
      hosted.resize(id, holder, { size, isDeferred: false }, 1000)
    expect(await declare(grown as string, 150, 'y')).toBe('lost')
    expect(await declare(grown as string, 150)).toBeUndefined()
    expect(await declare(grown as string, 160)).toBe('lost')
    expect(await hosted.find(grown as string)).toMatchObject({ size: 150, isDeferred: false })
    expect([await declare(refused as string, 51), await declare(refused as string, 50)]).toEqual(['bytes', undefined])
    expect(await hosted.totals(OWNER)).toEqual({ files: 10, bytes: 1000 })
    await hosted.remove(grown as string, 5)
    expect(await hosted.totals(OWNER)).toEqual({ files: 9, bytes: 850 })
  })

  it('joins each partial file once, all or nothing, and gives it up with its final one', async () => {
    const { hosted } = session.store
    const second = (await session.open()).hosted
    for (const id of ['p', 'q', 'r']) {
      await hosted.create(file(id, { concat: id === 'r' ? null : 'partial' }), LIMITS)
      await hosted.lock(id, 'x', 0, 10)
      await hosted.advance(id, 'x', { from: 0, to: 10, done: { sha256: SHA256, at: 1 } })
    }
    expect(await hosted.join(file('f'), ['p', 'r'], LIMITS)).toBe('partials')
    expect(await hosted.join(file('f'), ['p', 'q'], { ...LIMITS, bytes: 19 })).toBe('bytes')
    expect(await hosted.join(file('f'), ['p', 'q'], { ...LIMITS, files: 3 })).toBe('files')
    expect(await hosted.find('f')).toBeUndefined()
    const both = await Promise.all([
      hosted.join(file('f'), ['p', 'q'], LIMITS),
      second.join(file('g'), ['q', 'p'], LIMITS),
    ])
    expect(both.filter((outcome) => outcome === undefined)).toHaveLength(1)
    expect(both.filter((outcome) => outcome === 'partials')).toHaveLength(1)
    const final = both[0] === undefined ? 'f' : 'g'
    expect(await hosted.find(final)).toMatchObject({ size: 20, received: 0 })
    expect(await hosted.totals(OWNER)).toEqual({ files: 4, bytes: 30 })
    // a final file that is not complete keeps its partial ones
    expect([await hosted.spent(10), (await hosted.idle(50, '', 10)).map(({ id }) => id)]).toEqual([[], ['r']])
    await hosted.remove(final, 5)
    expect((await hosted.spent(10)).sort()).toEqual(['p', 'q'])
    for (const id of ['p', 'q']) await hosted.remove(id, 5)
    expect(await hosted.totals(OWNER)).toEqual({ files: 1, bytes: 10 })
    expect(await hosted.spent(10)).toEqual([])
  })

  it('lets one writer have a file at a time, who learns when another one wants it', async () => {
    const { hosted } = session.store
    const second = (await session.open()).hosted
    await hosted.create(file('a'), LIMITS)
    const taken = await Promise.all([hosted.lock('a', 'x', 10, 20), second.lock('a', 'y', 10, 20)])
    expect(taken.filter(Boolean)).toHaveLength(1)
    const [holder, other] = taken[0] ? ['x', 'y'] : ['y', 'x']
    expect(await hosted.renew('a', holder, 30)).toBe('wanted')
    expect(await hosted.advance('a', other, { from: 0, to: 4 })).toBe(false)
    expect(await hosted.advance('a', holder, { from: 1, to: 4 })).toBe(false)
    expect(await hosted.advance('a', holder, { from: 0, to: 4, place: 'there', hash: 'state' })).toBe(true)
    expect(await hosted.lock('a', other, 29, 40)).toBe(false)
    // the lock of a writer that is gone ends by itself
    expect(await second.lock('a', other, 30, 40)).toBe(true)
    expect(await hosted.renew('a', holder, 50)).toBe('lost')
    expect(await hosted.advance('a', holder, { from: 4, to: 5 })).toBe(false)
    await hosted.unlock('a', holder)
    expect(await hosted.renew('a', other, 50)).toBe('held')
    await hosted.unlock('a', other)
    expect(await hosted.lock('a', holder, 31, 40)).toBe(true)
    const last = { from: 4, to: 6, place: 'there', hash: 'state', unlocks: true }
    expect(await hosted.advance('a', other, last)).toBe(false)
    expect(await hosted.lock('a', other, 32, 40)).toBe(false)
    expect(await hosted.advance('a', holder, last)).toBe(true)
    expect(await hosted.renew('a', holder, 50)).toBe('lost')
    expect(await hosted.lock('a', other, 33, 40)).toBe(true)
    expect(await hosted.find('a')).toMatchObject({
      ...{ received: 6, sha256: null, completedAt: null },
      ...{ place: 'there', hash: 'state' },
    })
  })

  it('lists complete, expired and unused files', async () => {
    const { hosted } = session.store
    for (const id of ['a', 'b', 'c']) await hosted.create(file(id), LIMITS)
    await hosted.lock('a', 'x', 0, 10)
    expect(await hosted.advance('a', 'x', { from: 0, to: 10, place: 'here', done: { sha256: SHA256, at: 50 } })).toBe(
      true,
    )
    await hosted.lock('b', 'x', 0, 150)
    expect(await hosted.unfinished()).toBe(2)
    expect([await hosted.expired(99, 10), await hosted.expired(100, 10)]).toEqual([[], ['c']])
    expect(await hosted.expired(150, 10)).toEqual(expect.arrayContaining(['b', 'c']))
    await session.restart()
    const { hosted: again } = session.store
    expect(await again.find('a')).toEqual({
      ...{
        id: 'a',
        owner: OWNER,
        size: 10,
        concat: null,
        final: null,
        isDeferred: false,
        received: 10,
        metadata: '',
        createdAt: 1,
        expiresAt: 100,
      },
      ...{ sha256: SHA256, completedAt: 50, usedAt: null, place: 'here', hash: null },
    })
    expect((await again.list(OWNER, '', 2)).map(({ id }) => id)).toEqual(['a', 'b'])
    expect((await again.list(OWNER, 'b', 2)).map(({ id }) => id)).toEqual(['c'])
    expect(await again.list(`${OWNER} 1`, '', 2)).toEqual([])
    expect((await again.list(undefined, 'a', 5)).map(({ id }) => id)).toEqual(['b', 'c'])
    const idle = async (since: number) => (await again.idle(since, '', 10)).map(({ id }) => id)
    expect([await idle(50), await idle(51)]).toEqual([[], ['a']])
    await again.setUsed('a', 70)
    expect([await idle(70), await idle(71)]).toEqual([[], ['a']])
    const use = { chainId: 5, nft: OWNER, list: SHA256 } as const
    const files = [{ id: 'a', hash: 'hash' }]
    for (const chainId of [5, 5, 6, 7]) await again.recordUses(files, { ...use, chainId }, 2, 60_100)
    // a repetition within a minute writes no time
    expect([await idle(60_100), await idle(60_101)]).toEqual([[], ['a']])
    await again.recordUses(files, use, 2, 60_100 + 60_000)
    expect(await idle(60_101)).toEqual(['a'])
    expect(await again.uses('hash', 10)).toEqual(expect.arrayContaining([use, { ...use, chainId: 6 }]))
    expect(await again.uses('hash', 10)).toHaveLength(2)
    expect(await again.uses('hash', 1)).toHaveLength(1)
    expect(await again.uses('other', 10)).toEqual([])
    const known = async (ids: string[]) => (await again.known(ids)).map(({ id }) => id).sort()
    expect(await known(['a', 'x', 'c'])).toEqual(['a', 'c'])
    expect(await known([])).toEqual([])
    await again.remove('a', 80)
    await again.forget('a', ['hash'])
    expect(await again.uses('hash', 10)).toEqual([])
    expect(await known(['a', 'c'])).toEqual(['c'])
  })
})
