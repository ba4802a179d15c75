import { ethers, type Wallet } from 'ethers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { createLink } from '../../../../test/helpers/links.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, createToken, deleteToken, freshNonce } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const CONTENT = Buffer.from('hour,height\n00:00,3.1\n')

describe('the lifetime of a download link', () => {
  let world: World
  let base: string
  let publisher: Wallet
  let asset: Published
  let buyer: Wallet
  let txId: string

  beforeAll(async () => {
    world = await World.start()
    base = world.network.providerUrl
    publisher = await world.somebody()
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/data/tides.csv', CONTENT), { publisher }))
  })
  afterEach(() => void vi.useRealTimers())

  const link = (changed: Record<string, unknown> = {}, headers = {}) =>
    createLink(base, asset, txId, buyer, changed, headers)
  /** Moves the clock of the service. */
  const later = (seconds: number) =>
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000, shouldAdvanceTime: true })
  const codeOf = async (url: string) => {
    const { status, json } = await ask(url)
    return [status, json.code]
  }

  it('ends when it expires', async () => {
    const { url, expires } = await link()
    later(expires - Date.now() / 1000 - 60)
    expect((await ask(url)).status).toBe(200)
    later(61)
    expect(await codeOf(url)).toEqual([410, 'LINK_EXPIRED'])
  })

  it('ends with the order', async () => {
    const short = await world.publishUrl(world.storage.file('/short.csv', CONTENT), { timeout: 900 })
    const order = await world.order(short, buyer)
    const { blockNumber } = await world.provider.getTransactionReceipt(order)
    const { url, expires } = await createLink(base, short, order, buyer)
    expect(expires).toBe((await world.provider.getBlock(blockNumber)).timestamp + 900)
    expect((await ask(url)).status).toBe(200)
    later(1000)
    expect(await codeOf(url)).toEqual([410, 'LINK_EXPIRED'])
  })

  it('ends while the asset is revoked', async () => {
    const { url } = await link()
    const nft = new ethers.Contract(asset.nft, ['function setMetaDataState(uint8)'], publisher)
    for (const [state, expected] of [
      [3, [403, 'ASSET_NOT_CONSUMABLE']],
      [0, [200, undefined]],
    ] as const) {
      await world.indexed(await mined(nft.setMetaDataState?.(state) as never))
      await eventually(async () => (await codeOf(url))[0] === expected[0])
      expect(await codeOf(url)).toEqual(expected)
    }
  })

  it('ends with the token that created it, by its expiry or its deletion', async () => {
    const key = providerKey(buyer.privateKey)
    const withToken = async (seconds: number) => {
      const { json } = await createToken(base, key, freshNonce(), seconds)
      const token = json.token as string
      return { token, made: await link({ signature: undefined, nonce: undefined }, { AuthToken: token }) }
    }
    const { token, made } = await withToken(600)
    expect(made.status).toBe(201)
    expect(Math.abs(made.expires - (Date.now() / 1000 + 600))).toBeLessThan(60)
    const lasting = await link()
    expect((await ask(made.url)).text).toBe(CONTENT.toString())
    expect((await deleteToken(base, key, token)).status).toBe(200)
    expect(await codeOf(made.url)).toEqual([410, 'LINK_REVOKED'])
    expect((await ask(lasting.url)).status).toBe(200)
    const refused = await link({ signature: undefined }, { AuthToken: token })
    expect(refused.json.code).toBe('TOKEN_DELETED')
  })

  it('is the requested one, up to the maximum', async () => {
    const { expires } = await link({ lifetime: 86_400 })
    expect(Math.abs(expires - (Date.now() / 1000 + 86_400))).toBeLessThan(60)
    for (const lifetime of [0, 604_801]) {
      const { status, json } = await link({ lifetime })
      expect([status, json.errors]).toEqual([
        400,
        { lifetime: ['The lifetime field must be from 1 to 604800 seconds.'] },
      ])
    }
    expect((await link({ lifetime: '1 week' })).json.errors).toHaveProperty('lifetime')
    const wrong = { DOWNLOAD_LINK_LIFETIME: '600', DOWNLOAD_LINK_LIFETIME_MAX: '599' }
    await expect(createApp(loadSettings(world.beside(wrong)))).rejects.toThrow('DOWNLOAD_LINK_LIFETIME_MAX')
  })
})
