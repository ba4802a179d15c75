import { ethers, type Wallet } from 'ethers'
import type { Address } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { acquire, mined, order } from '../../../../test/helpers/consume.js'
import { createLink } from '../../../../test/helpers/links.js'
import { ocean, type ProviderFees } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Answer, ask, downloadUrl, served } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'
import { quoteFee } from '../../src/orders/quote.js'

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** Services that sell computing on a file: quoted by time, and downloaded by the environment alone. */
describe('compute environments', () => {
  let world: World
  let asset: Published
  let buyer: Wallet
  const machine = newWallet()

  beforeAll(async () => {
    const environment = (id: string) => ({
      id,
      consumerAddress: machine.address,
      pricePerMinute: id === 'paid' ? '7' : '0',
    })
    const other = { id: 'other', consumerAddress: newWallet().address }
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

  const initialize = (query: Record<string, string>, of = asset, base = world.network.providerUrl): Promise<Answer> =>
    ask(
      `${base}/api/services/initialize?${new URLSearchParams({
        documentId: of.did,
        serviceId: 'tide-access',
        consumerAddress: buyer.address,
        ...query,
      })}`,
    )
  const fee = async (query: Record<string, string>) => (await initialize(query)).json.providerFee as ProviderFees
  const ordered = async (quoted: ProviderFees, of = asset) => {
    await acquire(world.network, of, buyer)
    return order(world.network, of, buyer, quoted, { consumer: machine.address })
  }
  const reused = (txId: string, quoted: ProviderFees, of = asset) =>
    mined(new ocean.Datatoken(buyer, world.network.chainId).reuseOrder(of.datatoken, txId, quoted))
  const verdict = async (txId: string, by: Wallet = machine, of = asset) => {
    const { status, text, json } = await ask(await downloadUrl(world.network.providerUrl, of, txId, by))
    return status === 200 ? text : json.code
  }
  /** A quote that the service would not give, signed with its own key. */
  const quoted = (environmentId: string | null, of = asset): ProviderFees => {
    const { chains, settings } = world.local.app.context
    const environment = settings.COMPUTE_ENVIRONMENTS.find(({ id }) => id === environmentId) ?? null
    const validUntil = environment ? inSeconds(600) : 0
    const terms = { datatoken: of.datatoken as Address, serviceId: 'tide-access', environment, validUntil }
    const chain = chains.get(world.network.chainId)
    return quoteFee(chain as never, { ...terms, now: inSeconds(0) }) as unknown as ProviderFees
  }

  it('are quoted per started minute, with their consumer address', async () => {
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

  it('may download the file during the paid time', async () => {
    const txId = await ordered(await fee({ environment: 'free', validUntil: String(inSeconds(600)) }))
    expect(await verdict(txId)).toBe('tides')
    expect(await verdict(txId, buyer)).toBe('NOT_AN_ACCESS_SERVICE')
  })

  it('may not use an order of another environment, or of none', async () => {
    expect(await verdict(await ordered(await fee({ environment: 'other', validUntil: String(inSeconds(600)) })))).toBe(
      'ORDER_WRONG_ENVIRONMENT',
    )
    expect(await verdict(await ordered(quoted(null)))).toBe('ORDER_WRONG_ENVIRONMENT')
  })

  it('may not download after the paid time until a reuse renews it', async () => {
    const txId = await ordered(await fee({ environment: 'free', validUntil: String(inSeconds(3)) }))
    await expect.poll(() => verdict(txId), { timeout: 60_000 }).toBe('ORDER_COMPUTE_ENDED')
    const renewed = await fee({ environment: 'free', validUntil: String(inSeconds(600)) })
    const renewal = await reused(txId, renewed)
    expect(await verdict(renewal)).toBe('tides')
    const { expires } = await createLink(world.network.providerUrl, asset, renewal, machine)
    expect(expires).toBe(Number(renewed.validUntil))
  })

  describe('depend on the type of the service:', () => {
    let access: Published
    beforeAll(async () => {
      access = await world.publishUrl(`${world.storage.origin}/a.csv`)
    })
    const refused = (why: string) => ({
      status: 400,
      json: { errors: { environment: [expect.stringContaining(why)] } },
    })

    it('an access service gets the quote of access, whatever environment is named (threat 51)', async () => {
      const validUntil = String(inSeconds(600))
      const quote = async (more: object) =>
        (await initialize({ validUntil, ...more }, access)).json as {
          computeAddress: string
          providerFee: { providerFeeAmount: string }
        }
      const plain = await quote({})
      expect(plain).toHaveProperty('providerFee')
      for (const environment of ['free', 'nowhere']) {
        const { computeAddress, providerFee } = await quote({ environment })
        expect(computeAddress).toBe(plain.computeAddress)
        expect(providerFee.providerFeeAmount).toBe(plain.providerFee.providerFeeAmount)
      }
    })

    it('a compute service gets no quote without an environment (threat 51)', async () => {
      expect(await initialize({})).toMatchObject(refused('is required'))
      const txId = await ordered(quoted(null))
      expect(await initialize({ transferTxId: txId })).toMatchObject(refused('is required'))
    })

    it('a compute service gets no quote when no environments are configured (threat 51)', async () => {
      const folder = newFolder()
      const app = await createApp(loadSettings(world.beside({ STATE_DIR: folder })))
      const base = await app.listen()
      await served(base, access)
      for (const query of [{}, { environment: 'free', validUntil: String(inSeconds(600)) }])
        expect(await initialize(query as never, asset, base)).toMatchObject(refused('no compute environment'))
      expect((await initialize({}, access, base)).json).toHaveProperty('providerFee')
      await app.close()
    })

    it('an access order gives access only if its quote names no environment (threat 51)', async () => {
      const evaded = await ordered(quoted('free', access), access)
      expect(await verdict(evaded, buyer, access)).toBe('ORDER_WRONG_ENVIRONMENT')
      expect((await initialize({ transferTxId: evaded }, access)).json).toHaveProperty('providerFee')
      const paid = await ordered(quoted(null, access), access)
      expect(await verdict(paid, buyer, access)).toBe('tides')
      expect((await initialize({ transferTxId: paid }, access)).json).toEqual({ validOrder: paid })
    })

    it('a reuse is checked with its own quote, and its order with the original one (threat 51)', async () => {
      const evaded = await ordered(quoted('free', access), access)
      const paid = await ordered(quoted(null, access), access)
      const verdicts: Record<string, unknown> = {}
      for (const [order, txId] of Object.entries({ evaded, paid }))
        for (const environment of ['free', null]) {
          const txIdOfReuse = await reused(txId, quoted(environment, access), access)
          const { json } = await initialize({ transferTxId: txIdOfReuse }, access)
          verdicts[`${order}, reused for ${environment}`] = [
            await verdict(txIdOfReuse, buyer, access),
            'validOrder' in json,
          ]
        }
      expect(verdicts).toEqual({
        'evaded, reused for free': ['ORDER_WRONG_ENVIRONMENT', false],
        'evaded, reused for null': ['ORDER_WRONG_ENVIRONMENT', false],
        'paid, reused for free': ['ORDER_WRONG_ENVIRONMENT', false],
        'paid, reused for null': ['tides', true],
      })
    })
  })
})
