import { zeroHash } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseNonce } from '../../src/auth/nonce.js'
import { UnstorableError } from '../../src/errors.js'
import type { IndexChange, StateStore } from '../../src/state/store.js'
import { eventually } from '../helpers/eventually.js'

/** How a suite gets at one implementation: `open` may be called again and again for the same data. */
export interface StoreUnderTest {
  open(): Promise<StateStore>
  /** Removes the data. */
  destroy(): Promise<void>
}

const ALICE = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
const BOB = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const TOKEN = '0xA74847bf9cebD3696031dC8f0033CF9A009E66Bc'
const key = (text: string) => parseNonce(text, 10n ** 39n).sortKey

/** What every StateStore must do. `create` makes an empty one. */
export function stateStoreSuite(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`state store: ${name}`, () => {
    let under: StoreUnderTest
    let store: StateStore
    beforeEach(async () => {
      under = await create()
      store = await under.open()
    })
    afterEach(async () => {
      await store.close()
      await under.destroy()
    })

    const reopen = async () => {
      await store.close()
      store = await under.open()
    }

    it('takes a nonce only when it is greater, per address, and keeps it over a restart', async () => {
      expect(await store.nonces.last(ALICE)).toBeUndefined()
      for (const [text, taken] of [
        ['5', true],
        ['5', false],
        ['4', false],
        ['5.5', true],
        ['5.4', false],
        ['10', true],
      ] as const)
        expect(await store.nonces.consume(ALICE, key(text)), text).toBe(taken)
      expect(await store.nonces.consume(BOB, key('1'))).toBe(true)
      await reopen()
      expect(await store.nonces.last(ALICE)).toBe(key('10'))
      expect(await store.nonces.consume(ALICE, key('10'))).toBe(false)
    })

    it('says of a nonce early when it cannot pass, also where another instance has used it', async () => {
      const second = await under.open()
      expect(await store.nonces.mayPass(ALICE, key('5'))).toBe(true)
      await store.nonces.consume(ALICE, key('5'))
      expect(await store.nonces.mayPass(ALICE, key('5'))).toBe(false)
      expect(await second.nonces.mayPass(ALICE, key('5'))).toBe(false)
      expect(await second.nonces.mayPass(ALICE, key('6'))).toBe(true)
      await second.nonces.consume(ALICE, key('7'))
      // what the first one has not heard of is decided when it is consumed
      expect(await store.nonces.consume(ALICE, key('6'))).toBe(false)
      expect(await store.nonces.last(ALICE)).toBe(key('7'))
      expect(await store.nonces.mayPass(ALICE, key('6'))).toBe(false)
      await second.close()
    })

    it('threat 11: lets exactly one of 50 through, over two instances, and never goes down', async () => {
      const second = await under.open()
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 ? store : second).nonces.consume(ALICE, key('77'))),
      )
      expect(results.filter(Boolean)).toHaveLength(1)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? store : second).nonces.consume(ALICE, key(String(100 - index))),
        ),
      )
      expect(await store.nonces.last(ALICE)).toBe(key('100'))
      await second.close()
    })

    it('keeps nonces of wallets by chain, above those that the address used itself (threat 63)', async () => {
      const second = await under.open()
      await store.nonces.consume(ALICE, key('5'))
      for (const [chainId, text, taken] of [
        [1, '5', false],
        [1, '6', true],
        [1, '6', false],
        [2, '5.5', true],
        [2, '5.4', false],
        [1, '6.5', true],
      ] as const) {
        expect(await second.nonces.consume(ALICE, key(text), chainId), `${chainId} ${text}`).toBe(taken)
        expect(await second.nonces.mayPass(ALICE, key(text), chainId)).toBe(false)
      }
      // what wallets use is nothing to the account itself
      expect(await store.nonces.mayPass(ALICE, key('5.1'))).toBe(true)
      expect(await store.nonces.consume(ALICE, key('5.1'))).toBe(true)
      expect(await store.nonces.mayPass(ALICE, key('5.2'), 3)).toBe(true)
      await reopen()
      const lasts = [1, 2, 3, undefined].map((chainId) => store.nonces.last(ALICE, chainId))
      expect(await Promise.all(lasts)).toEqual([key('6.5'), key('5.5'), key('5.1'), key('6.5')])
      const same = Array.from({ length: 50 }, (_, at) => (at % 2 ? store : second).nonces.consume(ALICE, key('77'), 1))
      expect((await Promise.all(same)).filter(Boolean)).toHaveLength(1)
      await second.close()
    })

    it('remembers since when quotes have an end (threat 62)', async () => {
      const since = await store.moments.of('quotes end')
      expect(Math.abs(since - Date.now() / 1000)).toBeLessThan(60)
      await reopen()
      expect(await store.moments.of('quotes end')).toBe(since)
    })

    it('answers for what was asked, whatever was asked before', async () => {
      const address = (at: number) => `0x${String(at).padStart(40, '0')}` as const
      let from: { block: number; hash: `0x${string}` } | undefined
      for (let at = 1; at <= 20; at++) {
        expect(await store.index.nft(1, address(at))).toBeUndefined()
        const nft = { address: address(at), name: 'n', symbol: 's', tokenUri: '', owner: ALICE, created: '' } as const
        const to = { block: at, hash: `0x${at}` as const }
        const keep = at % 2 === 0 ? { keepSince: 0 } : {}
        expect(await store.index.commit({ chainId: 1, from, to, changes: [{ kind: 'nft', nft }], ...keep })).toBe(true)
        from = to
        for (const wanted of [1, at]) expect((await store.index.nft(1, address(wanted)))?.address).toBe(address(wanted))
      }
    })

    it('lets one instance lead an index, and another one when that is gone', async () => {
      const two = await under.open()
      const leads = [
        await store.index.lead(1),
        await two.index.lead(1),
        await two.index.lead(2),
        await store.index.lead(2),
      ]
      expect(leads).toEqual([true, false, true, false])
      expect(await store.index.lead(1)).toBe(true)
      await store.close()
      await eventually(() => two.index.lead(1))
      await two.close()
    })

    it('keeps revocations until the token has expired anyway', async () => {
      expect(await store.revocations.revoke('one', 1000)).toBe(true)
      expect(await store.revocations.revoke('one', 1000)).toBe(false)
      await reopen()
      expect(await store.revocations.isRevoked('one')).toBe(true)
      expect(await store.revocations.isRevoked('two')).toBe(false)
      await store.revocations.purge(1000)
      expect(await store.revocations.isRevoked('one')).toBe(true)
      await store.revocations.purge(1001)
      expect(await store.revocations.isRevoked('one')).toBe(false)
    })

    const changes: IndexChange[] = [
      {
        kind: 'nft',
        nft: { address: NFT, name: 'n', symbol: 's', tokenUri: '', owner: ALICE, created: '2026-01-01T00:00:00Z' },
      },
      { kind: 'datatoken', datatoken: { address: TOKEN, nft: NFT, name: 'd', symbol: 't' } },
      {
        kind: 'metadata',
        metadata: {
          nft: NFT,
          did: 'did:op:1',
          state: 0,
          ddo: '{"a":"ü"}',
          reason: null,
          encrypted: true,
          txId: zeroHash,
          block: 7,
          from: ALICE,
          timestamp: 70,
        },
      },
      { kind: 'order', datatoken: TOKEN },
      { kind: 'order', datatoken: TOKEN },
    ]

    const at = (block: number, fork = '0') => ({ block, hash: `0x${fork.repeat(64)}` as const })
    const commit = (chainId: number, batch: IndexChange[], block: number, keepSince?: number) =>
      store.index
        .cursor(chainId)
        .then((from) => store.index.commit({ chainId, from, to: at(block), changes: batch, keepSince }))

    it('applies the changes of a batch in their order and remembers how far it came', async () => {
      expect(await store.index.cursor(1)).toBeUndefined()
      expect(await commit(1, changes, 7)).toBe(true)
      expect(await commit(1, [{ kind: 'state', nft: NFT, state: 3 }], 9)).toBe(true)
      await reopen()
      expect(await store.index.cursor(1)).toEqual({ block: 9, hash: zeroHash })
      expect(await store.index.asset('did:op:1')).toEqual({
        chainId: 1,
        nft: { address: NFT, name: 'n', symbol: 's', tokenUri: '', owner: ALICE, created: '2026-01-01T00:00:00Z' },
        datatokens: [{ address: TOKEN, nft: NFT, name: 'd', symbol: 't', orders: 2 }],
        metadata: {
          nft: NFT,
          did: 'did:op:1',
          state: 3,
          ddo: '{"a":"ü"}',
          reason: null,
          encrypted: true,
          txId: zeroHash,
          block: 7,
          from: ALICE,
          timestamp: 70,
        },
      })
      expect(await store.index.datatoken(1, TOKEN)).toMatchObject({ nft: NFT })
      expect(await store.index.nft(2, NFT)).toBeUndefined()
    })

    it('applies a batch whole or not at all', async () => {
      const broken = { kind: 'metadata', metadata: { ...(changes[2] as { metadata: object }).metadata, txId: null } }
      const batch = [...changes, broken as unknown as IndexChange]
      await expect(commit(1, batch, 7, 0)).rejects.toThrow()
      expect(await store.index.cursor(1)).toBeUndefined()
      expect(await store.index.nft(1, NFT)).toBeUndefined()
    })

    it('holds names with U+0000 and halves of characters, with something in their place (threat 47)', async () => {
      const nft = { ...(changes[0] as { nft: object }).nft, name: 'a\0b', symbol: '\ud800', tokenUri: '🌊\0' } as never
      const datatoken = { address: TOKEN, nft: NFT, name: '\0', symbol: 'x\udfffy' } as const
      const batch: IndexChange[] = [{ kind: 'nft', nft }, { kind: 'datatoken', datatoken }, ...changes.slice(2)]
      expect(await commit(1, batch, 7, 0)).toBe(true)
      await reopen()
      expect(await store.index.asset('did:op:1')).toMatchObject({
        nft: { name: 'a\ufffdb', symbol: '\ufffd', tokenUri: '🌊\ufffd' },
        datatokens: [{ name: '\ufffd', symbol: 'x\ufffdy', orders: 2 }],
      })
    })

    it('leaves out what cannot be stored where it is told to, and makes all else (threat 47)', async () => {
      await commit(1, changes, 7, 0)
      const { metadata } = changes[2] as { metadata: object }
      const broken = { kind: 'metadata', metadata: { ...metadata, ddo: 'new', txId: null } } as unknown as IndexChange
      const from = await store.index.cursor(1)
      const batch = [broken, { kind: 'order', datatoken: TOKEN }] as IndexChange[]
      const step = { chainId: 1, from, to: at(8), changes: batch, keepSince: 7 }
      await expect(store.index.commit(step)).rejects.toBeInstanceOf(UnstorableError)
      expect(await store.index.cursor(1)).toEqual(at(7))
      const leftOut: IndexChange[] = []
      expect(await store.index.commit({ ...step, leaveOut: (change) => leftOut.push(change) })).toBe(true)
      expect(leftOut).toEqual([broken])
      // the old document is not that of the asset any more
      expect(await store.index.asset('did:op:1')).toMatchObject({
        metadata: { ddo: null, reason: 'cannot be stored', state: 0 },
        datatokens: [{ orders: 3 }],
      })
      await store.index.rollback(1, at(7))
      expect(await store.index.asset('did:op:1')).toMatchObject({ metadata: { ddo: '{"a":"ü"}', reason: null } })
    })

    it('tells which contracts it knows, in one statement for many, and all of them page by page', async () => {
      const nft = (address: string) =>
        ({ kind: 'nft', nft: { ...(changes[0] as { nft: object }).nft, address } }) as unknown as IndexChange
      await commit(1, [...changes, nft(ALICE), nft(BOB)], 7)
      const strangers = Array.from({ length: 300 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}` as const)
      expect((await store.index.known(1, 'nft', [...strangers, NFT, TOKEN, BOB])).sort()).toEqual([NFT, BOB].sort())
      expect(await store.index.known(1, 'datatoken', [NFT, TOKEN])).toEqual([TOKEN])
      expect(await store.index.known(2, 'nft', [NFT])).toEqual([])
      expect(await store.index.known(1, 'nft', [])).toEqual([])
      const first = await store.index.emitters(1, 'nft', undefined, 2)
      const second = await store.index.emitters(1, 'nft', first[1], 2)
      expect([first.length, second.length]).toEqual([2, 1])
      expect([...first, ...second].sort()).toEqual([NFT, ALICE, BOB].sort())
    })

    it('applies nothing where another instance has moved the cursor', async () => {
      await commit(1, changes, 7)
      const late = { chainId: 1, from: undefined, to: at(8), changes: [{ kind: 'order', datatoken: TOKEN }] as const }
      expect(await store.index.commit({ ...late, changes: [...late.changes] })).toBe(false)
      expect(await store.index.commit({ ...late, changes: [...late.changes], from: at(7, '1') })).toBe(false)
      expect((await store.index.asset('did:op:1'))?.datatokens[0]?.orders).toBe(2)
      expect(await store.index.cursor(1)).toEqual(at(7))
    })

    it('threat 33: takes batches back, row by row, as far as it has kept what was before them', async () => {
      await commit(1, changes.slice(0, 1), 5)
      await commit(1, changes.slice(1), 10, 4)
      const before = await store.index.asset('did:op:1')
      const other = { ...(changes[0] as { nft: object }).nft, address: BOB } as never
      await commit(
        1,
        [
          { kind: 'state', nft: NFT, state: 3 },
          { kind: 'order', datatoken: TOKEN },
        ],
        11,
        4,
      )
      await commit(
        1,
        [
          { kind: 'state', nft: NFT, state: 1 },
          { kind: 'nft', nft: other },
        ],
        12,
        4,
      )
      await reopen()
      expect((await store.index.checkpoints(1)).map(({ block }) => block)).toEqual([12, 11, 10, 5])
      await store.index.rollback(1, at(10))
      expect(await store.index.asset('did:op:1')).toEqual(before)
      expect(await store.index.nft(1, BOB)).toBeUndefined()
      expect(await store.index.cursor(1)).toEqual(at(10))
      await store.index.rollback(1, at(5))
      expect(await store.index.asset('did:op:1')).toBeUndefined()
      expect(await store.index.datatoken(1, TOKEN)).toBeUndefined()
      expect(await store.index.nft(1, NFT)).toBeDefined()
      expect((await store.index.checkpoints(1)).map(({ block }) => block)).toEqual([5])
    })

    it('lets go of what is final', async () => {
      await commit(1, changes, 5, 0)
      await commit(1, [], 6, 0)
      await commit(1, [], 9, 6)
      expect((await store.index.checkpoints(1)).map(({ block }) => block)).toEqual([9, 6])
      await commit(1, [], 500)
      expect((await store.index.checkpoints(1)).map(({ block }) => block)).toEqual([500])
    })

    /** Deletes all rows that answer nothing any more; how often it took. */
    async function swept(chainId: number): Promise<number> {
      let times = 0
      while (await store.index.sweep(chainId)) times++
      return times
    }

    it('reads a chain again beside what is in use, which answers until it is replaced as a whole (threat 75)', async () => {
      await commit(1, changes, 7, 0)
      await commit(2, changes.slice(0, 2), 8)
      await store.nonces.consume(ALICE, key('5'))
      const before = await store.index.asset('did:op:1')
      expect(await store.index.readings(1)).toEqual({ live: { id: 1, cursor: at(7) }, old: false })
      await store.index.begin(1, true)
      await reopen()
      const { next, live } = await store.index.readings(1)
      expect([live?.cursor, next?.cursor, next?.wanted]).toEqual([at(7), undefined, true])
      const batch = (to: number, some: IndexChange[], from?: number) =>
        store.index.next.commit({
          ...{ chainId: 1, from: from === undefined ? undefined : at(from, '1'), to: at(to, '1') },
          ...{ changes: some, keepSince: 0 },
        })
      expect(await batch(3, changes.slice(0, 2))).toBe(true)
      expect(await store.index.next.known(1, 'nft', [NFT])).toEqual([NFT])
      expect(await store.index.next.emitters(1, 'datatoken', undefined, 9)).toEqual([TOKEN])
      // the live one goes on meanwhile
      await commit(1, [{ kind: 'order', datatoken: TOKEN }], 8, 0)
      expect((await store.index.asset('did:op:1'))?.datatokens[0]?.orders).toBe(3)
      await store.index.rollback(1, at(7))
      expect(await store.index.asset('did:op:1')).toEqual(before)
      expect(await batch(4, [changes[2] as IndexChange], 3)).toBe(true)
      expect(await batch(5, [{ kind: 'state', nft: NFT, state: 4 }], 4)).toBe(true)
      await store.index.next.rollback(1, at(4, '1'))
      expect((await store.index.next.checkpoints(1)).map(({ block }) => block)).toEqual([4, 3])
      expect(await store.index.asset('did:op:1')).toEqual(before)
      expect(await store.index.sweep(1)).toBe(false)

      expect(await store.index.replace(1, at(4))).toBe(false)
      expect(await store.index.asset('did:op:1')).toEqual(before)
      expect(await store.index.replace(1, at(4, '1'))).toBe(true)
      expect(await store.index.cursor(1)).toEqual(at(4, '1'))
      await reopen()
      const after = await store.index.asset('did:op:1')
      expect(after).toEqual({ ...before, datatokens: [{ ...before?.datatokens[0], orders: 0 }] })
      expect(await store.index.replace(1, at(4, '1'))).toBe(false)
      // whoever had begun to read the one before on is late
      expect(await store.index.commit({ chainId: 1, from: at(7), to: at(8), changes: [] })).toBe(false)
      expect((await store.index.readings(1)).old).toBe(true)
      expect(await swept(1)).toBe(2)
      expect(await store.index.asset('did:op:1')).toEqual(after)
      expect(await store.index.datatoken(1, TOKEN)).toMatchObject({ nft: NFT })
      expect(await store.index.readings(1)).toEqual({ live: { id: next?.id, cursor: at(4, '1') }, old: false })
      await store.index.rollback(1, at(3, '1'))
      expect(await store.index.asset('did:op:1')).toBeUndefined()
      expect(await store.index.nft(2, NFT)).toMatchObject({ name: 'n' })
      expect(await store.index.chains()).toEqual([1, 2])
      expect(await store.nonces.last(ALICE)).toBe(key('5'))
    })

    it('gives a new reading up, or begins it anew, without touching what answers (threat 75)', async () => {
      await store.index.begin(1, true)
      expect(await store.index.readings(1)).toEqual({ old: false })
      for (const chainId of [1, 2]) await commit(chainId, changes.slice(0, 2), 7)
      const first = { chainId: 1, from: undefined, to: at(3), changes: changes.slice(0, 2) }
      for (let time = 0; time < 3; time++) {
        await Promise.all([store.index.begin(1, false), store.index.begin(2, true)])
        expect(await store.index.next.cursor(1)).toBeUndefined()
        expect(await store.index.next.commit(first)).toBe(true)
        expect(await store.index.next.known(2, 'nft', [NFT])).toEqual([])
      }
      await store.index.giveUp(1)
      expect(await store.index.next.commit(first)).toBe(false)
      expect(await store.index.replace(1, at(3))).toBe(false)
      for (const chainId of [1, 2]) await swept(chainId)
      expect(await store.index.readings(1)).toEqual({ live: { id: 1, cursor: at(7) }, old: false })
      expect((await store.index.readings(2)).next).toMatchObject({ wanted: true })
      for (const chainId of [1, 2]) expect(await store.index.nft(chainId, NFT)).toMatchObject({ name: 'n' })
    })

    it('counts over a window of time, over all instances', async () => {
      const second = await under.open()
      const now = 1_000_000
      await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? store : second).usage.add('a', 3, 1000, now)))
      expect(await second.usage.used('a', 1000, now + 400)).toEqual({ used: 60, endsIn: 600 })
      expect(await second.usage.used('b', 1000, now)).toEqual({ used: 0, endsIn: 1000 })
      expect(await store.usage.add('a', 1, 1000, now + 999)).toEqual({ used: 61, endsIn: 1 })
      expect(await store.usage.used('a', 1000, now + 1000)).toMatchObject({ used: 0 })
      expect(await store.usage.add('a', 5, 1000, now + 1000)).toEqual({ used: 5, endsIn: 1000 })
      await second.close()
    })

    it('takes a proof of a subject once, and so many on a day, over all instances (threat 52)', async () => {
      const second = await under.open()
      const day = 86_400_000
      let id = 0
      const add = (subject: string, now: number, most = 3) =>
        (id++ % 2 ? store : second).proofs.addOnce(subject, most, { id: `p${id}`, kind: 'chain', body: '' }, now)
      const same = await Promise.all(Array.from({ length: 20 }, () => add('a', 1)))
      expect(same.filter((outcome) => outcome === 'added')).toHaveLength(1)
      expect(same.filter((outcome) => outcome === 'known')).toHaveLength(19)
      const others = await Promise.all(Array.from({ length: 10 }, (_, at) => add(`b${at}`, day - 1)))
      expect(others.filter((outcome) => outcome === 'added')).toHaveLength(2)
      expect(others.filter((outcome) => outcome === 'refused')).toHaveLength(8)
      expect(await add('a', day - 1)).toBe('known')
      // another day begins, and without a limit there is none
      const refused = `b${others.indexOf('refused')}`
      expect([await add(refused, day), await add('a', day), await add(refused, day)]).toEqual([
        'added',
        'known',
        'known',
      ])
      expect(await Promise.all(Array.from({ length: 10 }, (_, at) => add(`c${at}`, day, 0)))).toEqual(
        Array(10).fill('added'),
      )
      await reopen()
      expect([await add('a', 2 * day), await add('d', day)]).toEqual(['known', 'refused'])
      expect(await store.proofs.waiting()).toBe(14)
      await second.close()
    })

    it('hands each waiting proof to one taker, until its time is over, and forgets none', async () => {
      const second = await under.open()
      for (let at = 0; at < 20; at++) await store.proofs.add({ id: `p${at}`, kind: 'http', body: `${at}` }, 100 + at)
      await store.proofs.add({ id: 'p0', kind: 'chain', body: 'again' }, 100)
      expect(await store.proofs.claim(99, 1000, 50)).toEqual([])
      const taken = await Promise.all([store, second, store, second].map((one) => one.proofs.claim(500, 1000, 5)))
      // those who wait for each other may be given less than they asked for
      taken.push(await store.proofs.claim(500, 1000, 20))
      expect(
        taken
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(Array.from({ length: 20 }, (_, at) => `p${at}`).sort())
      expect(taken.flat().find(({ id }) => id === 'p0')).toEqual({
        id: 'p0',
        kind: 'http',
        body: '0',
        attempts: 1,
        txId: null,
      })
      await reopen()
      await store.proofs.done('p1')
      await store.proofs.retry('p2', null)
      await store.proofs.noteTransaction('p3', zeroHash)
      expect(await store.proofs.claim(999, 2000, 50)).toEqual([])
      const again = await store.proofs.claim(1000, 2000, 50)
      expect(again).toHaveLength(18)
      expect(again.find(({ id }) => id === 'p3')).toMatchObject({ attempts: 2, txId: zeroHash })
      expect(await store.proofs.waiting()).toBe(19)
      await second.close()
    })

    it('threat 8: throws when it cannot answer, instead of accepting', async () => {
      const closed = await under.open()
      await closed.close()
      await expect(closed.nonces.consume(ALICE, key('9'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
      await expect(closed.revocations.isRevoked('one')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    })
  })
}
