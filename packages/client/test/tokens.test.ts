import { createTidegate } from '@tidegate/client'
import { createWalletClient, custom, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/helpers/backends.js'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { ask, served, signText } from '../../../test/helpers/requests.js'
import { startHere } from '../../../test/helpers/service-here.js'
import { World } from '../../../test/helpers/world.js'
import { walletFor } from './world.js'

let world: World

beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world?.close())

const client = async () => {
  const somebody = await world.somebody()
  return createTidegate({ url: `${world.network.providerUrl}/`, wallet: walletFor(world, somebody) })
}

describe('auth tokens', () => {
  it('are created and deleted by a signature', async () => {
    const tidegate = await client()
    const { token, expires } = await tidegate.createToken({ lifetime: 600 })
    expect(token.split('.')).toHaveLength(3)
    expect(expires.getTime() - Date.now()).toBeGreaterThan(500_000)
    await tidegate.deleteToken(token)
    await expect(tidegate.deleteToken(token)).rejects.toMatchObject({ code: 'TOKEN_DELETED', status: 400 })
  })

  it('are created by concurrent requests, whichever nonce comes first', async () => {
    const tidegate = await client()
    const made = await Promise.all(Array.from({ length: 6 }, () => tidegate.createToken()))
    expect(new Set(made.map(({ token }) => token)).size).toBe(6)
  })

  it('are valid after a nonce in microseconds', async () => {
    const somebody = await world.somebody()
    const url = world.network.providerUrl
    const nonce = String(Date.now() * 1000)
    const signature = await signText(somebody, somebody.address + nonce)
    const query = new URLSearchParams({ address: somebody.address, nonce, signature, expiration: '4000000000' })
    // refused for its expiry, but the nonce is used
    expect((await ask(`${url}/api/services/createAuthToken?${query}`)).status).toBe(400)
    const tidegate = createTidegate({ url, wallet: walletFor(world, somebody) })
    expect((await tidegate.createToken()).token).toBeTruthy()
  })

  it('are refused with the field and the reason', async () => {
    const refused = (await client()).createToken({ lifetime: 1e9 })
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION',
      status: 400,
      fields: { message: [expect.stringContaining('seconds ahead')] },
    })
  })

  it('need a wallet', async () => {
    const tidegate = createTidegate({ url: world.network.providerUrl })
    await expect(tidegate.createToken()).rejects.toMatchObject({ code: 'NO_WALLET' })
  })
})

describe('sign-in messages (EIP-4361)', () => {
  it('are what a wallet signs if the provider takes them, and the only thing that it is asked for (threat 93)', async () => {
    const PORT = String(await freePort())
    const url = `http://127.0.0.1:${PORT}`
    const hosting = { HOSTING: 'local', HOSTING_DIR: newFolder(), HOSTING_PUBLISHERS: '*' }
    await startHere(world.beside({ PORT, PUBLIC_URL: url, REQUIRE_DOMAIN_SIGNATURES: 'true', ...hosting }))
    const { asset, buyer, txId } = await world.sold(world.storage.file('/tides.csv', Buffer.from('0123456789')))
    await served(url, asset)
    const account = privateKeyToAccount(buyer.privateKey as Hex)
    const transport = http(world.network.rpcUrl)
    const signed: string[] = []
    /** A wallet that asks people, and remembers for what. */
    const wallet = createWalletClient({
      account: account.address,
      transport: custom({
        async request({ method, params }: { method: string; params: [Hex] }) {
          if (method !== 'personal_sign') return transport({}).request({ method, params })
          signed.push(Buffer.from(params[0].slice(2), 'hex').toString())
          return account.signMessage({ message: { raw: params[0] } })
        },
      }),
    })
    const file = async (tidegate: ReturnType<typeof createTidegate>) =>
      (await (await tidegate.download(asset.did, { order: txId as Hex })).blob()).text()
    const client = createTidegate({ url, wallet })
    expect([await file(client), await file(client)]).toEqual(['0123456789', '0123456789'])
    expect(signed).toHaveLength(1)
    const link = await client.link(asset.did, { order: txId as Hex })
    expect((await ask(link.url)).text).toBe('0123456789')
    const { object } = await client.upload(new Blob(['tide']))
    expect(object.type).toBe('hosted')
    expect(signed).toHaveLength(1)
    const { token } = await client.createToken()
    await client.deleteToken(token)
    const domain = `127.0.0.1:${new URL(url).port} wants you to sign in`
    expect(signed.every((text) => text.startsWith(domain))).toBe(true)
    // with a key of its own as well, which asks nobody
    expect(await file(createTidegate({ url, wallet: createWalletClient({ account, transport }) }))).toBe('0123456789')
    // a provider that takes nothing else under another URL is not signed for at all
    const before = signed.length
    const wrong = createTidegate({ url: url.replace('127.0.0.1', 'localhost'), wallet })
    await expect(file(wrong)).rejects.toMatchObject({ code: 'SIGNATURE_NAMES_NO_PROVIDER' })
    expect(signed).toHaveLength(before)
    // older texts, and as many signatures, where a provider takes nothing else
    expect(await file(createTidegate({ url: world.network.providerUrl, wallet }))).toBe('0123456789')
    expect(signed).toHaveLength(before + 1)
  })
})
