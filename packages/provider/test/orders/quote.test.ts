import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { acquire, mined, order, quote } from '../../../../test/helpers/consume.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

/** A paid provider fee, verified and collected by the real datatoken contract. */
describe('provider fee', () => {
  let world: World
  let asset: Published
  let buyer: Wallet
  const AMOUNT = '1230000000000000000'

  beforeAll(async () => {
    world = await World.start({ PROVIDER_FEE_AMOUNT: AMOUNT })
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tides')))
    buyer = await world.somebody()
    const { Ocean } = world.network.addresses
    const token = new ethers.Contract(
      Ocean,
      [
        'function transfer(address,uint256)',
        'function approve(address,uint256)',
        'function balanceOf(address) view returns (uint256)',
      ],
      world.provider.getSigner(0),
    )
    await mined(token.transfer?.(buyer.address, ethers.utils.parseEther('100')))
    await mined(token.connect(buyer).approve?.(asset.datatoken, ethers.utils.parseEther('100')))
    await acquire(world.network, asset, buyer)
  })

  it('is signed over the amount, the Ocean token, the datatoken and the service', async () => {
    const fee = await quote(world.network, asset, buyer.address)
    const { providerAddress, addresses } = world.network
    expect(fee).toMatchObject({
      providerFeeAddress: providerAddress,
      providerFeeToken: addresses.Ocean,
      providerFeeAmount: AMOUNT,
      validUntil: 0,
    })
    expect(JSON.parse(ethers.utils.toUtf8String(fee.providerData))).toEqual({
      environment: null,
      timestamp: expect.any(Number),
      dt: asset.datatoken,
      id: 'tide-access',
      chainId: world.network.chainId,
    })
    const hash = ethers.utils.solidityKeccak256(
      ['bytes', 'address', 'address', 'uint256', 'uint256'],
      [fee.providerData, fee.providerFeeAddress, fee.providerFeeToken, fee.providerFeeAmount, fee.validUntil],
    )
    expect(ethers.utils.verifyMessage(ethers.utils.arrayify(hash), fee as never)).toBe(providerAddress)
  })

  it('is accepted by the datatoken contract, which rejects any change of it', async () => {
    const fee = await quote(world.network, asset, buyer.address)
    const cheaper = { ...fee, providerFeeAmount: '1' }
    await expect(order(world.network, asset, buyer, cheaper)).rejects.toThrow(/Invalid provider fee|revert/i)
    const txId = await order(world.network, asset, buyer, fee)
    const token = new ocean.Datatoken(world.provider as never, world.network.chainId)
    expect(await token.balance(asset.datatoken, buyer.address)).toBe('0.0')
    const ask200 = await ask(await downloadUrl(world.network.providerUrl, asset, txId, buyer))
    expect(ask200.text).toBe('tides')
  })

  it('has the requested validity, which must not be in the past', async () => {
    const base = `${world.network.providerUrl}/api/services/initialize?documentId=${asset.did}&serviceId=tide-access&consumerAddress=${buyer.address}`
    const soon = Math.floor(Date.now() / 1000) + 3600
    expect((await ask(`${base}&validUntil=${soon}`)).json).toMatchObject({ providerFee: { validUntil: soon } })
    const past = await ask(`${base}&validUntil=1000`)
    expect(past.status).toBe(400)
    expect(past.json).toMatchObject({ errors: { validUntil: [expect.stringContaining('future')] } })
  })
})
