import { expect, it } from 'vitest'
import type { StateSession } from '../stores.js'

/** RevocationStore, UsageStore, MilestoneStore and CutOverStore: rows that depend on time. */
export function timeSuite(session: StateSession): void {
  it('keeps a revoked token revoked until it has expired', async () => {
    expect(await session.store.revocations.revoke('one', 1000)).toBe(true)
    expect(await session.store.revocations.revoke('one', 1000)).toBe(false)
    await session.restart()
    const { revocations } = session.store
    expect(await revocations.isRevoked('one')).toBe(true)
    expect(await revocations.isRevoked('two')).toBe(false)
    await revocations.purge(1000)
    expect(await revocations.isRevoked('one')).toBe(true)
    await revocations.purge(1001)
    expect(await revocations.isRevoked('one')).toBe(false)
  })

  it('counts usage per time window, across all instances', async () => {
    const { usage } = session.store
    const second = (await session.open()).usage
    const now = 1_000_000
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? usage : second).add('a', 3, 1000, now)))
    expect(await second.used('a', 1000, now + 400)).toEqual({ used: 60, endsIn: 600 })
    expect(await second.used('b', 1000, now)).toEqual({ used: 0, endsIn: 1000 })
    expect(await usage.add('a', 1, 1000, now + 999)).toEqual({ used: 61, endsIn: 1 })
    expect(await usage.used('a', 1000, now + 1000)).toMatchObject({ used: 0 })
    expect(await usage.add('a', 5, 1000, now + 1000)).toEqual({ used: 5, endsIn: 1000 })
  })

  it('keeps a daily window while many windows of a minute end', async () => {
    const { usage } = session.store
    await usage.add('day', 7, 86_400_000, 0)
    await usage.add('minute', 7, 60_000, 0)
    // ended windows are purged at intervals
    for (let at = 0; at < 1000; at += 100)
      await Promise.all(Array.from({ length: 100 }, (_, one) => usage.add(`${at + one}`, 1, 60_000, 80_000)))
    expect(await usage.used('day', 86_400_000, 80_000)).toEqual({ used: 7, endsIn: 86_320_000 })
  })

  it('records when quotes began to expire, once (threat 62)', async () => {
    const since = await session.store.milestones.get('quotes end')
    expect(Math.abs(since - Date.now() / 1000)).toBeLessThan(60)
    await session.restart()
    expect(await session.store.milestones.get('quotes end')).toBe(since)
  })

  it('keeps the latest cut-over time, for every instance and after a restart', async () => {
    const { cutOver } = session.store
    expect(await cutOver.get()).toBeUndefined()
    const second = (await session.open()).cutOver
    for (const [raised, latest] of [
      [1_763_756_970_123, 1_763_756_970_123],
      [1_763_756_970_122, 1_763_756_970_123],
      [1_763_756_970_124, 1_763_756_970_124],
    ] as const) {
      await cutOver.raise(raised)
      expect(await second.get()).toBe(latest)
    }
    await session.restart()
    expect(await session.store.cutOver.get()).toBe(1_763_756_970_124)
    expect(await session.store.identity.isEmpty()).toBe(false)
  })
}
