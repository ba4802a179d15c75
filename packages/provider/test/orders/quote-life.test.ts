import { ethers, type Wallet } from 'ethers'
import type { Address } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { acquire, mined, order } from '../../../../test/helpers/consume.js'
import { ocean, type ProviderFees } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadUrl, served } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'
import { quoteFee } from '../../src/orders/quote.js'

const DAY = 86_400
const HOUR = 3600
const now = () => Math.floor(Date.now() / 1000)

/** How long and on which chain a quote is valid. The tests depend on their order: they move the chain's clock forward. */
describe('a quote', () => {
  let world: World
  let asset: Published
  let buyer: Wallet

  beforeAll(async () => {
    world = await World.start()
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tides')))
    buyer = await world.somebody()
  })

  const verdict = async (txId: string, base = world.network.providerUrl) => {
    const { text, status, json } = await ask(await downloadUrl(base, asset, txId, buyer))
    return status === 200 ? text : json.code
  }
  /** Whether initialize accepts an order for reuse. */
  const reusable = async (transferTxId: string) => {
    const query = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: buyer.address, transferTxId }
    const { json } = await ask(`${world.network.providerUrl}/api/services/initialize?${new URLSearchParams(query)}`)
    return 'validOrder' in json
  }
  const ordered = async (fee: ProviderFees) => {
    await acquire(world.network, asset, buyer)
    return order(world.network, asset, buyer, fee)
  }
  const reused = (txId: string, fee: ProviderFees) =>
    mined(new ocean.Datatoken(buyer, world.network.chainId).reuseOrder(asset.datatoken, txId, fee))
  /** Moves the chain's clock forward to a time, in seconds since 1970. */
  const moveTo = async (time: number) => {
    await world.rpc('evm_setNextBlockTimestamp', [time])
    await world.rpc('anvil_mine', ['0x1'])
  }

  /** A quote of the same provider on another chain, where NFT and datatoken may have the same addresses. */
  function elsewhere(): ProviderFees {
    const chain = world.local.app.context.chains.get(world.network.chainId)
    const terms = { datatoken: asset.datatoken as Address, serviceId: 'tide-access', environment: null, validUntil: 0 }
    return quoteFee({ ...chain, chainId: 8997 } as never, { ...terms, now: now() }) as unknown as ProviderFees
  }

  /** A quote in the previous form, which named neither chain nor expiration, signed with the provider's key. */
  async function previousForm(timestamp: number): Promise<ProviderFees> {
    const provider = new ethers.Wallet(world.network.accounts[8]?.privateKey as string)
    const data = { environment: null, timestamp, dt: asset.datatoken, id: 'tide-access' }
    const fee = {
      providerFeeAddress: provider.address,
      providerFeeToken: world.network.addresses.Ocean,
      providerFeeAmount: '0',
      providerData: ethers.utils.hexlify(ethers.utils.toUtf8Bytes(JSON.stringify(data))),
      validUntil: '0',
    }
    const hash = ethers.utils.solidityKeccak256(
      ['bytes', 'address', 'address', 'uint256', 'uint256'],
      [fee.providerData, fee.providerFeeAddress, fee.providerFeeToken, fee.providerFeeAmount, fee.validUntil],
    )
    const { v, r, s } = ethers.utils.splitSignature(await provider.signMessage(ethers.utils.arrayify(hash)))
    return { ...fee, v: v as never, r, s }
  }

  it('is valid on its own chain only, in an order and in a reuse (threat 62)', async () => {
    const good = await ordered(await world.quote(asset, buyer.address))
    expect(await verdict(good)).toBe('tides')
    const foreign = await ordered(elsewhere())
    expect([await verdict(foreign), await reusable(foreign)]).toEqual(['ORDER_BAD_FEE', false])
    expect(await verdict(await reused(good, elsewhere()))).toBe('ORDER_BAD_FEE')
    expect(await verdict(await reused(good, await world.quote(asset, buyer.address)))).toBe('tides')
  })

  it('of the previous form remains valid for orders that were made with it, on every instance (threat 62)', async () => {
    const paid = await ordered(await previousForm(now() - 700 * DAY))
    expect([await verdict(paid), await reusable(paid)]).toEqual(['tides', true])
    expect(await verdict(await reused(paid, await previousForm(now() - 700 * DAY)))).toBe('tides')
  })

  it('contains the new fee once it was raised (threat 62)', async () => {
    const folder = newFolder()
    const earlier = await world.quote(asset, buyer.address)
    const app = await createApp(loadSettings(world.beside({ PROVIDER_FEE_AMOUNT: '1000', STATE_DIR: folder })))
    try {
      const base = await app.listen()
      await served(base, asset)
      const query = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: buyer.address }
      const raised = await ask(`${base}/api/services/initialize?${new URLSearchParams(query)}`)
      expect(raised.json).toMatchObject({ providerFee: { providerFeeAmount: '1000' } })
      // an earlier quote is not charged the difference
      expect(await verdict(await ordered(earlier), base)).toBe('tides')
    } finally {
      await app.close()
    }
  })

  it('is valid for a day; orders made within it remain valid (threat 62)', async () => {
    const quoted = now()
    const fee = await world.quote(asset, buyer.address)
    const atOnce = await ordered(fee)
    const old = await previousForm(quoted - 700 * DAY)
    const paidBefore = await ordered(old)

    await moveTo(quoted + DAY - HOUR)
    const within = await ordered(fee)
    expect([await verdict(within), await reusable(within)]).toEqual(['tides', true])
    expect(await verdict(await ordered(old))).toBe('tides')

    await moveTo(quoted + DAY + HOUR)
    for (const ended of [fee, old]) {
      const late = await ordered(ended)
      expect([await verdict(late), await reusable(late)]).toEqual(['ORDER_QUOTE_EXPIRED', false])
      expect(await verdict(await reused(atOnce, ended))).toBe('ORDER_QUOTE_EXPIRED')
    }
    // another service with the same key may still issue quotes of the previous form: they are valid for a day as well
    const recent = quoted + 2 * HOUR
    expect(await verdict(await ordered(await previousForm(recent)))).toBe('tides')
    expect(await verdict(await ordered(await previousForm(recent * 1000)))).toBe('ORDER_QUOTE_EXPIRED')
    for (const kept of [atOnce, within, paidBefore]) expect(await verdict(kept)).toBe('tides')
  })
})
