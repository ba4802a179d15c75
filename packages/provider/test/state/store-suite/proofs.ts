import { zeroHash } from 'viem'
import { expect, it } from 'vitest'
import { DAY } from '../../../../protocol/src/constants.js'
import type { StateSession } from '../stores.js'

/** ProofStore: no proof of delivery is lost, and none is sent twice concurrently. */
export function proofSuite(session: StateSession): void {
  it('queues a proof once per subject, and a limited number per day, across all instances (threat 52)', async () => {
    const stores = [session.store, await session.open()]
    let id = 0
    const add = (subject: string, now: number, perDay = 3) => {
      id++
      const store = stores[id % 2] ?? session.store
      return store.proofs.addOnce(subject, perDay, { id: `p${id}`, kind: 'chain', body: '' }, now)
    }
    const count = (outcomes: string[], wanted: string) => outcomes.filter((outcome) => outcome === wanted).length
    const same = await Promise.all(Array.from({ length: 20 }, () => add('a', 1)))
    expect([count(same, 'added'), count(same, 'known')]).toEqual([1, 19])
    const others = await Promise.all(Array.from({ length: 10 }, (_, at) => add(`b${at}`, DAY - 1)))
    expect([count(others, 'added'), count(others, 'refused')]).toEqual([2, 8])
    expect(await add('a', DAY - 1)).toBe('known')

    // the next day has a limit of its own
    const refused = `b${others.indexOf('refused')}`
    const nextDay = [await add(refused, DAY), await add('a', DAY), await add(refused, DAY)]
    expect(nextDay).toEqual(['added', 'known', 'known'])
    const unlimited = await Promise.all(Array.from({ length: 10 }, (_, at) => add(`c${at}`, DAY, 0)))
    expect(count(unlimited, 'added')).toBe(10)

    await session.restart()
    stores.fill(session.store)
    expect([await add('a', 2 * DAY), await add('d', DAY)]).toEqual(['known', 'refused'])
    expect(await session.store.proofs.count()).toBe(14)
  })

  it('leases each due proof to one worker, and keeps it until it is done', async () => {
    const { proofs } = session.store
    const second = (await session.open()).proofs
    for (let at = 0; at < 20; at++) await proofs.add({ id: `p${at}`, kind: 'http', body: `${at}` }, 100 + at)
    await proofs.add({ id: 'p0', kind: 'chain', body: 'again' }, 100)
    expect(await proofs.claim(99, 1000, 50)).toEqual([])
    const batches = await Promise.all([proofs, second, proofs, second].map((worker) => worker.claim(500, 1000, 5)))
    // workers that block each other may get fewer than they requested
    const claimed = [...batches.flat(), ...(await proofs.claim(500, 1000, 20))]
    expect(claimed.map(({ id }) => id).sort()).toEqual(Array.from({ length: 20 }, (_, at) => `p${at}`).sort())
    expect(claimed.find(({ id }) => id === 'p0')).toEqual({
      ...{ id: 'p0', kind: 'http', body: '0' },
      ...{ attempts: 1, txId: null },
    })

    await session.restart()
    const restarted = session.store.proofs
    await restarted.done('p1')
    await restarted.retry('p2', null)
    await restarted.recordTransaction('p3', zeroHash)
    expect(await restarted.claim(999, 2000, 50)).toEqual([])
    const again = await restarted.claim(1000, 2000, 50)
    expect(again).toHaveLength(18)
    expect(again.find(({ id }) => id === 'p3')).toMatchObject({ attempts: 2, txId: zeroHash })
    expect(await restarted.count()).toBe(19)
  })
}
