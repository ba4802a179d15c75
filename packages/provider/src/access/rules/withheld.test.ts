import { expect, test, vi } from 'vitest'
import { eventually } from '../../../../../test/helpers/eventually.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { Withheld } from './withheld.js'

const didOf = (at: number) => `did:op:${at.toString(16).padStart(64, '0')}`

test('running transfers are checked once for any number of changes that other processes made at once', async () => {
  const count = 10 * PROVIDER_LIMITS.takedowns.changes + 1
  const changes = Array.from({ length: count }, (_, at) => ({
    ...{ did: didOf(at), reason: 'notice', at: 1, hasEnded: false },
    change: at + 1,
  }))
  const takedowns = {
    find: async () => undefined,
    among: async () => new Set<string>(),
    lastChange: async () => 0,
    changesAfter: async (after: number, limit: number) => changes.slice(after, after + limit),
  }
  const warn = vi.fn()
  const withheld = new Withheld({
    takedowns,
    purgatory: { reasonFor: () => undefined } as never,
    contact: undefined,
    log: { warn } as never,
  })
  const check = vi.fn(async () => undefined)
  withheld.watch(check, () => undefined)
  withheld.start()
  try {
    await eventually(() => check.mock.calls.length > 0)
    expect([warn.mock.calls.length, check.mock.calls.length]).toEqual([count, 1])
  } finally {
    withheld.stop()
  }
})
