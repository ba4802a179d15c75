import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Logger } from '../../../common/src/logger.js'
import { StateError, UnstorableError } from '../../../protocol/src/errors.js'
import type { DeliveryRow, DeliveryStore, OrderFee, Totals } from '../../src/deliveries/delivery-store.js'
import { DeliveryLedger } from '../../src/deliveries/ledger.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/stores.js'

const DAY = 86_400_000
const ADDRESS = '0x1111111111111111111111111111111111111111'
const TX = `0x${'a'.repeat(64)}` as const

describe('the ledger of deliveries', () => {
  let folder: string
  let store: StateStore
  let warnings: Record<string, number>[]
  let dropped: number
  beforeEach(() => {
    folder = newFolder()
    store = openSqliteStore(folder)
    warnings = []
    dropped = 0
  })
  afterEach(() => store.close())

  const log = {
    debug: () => undefined,
    warn: (fields: Record<string, number>) => void warnings.push(fields),
  } as unknown as Logger
  const ledgerOn = (deliveries: Pick<DeliveryStore, 'add' | 'claim' | 'purge'> = store.deliveries, keep = 400) =>
    new DeliveryLedger({
      store: deliveries,
      keep,
      onDropped: () => {
        dropped += 1
      },
      log,
    })
  const delivery = (changed: Partial<DeliveryRow> = {}) => ({
    ...({
      at: Date.now(),
      chainId: 1,
      did: 'did:op:a',
      nft: ADDRESS,
      service: 's',
      file: 0,
      consumer: ADDRESS,
    } as const),
    ...{ orderTx: TX, bytes: 1, complete: true, begun: Date.now(), isRange: false },
    ...changed,
  })
  const fee = (changed: Partial<OrderFee> = {}): OrderFee => ({
    ...({
      chainId: 1,
      txId: TX,
      datatoken: ADDRESS,
      position: 0,
      at: Date.now(),
      did: 'did:op:a',
      nft: ADDRESS,
    } as const),
    ...{ service: 's', consumer: ADDRESS, token: ADDRESS, amount: 5n },
    ...changed,
  })
  async function totals(): Promise<Totals[]> {
    const found: Totals[] = []
    for await (const one of store.deliveries.totals({ since: 0, until: Number.MAX_SAFE_INTEGER })) found.push(one)
    return found
  }

  it('writes rows in batches after a short delay, and the rest at the stop', async () => {
    let writes = 0
    const add: DeliveryStore['add'] = (...rows) => {
      writes += 1
      return store.deliveries.add(...rows)
    }
    const ledger = ledgerOn({ ...store.deliveries, add })
    for (let at = 0; at < 100; at++) ledger.recordDelivery(delivery())
    for (let at = 0; at < 100; at++) ledger.recordFees([fee()])
    expect(writes).toBe(0)
    await eventually(async () => (await totals()).length === 2)
    expect(writes).toBe(1)
    expect(await totals()).toMatchObject([{ deliveries: 100n }, { amount: 5n }])
    ledger.recordDelivery(delivery())
    await ledger.stop()
    expect(await totals()).toMatchObject([{ deliveries: 101n }, { amount: 5n }])
  })

  it('leaves what arrives during a write to the next full batch', async () => {
    const { batch } = PROVIDER_LIMITS.ledger
    const sizes: number[] = []
    let release: () => void = () => undefined
    const written = new Promise<void>((resolve) => {
      release = resolve
    })
    const add: DeliveryStore['add'] = (rows) => {
      sizes.push(rows.length)
      return written
    }
    const ledger = ledgerOn({ ...store.deliveries, add })
    const record = (count: number) => {
      for (let at = 0; at < count; at++) ledger.recordDelivery(delivery())
    }
    record(batch)
    await eventually(() => sizes.length === 1)
    record(10)
    release()
    await nextTurn()
    record(batch - 10)
    await eventually(() => sizes.length === 2)
    expect(sizes).toEqual([batch, batch])
    await ledger.stop()
  })

  it('drops nothing of more deliveries within its delay than it may queue, as long as the database keeps up', async () => {
    // on the event loop; a write in between paces the deliveries, as the nonces of signed requests do
    const keepingUp = openSqliteStore(folder, { manyChanges: Number.POSITIVE_INFINITY })
    const ledger = ledgerOn(keepingUp.deliveries)
    const all = PROVIDER_LIMITS.ledger.queue * 1.5
    for (let at = 1; at <= all; at++) {
      ledger.recordDelivery(delivery())
      if (at % 200 === 0) await keepingUp.usage.add('pace', 1, 60_000, at)
    }
    await ledger.stop()
    await keepingUp.close()
    expect(dropped).toBe(0)
    expect(await deliveries()).toBe(BigInt(all))
  })

  it('asks a database that takes nothing again after the delay only, however much is recorded meanwhile', async () => {
    let asked = 0
    const add: DeliveryStore['add'] = () => {
      asked += 1
      return Promise.reject(new StateError('STATE_UNAVAILABLE', 'away'))
    }
    const ledger = ledgerOn({ ...store.deliveries, add })
    for (let at = 1; at <= PROVIDER_LIMITS.ledger.batch * 10; at++) {
      ledger.recordDelivery(delivery())
      if (at % 50 === 0) await nextTurn()
    }
    // one when the first batch was full, and the next when the delay is over
    expect(asked).toBe(1)
    await eventually(() => asked === 2)
    await ledger.stop()
    expect(asked).toBe(3)
  })

  it('never throws while the database is unavailable, retries, and counts dropped rows', async () => {
    let isAway = true
    let refused = 0
    const add: DeliveryStore['add'] = (...rows) => {
      if (!isAway) return store.deliveries.add(...rows)
      refused += 1
      return Promise.reject(new StateError('STATE_UNAVAILABLE', 'away'))
    }
    const ledger = ledgerOn({ ...store.deliveries, add })
    for (let at = 0; at < PROVIDER_LIMITS.ledger.queue + 10; at++) ledger.recordDelivery(delivery())
    ledger.recordFees([fee()])
    expect(dropped).toBe(11)
    await eventually(() => refused > 0)
    isAway = false
    await eventually(
      async () => (await totals())[0]?.key === '' && (await deliveries()) === BigInt(PROVIDER_LIMITS.ledger.queue),
    )
    // a dropped fee is recorded with the next download of the order
    ledger.recordFees([fee()])
    await ledger.stop()
    expect(await totals()).toMatchObject([{}, { amount: 5n }])
    expect(warnings).toEqual([{ dropped: 11, inAll: 11 }])
  })

  const deliveries = async () => ((await totals())[0] as { deliveries: bigint }).deliveries

  it('drops a row that the database rejects, and writes the others', async () => {
    const add: DeliveryStore['add'] = async (rows, fees) => {
      if (rows.some(({ service }) => service === 'bad')) throw new UnstorableError()
      await store.deliveries.add(rows, fees)
    }
    const ledger = ledgerOn({ ...store.deliveries, add })
    for (const service of ['a', 'bad', 'b']) ledger.recordDelivery(delivery({ service }))
    ledger.recordFees([fee()])
    await ledger.stop()
    expect(dropped).toBe(1)
    expect(warnings).toEqual([{ dropped: 1, inAll: 1 }])
    expect(await totals()).toMatchObject([{ deliveries: 2n }, { amount: 5n }])
  })

  it('deletes rows after the retention period, and does not record the fee of an old order again', async () => {
    const old = Date.now() - 11 * DAY
    const rows = Array.from({ length: 1200 }, (_, id) => ({ ...delivery({ at: old }), id }))
    await store.deliveries.add(rows, [fee({ at: old })])
    const ledger = ledgerOn(store.deliveries, 10)
    ledger.recordDelivery(delivery())
    ledger.recordFees([fee({ at: old })])
    ledger.start()
    await eventually(async () => (await deliveries()) === 1n)
    await ledger.stop()
    expect(await totals()).toMatchObject([{ deliveries: 1n }])
  })

  it('keeps nothing with a retention period of zero', async () => {
    await store.deliveries.add([{ ...delivery(), id: 1 }], [fee()])
    const ledger = ledgerOn(store.deliveries, 0)
    ledger.start()
    ledger.recordDelivery(delivery())
    ledger.recordFees([fee()])
    await eventually(async () => (await deliveries()) === 0n)
    await ledger.stop()
    expect(await totals()).toHaveLength(1)
  })
})
