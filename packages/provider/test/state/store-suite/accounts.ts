import { expect, it } from 'vitest'
import { ALICE, BOB } from '../../../../../test/helpers/store-session.js'
import { DAY } from '../../../../protocol/src/constants.js'
import type { DeliveryRow, OrderFee, Totals, TotalsRequest } from '../../../src/deliveries/delivery-store.js'
import { key, type StateSession } from '../stores.js'

const NFT = '0x1111111111111111111111111111111111111111'
const NOBODY = '0x0000000000000000000000000000000000000000'
const about = { chainId: 1, did: 'did:op:a', nft: NFT, service: 's' } as const
const LIMITS = { files: 9, bytes: 100 }

/** More deliveries than one statement changes, of three orders. */
const DELIVERIES = 1203

/** AccountStore: what the database holds of an account, and how it is forgotten. */
export function accountSuite(session: StateSession): void {
  const tx = (of: string, order: number) => `${of.slice(0, 42)}${order}${'0'.repeat(23)}` as `0x${string}`

  async function used(account: typeof ALICE | typeof BOB): Promise<void> {
    const { nonces, deliveries, proofs, usage, hosted, events } = session.store
    await nonces.consume(account, key('7'))
    await nonces.consume(account, key('8'), 5)
    const rows = Array.from({ length: DELIVERIES }, (_, at): DeliveryRow => {
      const id = at * 2 + Number(account === BOB)
      return {
        ...about,
        id,
        at: DAY,
        file: 0,
        consumer: account,
        orderTx: tx(account, at % 3),
        bytes: 10,
        complete: true,
      }
    })
    const fee: OrderFee = {
      ...about,
      txId: tx(account, 0),
      datatoken: NFT,
      position: 0,
      at: DAY,
      consumer: account,
      token: NFT,
      amount: 5n,
    }
    await deliveries.add(rows, [fee])
    const body = JSON.stringify({ consumerAddress: account })
    await proofs.add({ id: `waiting ${account}`, kind: 'http', body }, 1)
    await proofs.add({ id: `given up ${account}`, kind: 'chain', body }, 1)
    await proofs.retry(`given up ${account}`, null)
    const event = {
      id: `event of ${account}`,
      type: 'delivery.completed',
      created: 1,
      data: { consumer: account },
    } as const
    await events.add([event], 1)
    await usage.add(`consumer bytes ${account}`, 9, DAY, Date.now())
    await usage.add(`consumer requests ${account} 5`, 1, DAY, Date.now())
    const file = { size: 10, metadata: 'x', createdAt: 1, expiresAt: 2 }
    await hosted.create({ ...file, id: `open ${account}`, owner: account }, LIMITS)
    await hosted.create({ ...file, id: `wallet ${account}`, owner: `${account} 5` }, LIMITS)
    await hosted.create({ ...file, id: `done ${account}`, owner: account }, LIMITS)
    await hosted.lock(`done ${account}`, 'x', 0, 10)
    await hosted.advance(`done ${account}`, 'x', { from: 0, to: 10, done: { sha256: 'ab'.repeat(32), at: 50 } })
  }

  async function heldOf(account: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { name, rows } of session.store.accounts.held(account))
      for await (const _row of rows) counts[name] = (counts[name] ?? 0) + 1
    return counts
  }

  async function totals(by?: TotalsRequest['by']): Promise<Totals[]> {
    const found: Totals[] = []
    for await (const one of session.store.deliveries.totals({ since: 0, until: 100 * DAY, ...(by ? { by } : {}) }))
      found.push(one)
    return found
  }

  it('yields what is held of an account, and forgets it with unchanged totals', async () => {
    await used(ALICE)
    await used(BOB)
    const all = {
      ...{ nonces: 1, wallet_nonces: 1, deliveries: DELIVERIES, order_fees: 1, proofs: 2, webhook_events: 1 },
      ...{ usage_windows: 2, hosted_files: 3, hosted_totals: 2 },
    }
    expect([await heldOf(ALICE), await heldOf(BOB)]).toEqual([all, all])
    const before = [await totals(), await totals('asset'), await totals('day')]

    const { accounts, deliveries, nonces, revocations } = await session.open()
    const at = Date.now()
    const forgotten = { deliveries: DELIVERIES, orderFees: 1, proofs: 2, uploads: 2, files: 1 }
    expect(await accounts.forget(ALICE, at)).toEqual(forgotten)

    expect([await totals(), await totals('asset'), await totals('day')]).toEqual(before)
    const consumers = await totals('consumer')
    const bob = consumers.filter((one) => one.key === BOB)
    expect(bob).toHaveLength(2)
    expect(consumers).toEqual([...bob.map((one) => ({ ...one, key: NOBODY })), ...bob])
    const left = {
      nonces: 1,
      wallet_nonces: 1,
      forgotten_accounts: 1,
      webhook_events: 1,
      usage_windows: 2,
      hosted_files: 1,
      hosted_totals: 1,
    }
    expect([await heldOf(ALICE), await heldOf(BOB)]).toEqual([left, all])
    // no order leads back to the account, and a fee that is recorded again changes nothing
    await deliveries.add(
      [],
      [{ ...about, txId: tx(ALICE, 0), datatoken: NFT, position: 0, at: DAY, consumer: ALICE, token: NFT, amount: 5n }],
    )
    expect(await totals()).toEqual(before[0])

    // tokens and links until then have ended, also of a token without an id
    const second = Math.floor(at / 1000)
    const isRevoked = (address: string, issued: number) => revocations.isRevoked(undefined, { address, at: issued })
    expect(
      await Promise.all([
        isRevoked(ALICE, second),
        isRevoked(ALICE, 0),
        isRevoked(ALICE, second + 1),
        isRevoked(BOB, 0),
      ]),
    ).toEqual([true, true, false, false])
    expect([await nonces.consume(ALICE, key('7')), await nonces.consume(ALICE, key('9'))]).toEqual([false, true])

    // twice is harmless, and an earlier time revives nothing
    expect(await accounts.forget(ALICE, at - 60_000)).toEqual({
      deliveries: 0,
      orderFees: 0,
      proofs: 0,
      uploads: 0,
      files: 1,
    })
    expect(await isRevoked(ALICE, second)).toBe(true)
  })

  it('forgets an account twice at once, with each order under one name', async () => {
    await used(ALICE)
    const before = await totals()
    const stores = [session.store, await session.open()]
    const both = await Promise.all(stores.map(({ accounts }) => accounts.forget(ALICE, Date.now())))
    expect(both.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(DELIVERIES)
    expect(await totals()).toEqual(before)
  })

  it('deletes ended counters, whose ids name addresses', async () => {
    const { usage } = session.store
    await usage.add('requests 203.0.113.8', 7, 60_000, 1)
    await usage.add('consumer bytes x', 7, DAY, 1)
    await usage.purge(60_001)
    expect((await usage.used('requests 203.0.113.8', 60_000, 2)).used).toBe(0)
    expect((await usage.used('consumer bytes x', DAY, 2)).used).toBe(7)
  })
}
