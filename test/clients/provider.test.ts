import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { decrypt } from '../../packages/protocol/src/crypto/ecies.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { acquire, order, quietly } from '../helpers/consume.js'
import { ocean } from '../helpers/ocean.js'
import type { Published } from '../helpers/publish.js'
import { World } from '../helpers/world.js'
import { GENERATIONS } from './generations.js'

/** What each generation requests from a provider about an asset that was published beforehand. */
describe('three generations of @oceanprotocol/lib against one server', () => {
  let world: World
  let asset: Published
  let url: string
  const CONTENT = 'hour,height\n00:00,3.1\n'

  beforeAll(async () => {
    world = await World.start()
    url = world.network.providerUrl
    asset = await world.publishUrl(world.storage.file('/data/tides.csv', Buffer.from(CONTENT)))
  })

  describe.each(GENERATIONS)('$name', ({ client, signer, signsEncrypt, downloadFile }) => {
    let wallet: Wallet
    beforeAll(async () => {
      wallet = await world.somebody()
    })

    it('finds a valid provider, and the nonce of an address', async () => {
      expect(await client.isValidProvider(url)).toBe(true)
      expect(await client.isValidProvider(`${url}/api/nothing`)).toBe(false)
      expect(await quietly(() => client.getNonce(url, wallet.address))).toBe(1)
    })

    it('encrypts', async () => {
      const encrypted = await quietly(() =>
        client.encrypt({ tide: 'höh' }, world.network.chainId, url, signsEncrypt ? signer(wallet) : undefined),
      )
      const key = providerKey(world.network.accounts[8]?.privateKey as string)
      expect(JSON.parse(decrypt([key], Buffer.from(encrypted.slice(2), 'hex')).toString())).toEqual({ tide: 'höh' })
    })

    it('describes files', async () => {
      const file = { type: 'url', index: 0, url: `${world.storage.origin}/data/tides.csv`, method: 'GET' }
      expect(await client.getFileInfo(file, url, true)).toMatchObject([
        { valid: true, contentLength: '22', checksumType: 'sha256' },
      ])
      expect(await client.checkDidFiles(asset.did, 'tide-access', url)).toMatchObject([
        { valid: true, contentLength: '22' },
      ])
    })

    it('orders with the quote, and downloads', async () => {
      const quoted = await client.initialize(asset.did, 'tide-access', 0, wallet.address, url)
      expect(quoted.datatoken).toBe(asset.datatoken)
      await acquire(world.network, asset, wallet)
      const txId = await order(world.network, asset, wallet, quoted.providerFee)
      const download = () =>
        quietly(() => client.getDownloadUrl(asset.did, 'tide-access', 0, txId, url, signer(wallet)))
      expect(await (await fetch(await download())).text()).toBe(CONTENT)
      const file = await downloadFile(await download())
      expect(Buffer.from(file.data).toString()).toBe(CONTENT)
      expect(file.filename).toBe('tides.csv')
    })
  })

  // the first generation knows no tokens
  describe.each(GENERATIONS.filter(({ modern }) => modern))('$name', ({ client, signer }) => {
    it('creates a token, downloads with it, and deletes it', async () => {
      const wallet = await world.somebody()
      const txId = await world.order(asset, wallet)
      const token = await quietly(() => client.generateAuthToken(signer(wallet), url))
      const signed = await quietly(() => client.getDownloadUrl(asset.did, 'tide-access', 0, txId, url, token))
      const get = (headers: Record<string, string>) => fetch(signed, { headers })
      expect(await (await get({ Authorization: token })).text()).toBe(CONTENT)
      expect(await (await get({ Authorization: `Bearer ${token}` })).text()).toBe(CONTENT)
      expect((await get({})).status).toBe(400)
      expect(await quietly(() => client.invalidateAuthToken(signer(wallet), token, url))).toMatchObject({
        success: true,
      })
      expect((await get({ Authorization: token })).status).toBe(400)
    })
  })

  it('publishes with the contracts of the first one, which the others also know', () => {
    expect(ocean.generateDid(asset.nft, 8996)).toBe(asset.did)
  })
})
