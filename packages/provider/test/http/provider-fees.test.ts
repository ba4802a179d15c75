import { afterEach, describe, expect, it } from 'vitest'
import { ask } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { DEV_CHAIN_ID } from '../../../dev-network/src/anvil.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const GIB = 1024n ** 3n
const SIZE = 1_000_000

/** Quotes with the rules of PROVIDER_FEES. */
describe('initialize with rules for the fee', () => {
  let world: World
  afterEach(() => world.close())

  async function quoted(did: string, query: Record<string, string> = {}) {
    const consumerAddress = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
    const params = new URLSearchParams({ documentId: did, serviceId: 'tide-access', consumerAddress, ...query })
    const { json } = await ask(`${world.network.providerUrl}/api/services/initialize?${params}`)
    const { providerFeeAmount, providerFeeToken } = json.providerFee as Record<string, string>
    return { rule: json.providerFeeRule, amount: providerFeeAmount, token: providerFeeToken }
  }

  it('charges by size with at most one storage request, and with none if no price depends on the size', async () => {
    const perGiB = '3000000000000000000'
    const friend = newWallet()
    // USDC of the local network
    const token = '0x2fC1fd21cb222Dc180Ef817dE4c426fd9230b5A5'
    world = await World.start({
      PROVIDER_FEE_AMOUNT: '9',
      PROVIDER_FEES: JSON.stringify([
        { name: 'friend', publisher: friend.address, flat: '0' },
        { name: 'by-size', chain: DEV_CHAIN_ID, token, flat: '10', perGiB, perDay: '5' },
      ]),
    })
    const publisher = friend.connect(world.provider)
    await world.rpc('anvil_setBalance', [friend.address, '0x56bc75e2d63100000'])
    const url = world.storage.file('/a.bin', Buffer.alloc(SIZE))
    const stranger = await world.publishUrl(url, { timeout: 86_400 })
    const bySize = 10n + (BigInt(perGiB) * BigInt(SIZE) + GIB - 1n) / GIB
    const before = world.storage.requests.length
    const validUntil = String(Math.floor(Date.now() / 1000) + 3 * 86_400 - 60)
    expect(await quoted(stranger.did, { fileIndex: '0' })).toMatchObject({
      rule: 'by-size',
      token,
      amount: `${bySize + 5n}`,
    })
    expect(await quoted(stranger.did, { fileIndex: '0', validUntil })).toMatchObject({ amount: `${bySize + 15n}` })
    expect(world.storage.requests.length - before).toBe(1)

    // without a file index every file counts, and is described once
    const other = await world.publishUrl(url)
    const again = world.storage.requests.length
    expect(await quoted(other.did)).toMatchObject({ amount: `${bySize + 5n}` })
    expect(world.storage.requests.length - again).toBe(1)

    const free = await world.publishUrl(url, { publisher })
    const last = world.storage.requests.length
    expect(await quoted(free.did)).toMatchObject({ rule: 'friend', amount: '0' })
    expect(world.storage.requests.length).toBe(last)

    // a size that the storage does not tell is not charged for
    const hidden = world.storage.on('/hidden', (_request, response) => void response.writeHead(200).end())
    const unknown = await world.publishUrl(hidden)
    expect(await quoted(unknown.did)).toMatchObject({ rule: 'by-size', amount: '15' })
  })

  it('names no rule if there are none, and charges the fee of the chain', async () => {
    world = await World.start({ PROVIDER_FEE_AMOUNT: '9' })
    const { did } = await world.publishUrl(world.storage.file('/a.bin', Buffer.alloc(1)))
    expect(await quoted(did)).toEqual({ rule: undefined, amount: '9', token: world.network.addresses.Ocean })
  })

  it('does not start if a rule names a chain that is not served', async () => {
    world = await World.start()
    const settings = loadSettings(world.beside({ PROVIDER_FEES: '[{"chain":5,"flat":"1"}]' }))
    await expect(createApp(settings)).rejects.toThrow('PROVIDER_FEES: rule 1: chain 5 is not served.')
  })
})
