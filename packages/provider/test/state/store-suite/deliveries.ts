import { expect, it } from 'vitest'
import { ALICE, BOB } from '../../../../../test/helpers/store-session.js'
import { DAY } from '../../../../protocol/src/constants.js'
import type {
  DeliveryRow,
  HostedPublisher,
  OrderFee,
  Totals,
  TotalsRequest,
} from '../../../src/deliveries/delivery-store.js'
import type { StateSession } from '../stores.js'

const NFT = '0x1111111111111111111111111111111111111111'
const TOKEN = '0x2222222222222222222222222222222222222222'
const OTHER_TOKEN = '0x3333333333333333333333333333333333333333'
const MOST = 2n ** 256n - 1n
const EVER = { since: 0, until: 100 * DAY }

const tx = (digit: string) => `0x${digit.repeat(64)}` as const

const delivery: DeliveryRow = {
  id: 1,
  at: DAY,
  chainId: 1,
  did: 'did:op:a',
  nft: NFT,
  service: 's',
  file: 0,
  consumer: ALICE,
  orderTx: tx('a'),
  bytes: 10,
  complete: true,
}
const fee: OrderFee = {
  chainId: 1,
  txId: tx('a'),
  datatoken: NFT,
  position: 0,
  at: DAY,
  did: 'did:op:a',
  nft: NFT,
  service: 's',
  consumer: ALICE,
  token: TOKEN,
  amount: 5n,
}

/** DeliveryStore: deliveries and fees, and their totals. */
export function deliverySuite(session: StateSession): void {
  const totals = async (request: TotalsRequest = EVER) => {
    const found: Totals[] = []
    for await (const one of session.store.deliveries.totals(request)) found.push(one)
    return found
  }

  it('counts each delivery and the fee of each order once, however often they are added', async () => {
    const { deliveries } = session.store
    const second = (await session.open()).deliveries
    const rows = Array.from({ length: 150 }, (_, id) => ({ ...delivery, id, complete: id % 3 > 0 }))
    await Promise.all([deliveries, second, deliveries].map((store) => store.add(rows, [fee, fee])))
    await deliveries.add([], [{ ...fee, position: 1 }])
    await session.restart()
    expect(await totals()).toEqual([
      { key: '', deliveries: 150n, complete: 100n, bytes: 1500n, orders: 1n },
      { key: '', chainId: 1, token: TOKEN, amount: 10n },
    ])
  })

  it('sums exactly: the greatest amounts, and more bytes than a double holds', async () => {
    const { deliveries } = session.store
    const bytes = Number.MAX_SAFE_INTEGER
    const amounts = [MOST, MOST, 1n, 999_999_999n, 1_000_000_000n]
    await deliveries.add(
      [1, 2, 3].map((id) => ({ ...delivery, id, bytes })),
      amounts.map((amount, position) => ({ ...fee, position, amount })),
    )
    const [delivered, earned] = await totals()
    expect(delivered).toMatchObject({ bytes: 3n * BigInt(bytes) })
    expect(earned).toEqual({ key: '', chainId: 1, token: TOKEN, amount: amounts.reduce((sum, one) => sum + one) })
  })

  it('breaks totals down by day, asset, consumer and publisher, with fees by token, within a period', async () => {
    const { deliveries, index } = session.store
    const created = { name: '', symbol: '', tokenUri: '', created: '2020-01-01T00:00:00.000Z' }
    await index.commit({
      chainId: 1,
      from: undefined,
      to: { block: 1, hash: '0x01' },
      changes: [{ kind: 'nft', nft: { ...created, address: NFT, owner: BOB } }],
    })
    await deliveries.add(
      [
        delivery,
        { ...delivery, id: 2, at: 2 * DAY - 1, consumer: BOB, orderTx: tx('b') },
        { ...delivery, id: 3, at: 2 * DAY, did: 'did:op:b', nft: TOKEN, chainId: 2, complete: false },
      ],
      [
        fee,
        { ...fee, txId: tx('b'), consumer: BOB, token: OTHER_TOKEN, amount: 7n },
        { ...fee, txId: tx('c'), at: 3 * DAY, did: 'did:op:c', nft: TOKEN, chainId: 2 },
      ],
    )
    const delivered = (key: string, deliveries: bigint, complete = deliveries, orders = deliveries) => {
      return { key, deliveries, complete, bytes: 10n * deliveries, orders }
    }
    const earned = (key: string, amount: bigint, token = TOKEN, chainId = 1) => ({ key, chainId, token, amount })
    expect(await totals({ ...EVER, by: 'day' })).toEqual([
      delivered('1970-01-02', 2n),
      earned('1970-01-02', 5n),
      earned('1970-01-02', 7n, OTHER_TOKEN),
      delivered('1970-01-03', 1n, 0n),
      earned('1970-01-04', 5n, TOKEN, 2),
    ])
    expect(await totals({ ...EVER, by: 'asset' })).toEqual([
      delivered('did:op:a', 2n),
      earned('did:op:a', 5n),
      earned('did:op:a', 7n, OTHER_TOKEN),
      delivered('did:op:b', 1n, 0n),
      earned('did:op:c', 5n, TOKEN, 2),
    ])
    // addresses are sorted by the database's own collation
    const byConsumer = await totals({ ...EVER, by: 'consumer' })
    expect(byConsumer).toHaveLength(5)
    expect(byConsumer).toEqual(
      expect.arrayContaining([
        delivered(BOB, 1n),
        earned(BOB, 7n, OTHER_TOKEN),
        delivered(ALICE, 2n, 1n),
        earned(ALICE, 5n),
        earned(ALICE, 5n, TOKEN, 2),
      ]),
    )
    expect(await totals({ ...EVER, by: 'publisher' })).toEqual([
      delivered('', 1n, 0n),
      earned('', 5n, TOKEN, 2),
      delivered(BOB, 2n),
      earned(BOB, 5n),
      earned(BOB, 7n, OTHER_TOKEN),
    ])
    expect(await totals({ since: DAY + 1, until: 2 * DAY })).toEqual([delivered('', 1n)])
  })

  it('streams totals of many keys, and the reader may stop early', async () => {
    const { deliveries } = session.store
    const rows = Array.from({ length: 2500 }, (_, id) => ({ ...delivery, id, did: `did:op:${id}` }))
    await deliveries.add(rows, [])
    expect(await totals({ ...EVER, by: 'asset' })).toHaveLength(2500)
    for await (const _ of deliveries.totals({ ...EVER, by: 'asset' })) break
    await deliveries.add([{ ...delivery, id: 3000 }], [])
    expect(await totals()).toMatchObject([{ deliveries: 2501n }])
  })

  it('purges old rows in batches', async () => {
    const { deliveries } = session.store
    await deliveries.add(
      [1, 2, 3].map((at) => ({ ...delivery, at })),
      [1, 2, 3].map((at) => ({ ...fee, at, position: at })),
    )
    expect(await deliveries.purge(3, 1)).toBe(2)
    expect(await deliveries.purge(3, 10)).toBe(2)
    expect(await deliveries.purge(3, 10)).toBe(0)
    expect(await totals()).toMatchObject([{ deliveries: 1n }, { amount: 5n }])
  })

  it('accepts any text as a service id', async () => {
    await session.store.deliveries.add([{ ...delivery, service: 'a\0b\ud800' }], [{ ...fee, service: '\0' }])
    expect(await totals()).toHaveLength(2)
  })

  it('sums up the hosted files of publishers, and their deliveries of a period', async () => {
    const { hosted, deliveries } = session.store
    const created = { metadata: '', createdAt: 1, expiresAt: 100 }
    for (const [id, owner] of [
      ['a', ALICE],
      ['b', ALICE],
      ['c', `${BOB} 5`],
    ] as const)
      await hosted.create({ id, owner, size: 2 ** 52, ...created }, { files: 9, bytes: 2 ** 53 })
    await hosted.lock('a', 'x', 0, 10)
    await hosted.advance('a', 'x', { from: 0, to: 2 ** 52, done: { sha256: 'ab'.repeat(32), at: 50 } })
    await hosted.remove('c', 60)
    await deliveries.add(
      [
        { ...delivery, hostedBy: ALICE },
        { ...delivery, id: 2, at: 2 * DAY, hostedBy: ALICE },
        { ...delivery, id: 3, hostedBy: `${BOB} 5` },
        { ...delivery, id: 4 },
      ],
      [],
    )
    const found: HostedPublisher[] = []
    for await (const one of deliveries.hosted({ since: 0, until: 2 * DAY })) found.push(one)
    const of = { publisher: ALICE, files: 2n, unfinished: 1n, stored: 2n ** 52n, reserved: 2n ** 53n }
    const none = { files: 0n, unfinished: 0n, stored: 0n, reserved: 0n }
    expect(found.sort((a, b) => (a.publisher < b.publisher ? -1 : 1))).toEqual(
      [
        { ...of, deliveries: 1n, delivered: 10n },
        { publisher: `${BOB} 5`, ...none, deliveries: 1n, delivered: 10n },
      ].sort((a, b) => (a.publisher < b.publisher ? -1 : 1)),
    )
  })
}
