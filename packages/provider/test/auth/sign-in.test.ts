import { request } from 'node:http'
import { join } from 'node:path'
import { ethers, type Wallet } from 'ethers'
import type { Hex } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../../test/helpers/backends.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { deployed } from '../../../../test/helpers/contracts.js'
import type { Published } from '../../../../test/helpers/publish.js'
import {
  type Answer,
  ask,
  askJson,
  downloadParams,
  freshNonce,
  served,
  signText,
} from '../../../../test/helpers/requests.js'
import { type Service, startHere } from '../../../../test/helpers/service-here.js'
import { tus } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import { createApp } from '../../src/app.js'
import { parseSignIn } from '../../src/auth/sign-in.js'
import { loadSettings } from '../../src/config/load.js'

const IN_TEN_MINUTES = () => new Date(Date.now() + 600_000)
const TOKEN = '/api/services/auth/token'

type Fields = Partial<Parameters<typeof createSiweMessage>[0]>

/** Signatures over texts that name the provider: one service that takes nothing else, and one that takes older texts as well. */
describe('sign-in messages (EIP-4361)', () => {
  const folder = newFolder()
  let world: World
  let strict: Service
  let named: string
  let asset: Published
  let buyer: Wallet
  let txId: string

  beforeAll(async () => {
    world = await World.start()
    const port = await freePort()
    named = `http://127.0.0.1:${port}`
    strict = await startHere(
      world.beside({
        ...{ PORT: String(port), PUBLIC_URL: named },
        ...{ REQUIRE_DOMAIN_SIGNATURES: 'true', STATE_DIR: join(folder, 'state') },
        ...{ HOSTING: 'local', HOSTING_DIR: join(folder, 'files'), HOSTING_PUBLISHERS: '*' },
      }),
    )
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/tides.csv', Buffer.from('0123456789'))))
    await served(strict.url, asset)
  })

  /** A message for a provider; viem makes it, as other clients would. */
  const messageFor = (url: string, fields: Fields = {}): string =>
    createSiweMessage({
      ...{ address: buyer.address as Hex, chainId: world.network.chainId, domain: new URL(url).host, uri: url },
      ...{ nonce: freshNonce(), version: '1', expirationTime: IN_TEN_MINUTES(), ...fields },
    })
  const post = (url: string, body: object): Promise<Answer> => askJson(url, body)
  const send = async (url: string, message: string, signer = buyer) =>
    post(url + TOKEN, { message, signature: await signer.signMessage(message) })
  const refusedFor = async (answer: Promise<Answer>) => {
    const { status, json } = await answer
    return [status, ...Object.keys((json.errors as object) ?? json)]
  }

  it('create tokens that serve every route, and end them, each once', async () => {
    const message = messageFor(named, { statement: 'Signs in.', requestId: 'a', resources: ['https://a.example/b'] })
    const { status, json } = await send(strict.url, message)
    expect(status).toBe(200)
    const [, payload = ''] = (json.token as string).split('.')
    const { exp, address } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect([address, Math.abs(exp - Date.now() / 1000 - 600) < 60]).toEqual([buyer.address, true])
    expect(await refusedFor(send(strict.url, message))).toEqual([400, 'nonce'])
    const headers = { AuthToken: json.token as string }
    const query = await downloadParams(asset, txId, buyer, { signature: undefined, nonce: undefined })
    expect((await ask(`${strict.url}/api/services/download?${query}`, { headers })).text).toBe('0123456789')
    expect((await ask(`${strict.url}/api/services/uploads`, { headers })).json).toEqual({ uploads: [] })
    // the message that ends a token is for the URL of that route, and creates none
    const uri = `${named}${TOKEN}/invalidate`
    const end = async (message: string) =>
      post(`${strict.url}${TOKEN}/invalidate`, { message, signature: await buyer.signMessage(message), ...json })
    expect(await refusedFor(end(messageFor(named)))).toEqual([400, 'message'])
    const ending = messageFor(named, { uri })
    expect(await refusedFor(send(strict.url, ending))).toEqual([400, 'message'])
    expect((await end(ending)).json.success).toBe(true)
    expect((await ask(`${strict.url}/api/services/uploads`, { headers })).json.code).toBe('TOKEN_DELETED')
  })

  it('are refused for another provider, whatever the Host of the request says (threat 93)', async () => {
    const elsewhere = 'http://evil.example:8030'
    const { hostname, port } = new URL(world.network.providerUrl)
    const replayed = async (host: string, message: string) => {
      const body = JSON.stringify({ message, signature: await buyer.signMessage(message) })
      const headers = { host, 'content-type': 'application/json', 'x-forwarded-host': host }
      return new Promise((resolve, reject) => {
        const sent = request({ hostname, port, path: TOKEN, method: 'POST', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        sent.on('error', reject).end(body)
      })
    }
    expect(await refusedFor(send(strict.url, messageFor(elsewhere)))).toEqual([400, 'message'])
    expect(await replayed('evil.example:8030', messageFor(elsewhere))).toBe(400)
    // without PUBLIC_URL a service on loopback knows its own address
    const own = world.network.providerUrl
    expect(await replayed('evil.example:8030', messageFor(own))).toBe(400)
    expect(await replayed('localhost:1', messageFor('http://localhost:1'))).toBe(400)
    expect(await replayed(`127.0.0.1:${port}`, messageFor(own))).toBe(200)
    expect(await (await fetch(`${own}/`)).json()).toMatchObject({ signIn: { url: own, required: false } })
    expect(await refusedFor(send(strict.url, messageFor(own)))).toEqual([400, 'message'])
    expect((await send(strict.url, messageFor(named))).status).toBe(200)
  })

  it.each<[string, Fields]>([
    ['another domain', { domain: 'provider.example' }],
    ['the domain without its port', { domain: '127.0.0.1' }],
    ['another URI', { uri: 'http://127.0.0.1:1' }],
    ['another scheme', { scheme: 'https' }],
    ['a chain that is not served', { chainId: 1 }],
    ['a nonce that is no number', { nonce: 'abcdefgh' }],
    ['a nonce too far ahead', { nonce: '9'.repeat(39) }],
    ['an issue in the future', { issuedAt: new Date(Date.now() + 3_600_000) }],
    ['an end in the past', { expirationTime: new Date(Date.now() - 1000) }],
    ['an end too far ahead', { expirationTime: new Date(Date.now() + 1e12) }],
    ['a begin in the future', { notBefore: IN_TEN_MINUTES() }],
  ])('are refused for %s', async (_what, changed) => {
    expect(await refusedFor(send(strict.url, messageFor(named, changed)))).toEqual([400, 'message'])
  })

  it.each<[string, (message: string) => unknown]>([
    ['a text before it', (message) => `x\n${message}`],
    ['a text after it', (message) => `${message}\nx`],
    ['another version', (message) => message.replace('Version: 1', 'Version: 2')],
    ['fields in another order', (message) => message.replace(/(Version: 1)\n(Chain.*)/, '$2\n$1')],
    ['no time', (message) => message.replace(/Issued At: .*/, 'Issued At: now')],
    ['a time that does not exist', (message) => message.replace(/Issued At: ....-../, 'Issued At: 2026-13')],
    ['line ends of two characters', (message) => message.replaceAll('\n', '\r\n')],
    ['a NUL byte', (message) => message.replace('Nonce', '\0Nonce')],
    ['more than its limit', (message) => `${message}\nResources:${'\n- a:b'.repeat(2000)}`],
    ['fields in a statement', (message) => message.replace('\n\n\n', '\n\nURI: http://a.example\nVersion: 1\n\n')],
    ['a list', (message) => [message]],
  ])('are refused with %s', async (_what, change) => {
    const message = change(messageFor(named))
    const signature = await buyer.signMessage(String(message))
    expect(await refusedFor(post(strict.url + TOKEN, { message, signature }))).toEqual([400, 'message'])
  })

  it('name their domain in ASCII: no other letter passes for one by its lower case', () => {
    const message = messageFor('https://kiosk.example')
    expect(parseSignIn(message).domain).toBe('kiosk.example')
    expect(() => parseSignIn(message.replace('kiosk', '\u212aiosk'))).toThrow('EIP-4361')
  })

  it('are refused with the signature of another account, of its hash, or of another text', async () => {
    const message = messageFor(named)
    const signatures = [
      await (await world.somebody()).signMessage(message),
      await signText(buyer, message),
      await buyer.signMessage(messageFor(named)),
    ]
    for (const signature of [...signatures, '0x12', {}])
      expect(await refusedFor(post(strict.url + TOKEN, { message, signature }))).toEqual([400, 'signature'])
    expect(await refusedFor(post(strict.url + TOKEN, { message }))).toEqual([400, 'signature'])
    expect((await send(strict.url, message)).status).toBe(200)
  })

  it('are signed by contract wallets, on the chain that they name (EIP-1271)', async () => {
    const wallet = ethers.utils.getAddress(await deployed(world.network.rpcUrl, 'Wallet', [buyer.address])) as Hex
    const message = messageFor(named, { address: wallet })
    const stranger = await world.somebody()
    expect(await refusedFor(send(strict.url, message, stranger))).toEqual([400, 'signature'])
    const { status, json } = await send(strict.url, message)
    expect(status).toBe(200)
    const [, payload = ''] = (json.token as string).split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      ...{ address: wallet, chainId: world.network.chainId },
    })
    expect(await refusedFor(send(strict.url, message))).toEqual([400, 'nonce'])
  })

  it('are the only signed texts where the operator says so, and the refusal says how (threat 93)', async () => {
    const nonce = freshNonce()
    const by = async (text: string) => ({ nonce, signature: await signText(buyer, text) })
    const at = `${strict.url}/api/services`
    const { address } = buyer
    const json = { 'content-type': 'application/json' }
    const octets = { 'content-type': 'application/octet-stream' }
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    const token = (await send(strict.url, messageFor(named))).json.token as string
    const query = async (more: Record<string, string>, text: string) =>
      String(new URLSearchParams({ ...more, ...(await by(text)) }))
    const chainId = String(world.network.chainId)
    const link = {
      ...Object.fromEntries(await downloadParams(asset, txId, buyer)),
      ...(await by(`${address}${nonce}downloadLink`)),
    }
    const requests = [
      ask(`${at}/download?${await downloadParams(asset, txId, buyer)}`),
      post(`${at}/download/link`, link),
      ask(`${at}/createAuthToken?${await query({ address, expiration }, address + nonce)}`),
      ask(`${at}/createAuthToken?${await query({ expiration }, nonce)}`),
      post(strict.url + TOKEN, { address, ...(await by(`${address}${nonce}createAuthToken`)) }),
      post(`${strict.url}${TOKEN}/invalidate`, { address, token, ...(await by(address + nonce)) }),
      ask(`${at}/deleteAuthToken`, {
        method: 'DELETE',
        headers: json,
        body: JSON.stringify({ address, token, ...(await by(address + nonce)) }),
      }),
      ask(`${at}/uploads?${await query({ address }, `${address}${nonce}listUploads`)}`),
      tus(`${at}/uploads`, 'POST', { address, 'upload-length': '4', ...(await by(`${address}${nonce}upload`)) }),
      post(`${at}/decrypt`, {
        ...{ decrypterAddress: address, chainId, dataNftAddress: asset.nft, transactionId: asset.txId },
        ...(await by(`${address}${nonce}decryptDDO`)),
      }),
      ask(`${at}/encrypt?${await query({ chainId, consumerAddress: address }, `${address}${nonce}encrypt`)}`, {
        ...{ method: 'POST', headers: octets, body: '[]' },
      }),
      post(`${strict.url}/api/aquarius/assets/ddo/validate`, {
        ...{ ddo: asset.ddo, publisherAddress: address, ...(await by(address + nonce)) },
      }),
    ]
    for (const [at, answer] of (await Promise.all(requests)).entries())
      expect(answer, String(at)).toMatchObject({
        status: 400,
        json: { code: 'SIGNATURE_NAMES_NO_PROVIDER', error: expect.stringMatching(/EIP-4361.*AuthToken/) },
      })
    expect(
      (await ask(`${at}/encrypt?chainId=${chainId}`, { method: 'POST', headers: octets, body: '[]' })).status,
    ).toBe(201)
    // the same texts are good at the other service
    const params = await downloadParams(asset, txId, buyer)
    expect((await ask(`${world.network.providerUrl}/api/services/download?${params}`)).text).toBe('0123456789')
  })

  it('are not needed where the text names the provider by its id', async () => {
    const { id } = (await post(`${strict.url}/directCommand`, { command: 'status' })).json
    const nonce = freshNonce()
    const signature = await signText(buyer, `${buyer.address}${nonce}createAuthToken${id}`)
    const { json } = await post(strict.url + TOKEN, { address: buyer.address, nonce, signature })
    expect(json).toEqual({ token: expect.any(String) })
  })

  it('need the public URL, without which the setting is refused at the start', async () => {
    const settings = loadSettings(world.beside({ REQUIRE_DOMAIN_SIGNATURES: 'true', STATE_DIR: join(folder, 'none') }))
    await expect(createApp(settings)).rejects.toThrow(/REQUIRE_DOMAIN_SIGNATURES: needs PUBLIC_URL/)
  })
})
