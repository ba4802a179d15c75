import { ethers, type Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ocean, type ProviderFees } from '../../demo/client.js'
import { acquire, mined, order } from '../../demo/consume.js'
import type { Published } from '../../demo/publish.js'
import { type Answer, ask, downloadParams } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** Services that sell computing on a file: quoted by time, and fetched by the environment alone. */
describe('compute environments', () => {
  let world: World
  let asset: Published
  let buyer: Wallet
  const machine = ethers.Wallet.createRandom()

  beforeAll(async () => {
    const environment = (id: string) => ({
      id,
      consumerAddress: machine.address,
      pricePerMinute: id === 'paid' ? '7' : '0',
    })
    const other = { id: 'other', consumerAddress: ethers.Wallet.createRandom().address }
    world = await World.start({
      COMPUTE_ENVIRONMENTS: JSON.stringify([
        environment('free'),
        environment('paid'),
        other,
        { ...other, id: 'elsewhere', chainId: 1 },
      ]),
    })
    buyer = await world.somebody()
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tides')), {
      adjust: (ddo) => {
        for (const service of ddo.services) service.type = 'compute'
      },
    })
  })
  afterAll(() => world.close())

  const initialize = (query: Record<string, string>): Promise<Answer> =>
    ask(
      `${world.network.providerUrl}/api/services/initialize?${new URLSearchParams({
        documentId: asset.did,
        serviceId: 'tide-access',
        consumerAddress: buyer.address,
        ...query,
      })}`,
    )
  const fee = async (query: Record<string, string>) => (await initialize(query)).json.providerFee as ProviderFees
  const ordered = async (quoted: ProviderFees) => {
    await acquire(world.network, asset, buyer)
    return order(world.network, asset, buyer, quoted, { consumer: machine.address })
  }
  const verdict = async (txId: string, by: Wallet = machine) => {
    const { status, text, json } = await ask(
      `${world.network.providerUrl}/api/services/download?${await downloadParams(asset, txId, by)}`,
    )
    return status === 200 ? text : json.code
  }

  it('are quoted by the started minute, with their consumer address', async () => {
    const validUntil = String(inSeconds(119))
    const { json } = await initialize({ environment: 'paid', validUntil })
    expect(json).toMatchObject({
      computeAddress: machine.address,
      providerFee: { providerFeeAmount: '14', validUntil: Number(validUntil) },
    })
    const { providerData } = json.providerFee as ProviderFees
    expect(JSON.parse(ethers.utils.toUtf8String(providerData))).toMatchObject({ environment: 'paid' })
  })

  it.each([
    [{ environment: 'nowhere', validUntil: String(inSeconds(100)) }, 'environment'],
    [{ environment: 'elsewhere', validUntil: String(inSeconds(100)) }, 'environment'],
    [{ environment: 'free' }, 'validUntil'],
  ])('are refused for %j', async (query, field) => {
    expect(await initialize(query as Record<string, string>)).toMatchObject({
      status: 400,
      json: { errors: { [field]: expect.any(Array) } },
    })
  })

  it('fetch the file for an order of theirs while it is paid for', async () => {
    const txId = await ordered(await fee({ environment: 'free', validUntil: String(inSeconds(600)) }))
    expect(await verdict(txId)).toBe('tides')
    expect(await verdict(txId, buyer)).toBe('NOT_AN_ACCESS_SERVICE')
  })

  it('get nothing for an order of another environment, or of none', async () => {
    expect(await verdict(await ordered(await fee({ environment: 'other', validUntil: String(inSeconds(600)) })))).toBe(
      'ORDER_WRONG_ENVIRONMENT',
    )
    expect(await verdict(await ordered(await fee({})))).toBe('ORDER_WRONG_ENVIRONMENT')
  })

  it('get nothing when the time is over, until the fee is renewed by a reuse', async () => {
    const txId = await ordered(await fee({ environment: 'free', validUntil: String(inSeconds(3)) }))
    await expect.poll(() => verdict(txId), { timeout: 10_000 }).toBe('ORDER_COMPUTE_ENDED')
    const renewed = await fee({ environment: 'free', validUntil: String(inSeconds(600)) })
    const reuse = new ocean.Datatoken(buyer, world.network.chainId).reuseOrder(asset.datatoken, txId, renewed)
    expect(await verdict(await mined(reuse))).toBe('tides')
  })
})
