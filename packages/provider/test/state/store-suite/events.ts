import { expect, it } from 'vitest'
import type { StateSession } from '../stores.js'

/** EventStore: no event is lost unless too many wait for too long, and none is sent twice concurrently. */
export function eventSuite(session: StateSession): void {
  const eventOf = (id: string) => ({ id, type: 'webhook.test' as const, created: 1, data: {} })

  it('leases each due event to one worker, and keeps it with its id until it is done (threat 147)', async () => {
    const stores = [session.store, await session.open()].map(({ events }) => events)
    const events = Array.from({ length: 20 }, (_, at) => eventOf(`e${at}`))
    expect(await Promise.all(stores.map((store) => store.add(events, 100)))).toEqual([0, 0])
    const batches = await Promise.all([...stores, ...stores].map((store) => store.claim(100, 1000, 4)))
    const claimed = [...batches.flat(), ...((await stores[0]?.claim(100, 1000, 20)) ?? [])]
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id).toSorted())
    expect(claimed.find(({ id }) => id === 'e3')).toEqual({
      id: 'e3',
      body: JSON.stringify(eventOf('e3')),
      attempts: 1,
    })

    // the process ends after the receiver has answered, and before it has recorded that
    await session.restart()
    const restarted = session.store.events
    expect(await restarted.claim(999, 2000, 50)).toEqual([])
    await restarted.done('e1')
    await restarted.retry('e2', 5000)
    const again = await restarted.claim(1000, 2000, 50)
    expect(again).toHaveLength(18)
    expect(again.find(({ id }) => id === 'e3')).toEqual({ id: 'e3', body: JSON.stringify(eventOf('e3')), attempts: 2 })
    expect(await restarted.count()).toBe(19)
  })

  it('gives up the oldest events if too many wait, and those that are too old (threat 148)', async () => {
    const { events } = session.store
    const some = (name: string, length: number) => Array.from({ length }, (_, at) => eventOf(`${name}${at}`))
    expect(await events.add(some('a', 10), 100, 20)).toBe(0)
    expect(await events.add(some('b', 15), 200, 20)).toBe(5)
    expect(await events.count()).toBe(20)
    expect(await events.expire(200)).toBe(5)
    expect(await events.expire(200)).toBe(0)
    expect(await events.count()).toBe(15)
  })
}
