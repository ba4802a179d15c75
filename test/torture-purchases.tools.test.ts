import type { Address, Hex } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { Ledger } from '../stress/torture/lib/ledger.js'
import { Answers } from '../stress/torture/purchases/answers.js'
import { useKey } from '../stress/torture/purchases/facts.js'
import { GAS_FEE } from '../stress/torture/purchases/market.js'
import type { Signed } from '../stress/torture/purchases/payments.js'
import { faultOf, type PurchaseRecord } from '../stress/torture/purchases/reconcile.js'
import { purchaseReport } from '../stress/torture/purchases/report.js'
import { torturePurchases } from '../stress/torture/purchases/rounds.js'
import { Secrets } from '../stress/torture/purchases/secrets.js'
import type { Published } from './helpers/publish.js'
import { sized } from './helpers/sizes.js'

const SEED = 20_261_129

/** Faults that pass in seconds; `npm run torture -- --only purchase` injects all. */
const SHORT = ['instance killed', 'transactions taken with an error', 'prices raised']
const ALL = undefined

describe('torture of purchases (threat 129)', () => {
  const stop = new AbortController()
  let run: ReturnType<typeof torturePurchases> | undefined
  // its processes must not outlive a time-out
  afterAll(async () => {
    stop.abort()
    await run?.catch(() => undefined)
  })

  it('orders or refunds each payment once, while instances are killed, nodes lie and prices rise', async () => {
    const faults = sized(SHORT, ALL)
    run = torturePurchases({
      ...{ signal: stop.signal, seed: SEED, rounds: sized(SHORT.length, 60), patience: 10 },
      ...(faults ? { faults } : {}),
      buyers: sized({ shoppers: 3, members: 1 }, { shoppers: 6, members: 2 }),
      ...{ assets: sized(2, 4), faultDuration: sized([1000, 2000] as const, [2000, 12_000] as const) },
    })
    const result = await run
    expect(result.ledger.findings).toEqual([])
    expect(result.reconciled?.ordered).toBeGreaterThan(3)
    for (const name of SHORT) expect(result.records.get(name)?.injected).toBeGreaterThan(0)
    expect(purchaseReport(result)).toContain('Nothing was found.')
  })

  describe('detects', () => {
    const [id, nonce, orderTx] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(64)}`) as [Hex, Hex, Hex]
    const [payer, datatoken, other] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [
      Address,
      Address,
      Address,
    ]
    const asset = { datatoken } as Published
    const signed: Signed = {
      ...{ id, payer, nonce, value: 100_000n, header: undefined, asset },
      told: { as: 'ordered', orderTx },
    }
    const ordered: PurchaseRecord = {
      state: 'ordered',
      paid: 100_000n,
      spent: 100_000n - GAS_FEE,
      refunded: 0n,
      orderTx,
    }
    const refunded: PurchaseRecord = {
      state: 'refunded',
      paid: 100_000n,
      spent: 0n,
      refunded: 100_000n,
      orderTx: undefined,
    }
    const paid = new Map([[useKey(payer, nonce), id]])
    const made = new Map([[orderTx, [{ datatoken, consumer: payer }]]])

    it.each<[string, Partial<Signed>, PurchaseRecord | undefined, typeof paid, typeof made, string | undefined]>([
      ['nothing in an order', {}, ordered, paid, made, undefined],
      ['nothing in a refund', { told: { as: 'refunded' } }, refunded, paid, new Map(), undefined],
      ['a payment without a record', {}, undefined, paid, made, 'not recorded'],
      ['an order that the chain does not have', {}, ordered, paid, new Map(), 'no such order'],
      [
        'the order of somebody else',
        {},
        ordered,
        paid,
        new Map([[orderTx, [{ datatoken, consumer: other }]]]),
        'no such order',
      ],
      ['a fee that is too high', {}, { ...ordered, spent: 1n }, paid, made, 'the account keeps'],
      ['a part of a refund', { told: undefined }, { ...refunded, refunded: 1n }, paid, made, 'not refunded in full'],
      ['a payment that was never taken', {}, ordered, new Map(), made, 'was not taken'],
      ['a wrong answer', { told: { as: 'untaken' } }, ordered, paid, made, 'told that it is not'],
    ])('%s', (_, change, record, uses, orders, fault) => {
      const found = faultOf({ ...signed, ...change }, record, { uses, orders })
      if (fault === undefined) expect(found).toBeUndefined()
      else expect(found).toContain(fault)
    })

    it('a secret in a log, also within the data of a call', () => {
      const secrets = new Secrets()
      secrets.add(nonce)
      expect(secrets.areIn(`{"data":"0xe3ee160e${'0'.repeat(65)}${nonce.slice(2)}00"}`)).toBe(true)
      expect(secrets.areIn(`{"hash":"${id}"}`)).toBe(false)
    })

    it('a changed payment that was taken, and a price without a reason', () => {
      const ledger = new Ledger()
      const answers = new Answers(ledger, new Secrets())
      const headers = { 'payment-required': 'e30=' }
      const got = { status: 200, headers, body: Buffer.from('{}'), complete: true }
      answers.ofChanged('another value', got)
      answers.of(signed, { ...got, status: 402 })
      expect(ledger.findings.map(({ what }) => what)).toEqual([
        'a payment with another value was taken',
        'a payment is answered by the price alone, as if there were none',
      ])
    })
  })
})
