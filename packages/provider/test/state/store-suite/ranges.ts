import { expect, it } from 'vitest'
import { ALICE, BOB } from '../../../../../test/helpers/store-session.js'
import { DAY, HOUR } from '../../../../protocol/src/constants.js'
import type { Totals } from '../../../src/deliveries/delivery-store.js'
import { DeliveryLedger } from '../../../src/deliveries/ledger.js'
import type { Transferred } from '../../../src/deliveries/open-deliveries.js'
import type { StateStore } from '../../../src/state/stores.js'
import { deliveryEvent, type WebhookEvent } from '../../../src/webhooks/event.js'
import type { QueuedEvent } from '../../../src/webhooks/event-table.js'
import type { StateSession } from '../stores.js'

const NFT = '0x1111111111111111111111111111111111111111'
const NOW = Date.now()

const range: Transferred = {
  ...{ at: NOW, chainId: 1, did: 'did:op:a', nft: NFT, service: 's', file: 0, consumer: ALICE },
  ...{ orderTx: `0x${'a'.repeat(64)}`, bytes: 10, complete: true, begun: NOW, isRange: true },
}
const whole: Transferred = { ...range, bytes: 100, isRange: false }
const later = (milliseconds: number) => ({ at: NOW + milliseconds, begun: NOW + milliseconds })

/** The ledger on DeliveryStore: ranges of one file are one delivery. */
export function rangeSuite(session: StateSession): void {
  const log = { debug: () => undefined, warn: () => undefined } as never
  const ledgerOn = ({ deliveries, events }: StateStore, changed: object = {}) =>
    new DeliveryLedger({
      ...{ store: { ...deliveries, ...changed }, keep: 400, onDropped: () => undefined, log },
      announce: async (some) => void (await events.add(some.map(deliveryEvent), NOW)),
    })
  /** Records transfers by one instance, and writes them. */
  async function record(store: StateStore, ...transfers: Transferred[]) {
    const ledger = ledgerOn(store)
    for (const transferred of transfers) ledger.recordDelivery(transferred)
    await ledger.stop()
  }
  async function total() {
    const found: Totals[] = []
    for await (const one of session.store.deliveries.totals({ since: 0, until: NOW + DAY })) found.push(one)
    const [{ deliveries, complete, bytes }] = found as [Extract<Totals, { bytes: bigint }>]
    return [deliveries, complete, bytes].map(Number)
  }

  it('counts the ranges of an hour once, with all bytes', async () => {
    const hundreds = Array.from({ length: 300 }, (_, at) => ({ ...range, ...later(at), complete: at > 0 }))
    await record(session.store, ...hundreds)
    expect(await total()).toEqual([1, 1, 3000])
    await record(session.store, { ...range, ...later(HOUR - 1) })
    await record(session.store, { ...range, ...later(HOUR) })
    expect(await total()).toEqual([2, 2, 3020])
  })

  it('counts each consumer, order, service and file on its own', async () => {
    const others = [{ consumer: BOB }, { orderTx: `0x${'b'.repeat(64)}` }, { service: 't' }, { file: 1 }] as const
    await record(session.store, range, ...others.map((changed) => ({ ...range, ...changed })))
    expect(await total()).toEqual([5, 5, 50])
  })

  it('adds ranges to a download of the whole file, and counts each of these', async () => {
    const cut = { ...whole, bytes: 60, complete: false }
    await record(session.store, cut, { ...range, ...later(1000), bytes: 40 })
    expect(await total()).toEqual([1, 1, 100])
    await record(session.store, whole, whole, whole)
    expect(await total()).toEqual([4, 4, 400])
  })

  it('adds a whole file to the ranges that began after it and ended before it', async () => {
    const split = { ...whole, bytes: 25, complete: false }
    await record(session.store, { ...range, ...later(5), bytes: 75 }, split, { ...whole, ...later(10) })
    expect(await total()).toEqual([2, 2, 200])
  })

  it('counts the ranges of several instances once, with one event (threat 147)', async () => {
    const instances = [session.store, await session.open(), await session.open()]
    const ledgers = instances.map((store) => ledgerOn(store))
    for (let at = 0; at < 30; at += 1) ledgers[at % 3]?.recordDelivery({ ...range, ...later(at) })
    await Promise.all(ledgers.map((ledger) => ledger.stop()))
    const [event, ...others] = await session.store.events.claim(NOW, NOW, 10)
    expect(others).toEqual([])
    const { data } = JSON.parse((event as QueuedEvent).body) as WebhookEvent
    expect(data).toMatchObject({ orderId: range.orderTx, consumer: ALICE, whole: false, fileIndex: 0 })
    await session.store.events.done((event as QueuedEvent).id)
    await session.restart()
    await record(session.store, { ...range, ...later(40) })
    expect(await total()).toEqual([1, 1, 310])
    expect(await session.store.events.count()).toBe(0)
  })

  it('adds no bytes twice if writes succeed and seem to fail', async () => {
    const { deliveries } = session.store
    let failures = 2
    const ledger = ledgerOn(session.store, {
      async add(...rows: Parameters<typeof deliveries.add>) {
        await deliveries.add(...rows)
        // more bytes while the write is under way
        if (failures > 0) ledger.recordDelivery({ ...range, ...later(failures) })
        if (failures-- > 0) throw new Error('the connection is lost')
      },
    })
    ledger.recordDelivery(range)
    await ledger.stop()
    await ledger.stop()
    await ledger.stop()
    expect(await total()).toEqual([1, 1, 30])
  })

  it('forgets claims whose hour is over', async () => {
    const { deliveries } = session.store
    const old = { subject: 'old', id: 1, begun: NOW - HOUR - 1000 }
    expect(await deliveries.claim(old)).toEqual({ id: 1, begun: old.begun })
    expect(await deliveries.claim({ subject: 'new', id: 2, begun: NOW })).toEqual({ id: 2, begun: NOW })
    expect(await deliveries.claim({ subject: 'new', id: 3, begun: NOW + 1 })).toEqual({ id: 2, begun: NOW })
    expect(await deliveries.purge(0, 10)).toBe(1)
    expect(await deliveries.purge(0, 10)).toBe(0)
  })
}
