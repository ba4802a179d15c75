import { type Address, pad, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { onEachDatabase } from '../../../test/helpers/store-session.js'
import { openPostgres } from '../../database/src/postgres/postgres.js'
import type { Driver } from '../../database/src/sql.js'
import { openSqlite } from '../../database/src/sqlite/sqlite.js'
import { PURCHASE_LIMITS } from '../src/limits.js'
import type { NewPurchase, Purchase } from '../src/purchase.js'
import { type Added, type PurchaseChange, purchaseStore } from '../src/records/purchase-table.js'
import { type Call, slotStore } from '../src/records/slot-table.js'
import { PURCHASE_TABLES } from '../src/schema.js'
import { ACCOUNT, GAS_FEE, TOKEN } from './simulation/ledger.js'
import { hashOf } from './simulation/network.js'

const HOUR = 3_600_000
const NOW = 1_800_000_000_000
const DATATOKEN = pad(toHex(0xd0), { size: 20 })
const MUCH = 10n ** 30n

const payerAt = (at: number): Address => pad(toHex(0xb0 + at), { size: 20 })

/** A payment of a payer, and what it buys. */
function wantedBy(at: number, value = 110n, datatoken = DATATOKEN): NewPurchase {
  return {
    payment: {
      ...{ chainId: 1, token: TOKEN, payer: payerAt(at), value, nonce: hashOf(`nonce ${at} ${value}`) },
      ...{ signature: '0x5100', validAfter: 0, validBefore: 1_900_000_000 },
    },
    wanted: { did: datatoken, service: 'access', file: undefined },
    ...{ datatoken, isContract: false, gasFee: GAS_FEE, identifier: undefined },
  }
}

const callOf = (step: Call['step']): Call => ({ step, to: TOKEN, data: '0x', gas: 21_000 })

onEachDatabase<Driver>(
  {
    sqlite: (folder) => openSqlite(folder, { tables: [PURCHASE_TABLES] }) as Driver,
    postgres: (options) => openPostgres({ tables: [PURCHASE_TABLES] }, options),
  },
  (session) => {
    const purchases = () => purchaseStore(session.store)
    const slots = (db = session.store) => slotStore(db, { chainId: 1, account: ACCOUNT })
    const take = async (wanted: NewPurchase): Promise<Purchase> =>
      ((await purchases().add(wanted, MUCH, NOW)) as Added).purchase
    const end = async (wanted: NewPurchase, change: PurchaseChange) =>
      purchases().change(await take(wanted), { isOpen: false, ...change }, NOW)

    describe('the records of purchases', () => {
      it('keep every value of a purchase, and the signature until it ends', async () => {
        const purchase = await take(wantedBy(0, MUCH))
        expect(await purchases().find(purchase.id)).toEqual(purchase)
        const change = { state: 'refunded', reason: 'DENIED', paid: MUCH, refunded: MUCH, isOpen: false } as const
        expect(await purchases().change(purchase, change, NOW + 1)).toBe(true)
        const payment = { ...purchase.payment, signature: '' }
        expect(await purchases().find(purchase.id)).toEqual({
          ...{ ...purchase, ...change, payment, version: 1, changedAt: NOW + 1 },
        })
      })

      it('are new for one of many requests with the same payment', async () => {
        const adding = Array.from({ length: 8 }, () => purchases().add(wantedBy(0), MUCH, NOW))
        const added = (await Promise.all(adding)) as Added[]
        expect(added.filter(({ isNew }) => isNew)).toHaveLength(1)
      })

      it('keep the limits of payers and of the day for requests at the same time', async () => {
        const { perPayer } = PURCHASE_LIMITS.underWay
        const of = (count: number, wanted: (at: number) => NewPurchase, daily: bigint) =>
          Promise.all(Array.from({ length: count }, (_, at) => purchases().add(wanted(at), daily, NOW)))
        const own = await of(8, (at) => wantedBy(0, BigInt(at + 1)), MUCH)
        expect(own.filter((one) => one === 'payer')).toHaveLength(8 - perPayer)
        const day = await of(8, (at) => wantedBy(at + 1, 100n, TOKEN), 500n)
        expect(day.filter((one) => one === 'daily').length).toBeGreaterThanOrEqual(4)
      })

      it('change for one of two that saw the same version, with a reserved nonce or without', async () => {
        const purchase = await take(wantedBy(0))
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, at) =>
            at % 2
              ? purchases().change(purchase, { dueAt: NOW + at }, NOW)
              : slots().reserve(purchase, [callOf('settle')], 7, { dueAt: NOW }, NOW),
          ),
        )
        expect(results.filter(Boolean)).toHaveLength(1)
        expect((await purchases().find(purchase.id))?.version).toBe(1)
        expect(await slots().ofPurchase(purchase.id)).toHaveLength(results.indexOf(true) % 2 ? 0 : 1)
      })

      it('give each step a nonce of its own, for two instances at the same time', async () => {
        const other = await session.open().catch(() => session.store)
        const taken = await Promise.all(Array.from({ length: 6 }, (_, at) => take(wantedBy(at))))
        const calls = [callOf('approve'), callOf('order')]
        await Promise.all(
          taken.map((one, at) => slots(at % 2 ? other : session.store).reserve(one, calls, 3, { dueAt: NOW }, NOW)),
        )
        const { slots: waiting } = await slots().waiting()
        expect(waiting.map(({ nonce }) => nonce)).toEqual(Array.from({ length: 12 }, (_, at) => 3 + at))
        for (let at = 0; at < 12; at += 2) expect(waiting[at]?.purchase).toBe(waiting[at + 1]?.purchase)
      })

      it('get the outcome of a nonce once, with the change of its purchase', async () => {
        const purchase = await take(wantedBy(0))
        await slots().reserve(purchase, [callOf('settle')], 0, { dueAt: NOW }, NOW)
        const [slot] = await slots().ofPurchase(purchase.id)
        const reserved = await purchases().find(purchase.id)
        const concluding = Array.from({ length: 6 }, () =>
          slots().conclude(
            slot as NonNullable<typeof slot>,
            'success',
            reserved,
            { paid: 110n, state: 'settled' },
            NOW,
          ),
        )
        expect((await Promise.all(concluding)).filter(Boolean)).toHaveLength(1)
        expect(await purchases().find(purchase.id)).toMatchObject({ version: 2, paid: 110n })
        expect((await slots().waiting()).slots).toEqual([])
      })

      it('take no more of a payer, or of an asset, after too many have failed in a day', async () => {
        const { failed } = PURCHASE_LIMITS.underWay
        for (let at = 0; at < failed; at++)
          await end(wantedBy(0, BigInt(at + 1)), { state: 'failed', reason: 'PAYMENT_REFUSED' })
        expect(await purchases().add(wantedBy(0), MUCH, NOW)).toBe('failed')
        for (let at = 1; at <= failed; at++) await end(wantedBy(at), { state: 'refunded', reason: 'PRICE_CHANGED' })
        expect(await purchases().add(wantedBy(99), MUCH, NOW)).toBe('asset')
        expect(await purchases().add(wantedBy(99, 5n, TOKEN), MUCH, NOW)).toMatchObject({ isNew: true })
        expect(await purchases().add(wantedBy(0), MUCH, NOW + 25 * HOUR)).toMatchObject({ isNew: true })
      })

      it('take no more of contracts after too many of these have failed in a day', async () => {
        const byContract = (at: number) => ({ ...wantedBy(at), isContract: true })
        const { contracts } = PURCHASE_LIMITS.underWay
        for (let at = 0; at < contracts; at++) await end(byContract(at), { state: 'failed', reason: 'PAYMENT_REFUSED' })
        expect(await purchases().add(byContract(98), MUCH, NOW)).toBe('contracts')
        expect(await purchases().add(wantedBy(99), MUCH, NOW)).toMatchObject({ isNew: true })
        expect(await purchases().add(byContract(98), MUCH, NOW + 25 * HOUR)).toMatchObject({ isNew: true })
      })

      it('count for the limit of a day what came in or may come in', async () => {
        const junk = await take(wantedBy(0, 900n))
        const add = () => purchases().add(wantedBy(1, 200n), 1_000n, NOW)
        expect(await add()).toBe('daily')
        await purchases().change(junk, { state: 'failed', reason: 'PAYMENT_REFUSED' }, NOW)
        expect(await add()).toBe('daily')
        await purchases().change({ ...junk, version: 1 }, { state: 'failed', isOpen: false }, NOW)
        expect(await add()).toMatchObject({ isNew: true })
      })
    })
  },
)
