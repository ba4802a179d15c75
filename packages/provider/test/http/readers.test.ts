import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { GENERATIONS } from '../../../../test/clients/generations.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadUrl, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const DENIED = [403, 'DECRYPTER_DENIED']

/** Who may read documents when the operator restricts who may decrypt. */
describe('AUTHORIZED_DECRYPTERS', () => {
  let world: World
  let publisher: Wallet
  let asset: Published
  const reader = newWallet()
  const stranger = newWallet()

  beforeAll(async () => {
    world = await World.start({ AUTHORIZED_DECRYPTERS: JSON.stringify([reader.address.toLowerCase()]) })
    publisher = await world.somebody()
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')), { publisher })
  })

  const documentUrl = (base = world.network.providerUrl) => `${base}/api/aquarius/assets/ddo/${asset.did}`
  const get = async (query: Record<string, string> = {}, headers: Record<string, string> = {}, method = 'GET') =>
    ask(`${documentUrl()}?${new URLSearchParams(query)}`, { headers, method })
  const verdict = ({ status, json }: Awaited<ReturnType<typeof ask>>) =>
    status === 200 ? json.id : [status, json.code ?? Object.keys((json.errors as object) ?? {})]
  async function signed(by: ethers.Wallet, command = 'decryptDDO', nonce = freshNonce()) {
    const signature = await signText(by, `${by.address}${nonce}${command}`)
    return { decrypterAddress: by.address, nonce, signature }
  }
  async function tokenOf(by: ethers.Wallet): Promise<string> {
    const nonce = freshNonce()
    const signature = await signText(by, by.address + nonce)
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    const query = new URLSearchParams({ address: by.address, nonce, signature, expiration })
    const { json } = await ask(`${world.network.providerUrl}/api/services/createAuthToken?${query}`)
    return json.token as string
  }
  /** Republishes the document, with flags that say how it is stored on the chain. */
  async function republished(flags: '0x' | '0x00' | '0x02'): Promise<void> {
    const { chainId, providerUrl } = world.network
    const text = JSON.stringify(asset.ddo)
    const plain = ethers.utils.hexlify(ethers.utils.toUtf8Bytes(text))
    const data = flags === '0x02' ? await ocean.ProviderInstance.encrypt(asset.ddo, chainId, providerUrl) : plain
    const nft = new ocean.Nft(publisher, chainId)
    const hash = `0x${ocean.getHash(text)}`
    await world.indexed(await mined(nft.setMetadata(asset.nft, publisher.address, 0, '', '', flags, data, hash)))
  }

  it('refuses an encrypted document to anonymous requests, including HEAD (threat 54)', async () => {
    const refused = await get()
    expect(verdict(refused)).toEqual(DENIED)
    expect(refused.json.error).toContain('for their signature or token')
    expect(refused.text).not.toContain('tide-access')
    const head = await get({}, {}, 'HEAD')
    expect([head.status, head.headers.get('etag')]).toEqual([403, null])
    expect(verdict(await get({ signature: 'null' }))).toEqual(DENIED)
    const conditional = await get({}, { 'if-none-match': '*', range: 'bytes=0-10' })
    expect(verdict(conditional)).toEqual(DENIED)
  })

  it('allows it to the listed accounts, once per nonce or with a token (threat 54)', async () => {
    const proof = await signed(reader)
    const given = await get(proof)
    expect(verdict(given)).toBe(asset.did)
    expect(given.headers.get('cache-control')).toBe('no-store')
    expect(verdict(await get(proof))).toEqual([400, ['nonce']])
    const token = await tokenOf(reader)
    expect(verdict(await get({ decrypterAddress: reader.address }, { AuthToken: token }))).toBe(asset.did)
    expect((await get(await signed(reader), {}, 'HEAD')).status).toBe(200)
  })

  it('allows it with a token alone, since the libraries cannot send an address (threat 54)', async () => {
    const [token, other] = [await tokenOf(reader), await tokenOf(stranger)]
    expect(verdict(await get({}, { Authorization: token }))).toBe(asset.did)
    expect(verdict(await get({}, { Authorization: `Bearer ${other}` }))).toEqual(DENIED)
    for (const { aquarius } of GENERATIONS.filter(({ modern }) => modern)) {
      const cache = aquarius(world.network.providerUrl)
      expect((await cache.resolve(asset.did, undefined, token)).id).toBe(asset.did)
      await expect(cache.resolve(asset.did, undefined, other)).rejects.toThrow()
      await expect(cache.resolve(asset.did)).rejects.toThrow()
    }
  })

  it('refuses it to everybody else, whatever address they claim (threat 54)', async () => {
    expect(verdict(await get(await signed(stranger)))).toEqual(DENIED)
    const token = await tokenOf(stranger)
    expect(verdict(await get({ decrypterAddress: stranger.address }, { AuthToken: token }))).toEqual(DENIED)
    const borrowed = await get({ decrypterAddress: reader.address }, { AuthToken: token })
    expect(verdict(borrowed)).toEqual([400, 'TOKEN_INVALID'])
    const forged = { ...(await signed(stranger)), decrypterAddress: reader.address }
    expect(verdict(await get(forged))).toEqual([400, ['signature']])
    expect(verdict(await get(await signed(reader, 'download')))).toEqual([400, ['signature']])
    const { nonce, signature } = await signed(reader)
    expect(verdict(await get({ nonce, signature }))).toEqual([400, ['decrypterAddress']])
  })

  it('does not affect quotes, fileinfo and downloads (threat 54)', async () => {
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    const url = await downloadUrl(world.network.providerUrl, asset, txId, buyer)
    expect((await ask(url)).text).toBe('tide')
  })

  it('does not affect documents that are public on the chain, until they are encrypted (threat 54)', async () => {
    for (const flags of ['0x00', '0x'] as const) {
      await republished(flags)
      expect(verdict(await get()), flags).toBe(asset.did)
    }
    await republished('0x02')
    expect(verdict(await get())).toEqual(DENIED)
  })

  it('allows every document to everybody if it is not set (threat 54)', async () => {
    const folder = newFolder()
    const app = await createApp(loadSettings(world.beside({ STATE_DIR: folder })))
    try {
      const base = await app.listen()
      await eventually(async () => (await ask(documentUrl(base))).status === 200)
      expect((await ask(documentUrl(base))).json.id).toBe(asset.did)
    } finally {
      await app.close()
    }
  })
})
