import { ethers, type Signer, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { compiled, deployed } from '../../../../test/helpers/contracts.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams, downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

/** Contracts that emit the events of orders by themselves. */
describe('attack contracts', () => {
  let world: World
  let buyer: Wallet
  let forger: ethers.Contract
  beforeAll(async () => {
    world = await World.start({ ORDER_WAIT: '200' })
    buyer = await world.somebody()
    const address = ethers.utils.getAddress(await deployed(world.network.rpcUrl, 'Forger'))
    forger = new ethers.Contract(address, compiled('Forger').abi as never, buyer)
  })

  const PASSES = 'passes with 4 bytes'
  const ONE = ethers.utils.parseEther('1')
  const publish = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))

  async function verdict(txId: string, of: Published, consumer: Signer = buyer): Promise<string> {
    const params = await downloadParams(of, txId, consumer)
    const { status, text, json } = await ask(`${world.network.providerUrl}/api/services/download?${params}`)
    return status === 200 ? `passes with ${text.length} bytes` : `${status} ${json.code}`
  }

  it('cannot fake an order or a reuse by emitting its events (threat 1)', async () => {
    const asset = await publish()
    const fee = await world.quote(asset, buyer.address)
    const forged = await mined(forger.order?.(buyer.address, buyer.address, ONE, 0, fee, false) as Promise<unknown>)
    expect(await verdict(forged, asset)).toBe('400 ORDER_NO_EVENT')
    const stranger = await world.somebody()
    const order = await world.order(asset, stranger)
    for (const [txId, code] of [
      [order, 'ORDER_WRONG_CONSUMER'],
      [forged, 'ORDER_BAD_REUSE'],
    ] as const) {
      const sandwiched = forger.sandwich?.(asset.datatoken, txId, buyer.address, fee) as Promise<unknown>
      expect(await verdict(await mined(sandwiched), asset)).toBe(`400 ${code}`)
    }
    expect(await verdict(order, asset, stranger)).toBe(PASSES)
  })

  it('cannot pose as a datatoken that the NFT did not deploy, whatever the DDO says (threat 1)', async () => {
    const url = world.storage.file('/a.csv', Buffer.from('tide'))
    const adjust = (ddo: Published['ddo']) =>
      Object.assign(ddo.services[0] as object, { datatokenAddress: forger.address })
    const asset = await world.publishUrl(url, { adjust })
    const anyFee = await world.quote(await publish(), buyer.address)
    const forged = await mined(forger.order?.(buyer.address, buyer.address, ONE, 0, anyFee, false) as Promise<unknown>)
    expect(await verdict(forged, asset)).toBe('400 UNKNOWN_SERVICE')
  })

  it('fail at each check, even with the code of the datatoken replaced', async () => {
    const asset = await publish()
    const fee = await world.quote(asset, buyer.address)
    const honest = await world.order(asset, buyer)
    const stranger = await world.somebody()
    const code = await world.provider.getCode(forger.address)
    await world.rpc('anvil_setCode', [asset.datatoken, code])
    const taken = forger.attach(asset.datatoken)
    const order = (consumer: string, amount: ethers.BigNumber, service = 0, feeFirst = false) =>
      mined(taken.order?.(consumer, consumer, amount, service, fee, feeFirst) as Promise<unknown>)
    expect(await verdict(await order(buyer.address, ONE.sub(1)), asset)).toBe('400 ORDER_UNDERPAID')
    expect(await verdict(await order(buyer.address, ONE, 1), asset)).toBe('400 ORDER_WRONG_SERVICE')
    expect(await verdict(await order(stranger.address, ONE), asset)).toBe('400 ORDER_WRONG_CONSUMER')
    expect(await verdict(await order(buyer.address, ONE, 0, true), asset)).toBe('400 ORDER_BAD_FEE')
    expect(await verdict(honest, asset)).toBe(PASSES)
  })

  it('cannot use a reorganisation: an order that it dropped is gone, the one before it remains (threat 33)', async () => {
    const asset = await publish()
    const kept = await world.order(asset, buyer)
    await world.rpc('anvil_mine', ['0x3'])
    const dropped = await world.order(asset, buyer)
    const depth =
      (await world.provider.getBlockNumber()) - (await world.provider.getTransactionReceipt(dropped)).blockNumber
    await world.reorganise(depth + 1)
    expect(await verdict(dropped, asset)).toBe('400 ORDER_NOT_FOUND')
    expect(await verdict(kept, asset)).toBe(PASSES)
  })
})

describe('confirmations', () => {
  it('are required as configured (threat 33)', async () => {
    const world = await World.start({ ORDER_CONFIRMATIONS: '3' })

    const { asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('a')))
    const download = async () => ask(await downloadUrl(world.network.providerUrl, asset, txId, buyer))
    expect((await download()).json).toEqual({
      error: 'The order has 1 of 3 confirmations.',
      code: 'ORDER_UNCONFIRMED',
    })
    await world.rpc('anvil_mine', ['0x2'])
    expect((await download()).status).toBe(200)
  })
})
