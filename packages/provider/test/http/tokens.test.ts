import { request } from 'node:http'
import type { Wallet } from 'ethers'
import { SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Answer, ask, askJson, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { tokenSecret } from '../../src/auth/tokens.js'

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('auth tokens', () => {
  let world: World
  let asset: Published
  let owner: Wallet
  let txId: string

  beforeAll(async () => {
    world = await World.start({ AUTH_TOKEN_MAX_LIFETIME: '86400', AUTH_TOKEN_LIFETIME: '3600' })
    ;({ asset, buyer: owner, txId } = await world.sold(world.storage.file('/tides.csv', Buffer.from('0123456789'))))
  })

  const base = () => `${world.network.providerUrl}/api/services`
  async function create(changed: Record<string, string> = {}, by = owner): Promise<Answer> {
    const nonce = changed.nonce ?? freshNonce()
    const signature = await signText(by, by.address + nonce)
    const params = { address: by.address, nonce, signature, expiration: String(inSeconds(600)), ...changed }
    return ask(`${base()}/createAuthToken?${new URLSearchParams(params)}`)
  }
  const created = async (by = owner) => (await create({}, by)).json.token as string
  async function remove(token: string, by = owner): Promise<Answer> {
    const nonce = freshNonce()
    return askJson(
      `${base()}/deleteAuthToken`,
      { address: by.address, token, nonce },
      { method: 'DELETE', headers: { signature: await signText(by, by.address + nonce) } },
    )
  }
  async function download(headers: Record<string, string>, changed: Record<string, string | undefined> = {}) {
    const params = await downloadParams(asset, txId, owner, { signature: undefined, nonce: undefined, ...changed })
    return ask(`${base()}/download?${params}`, { headers })
  }

  it.each<[string, Record<string, string>]>([
    ['control: no type', {}],
    ['JSON', { 'content-type': 'application/json' }],
    ['JSON, of no bytes', { 'content-type': 'application/json', 'content-length': '0' }],
    ['JSON with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['JSON, of no pieces', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }],
    ['text', { 'content-type': 'text/plain', 'content-length': '0' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('are deleted by parameters, without the body that a header announces: %s', async (_case, headers) => {
    const token = await created()
    const nonce = freshNonce()
    const signature = await signText(owner, owner.address + nonce)
    const params = new URLSearchParams({ address: owner.address, nonce, signature, token })
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${base()}/deleteAuthToken?${params}`, { method: 'DELETE', headers })
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      sent.end()
    })
    expect(status).toBe(200)
    expect((await download({ AuthToken: token })).json.code).toBe('TOKEN_DELETED')
  })

  it('are not deleted by a body that is broken, or of another type', async () => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['application/json', ' '],
      ['text/plain', '{}'],
    ] as const) {
      const headers = { 'content-type': type }
      const { status } = await ask(`${base()}/deleteAuthToken`, { method: 'DELETE', headers, body })
      expect([400, 415], `${type} ${body}`).toContain(status)
    }
  })

  it('replace the signature, in every header that clients use', async () => {
    const token = await created()
    for (const headers of [
      { AuthToken: token },
      { Authorization: `Bearer ${token}` },
      { Authorization: token },
    ] as Record<string, string>[])
      expect((await download(headers)).text).toBe('0123456789')
    expect((await download({ AuthToken: token }, { signature: 'null', nonce: '1' })).status).toBe(200)
  })

  it('work for parallel range requests', async () => {
    const AuthToken = await created()
    const parts = await Promise.all(
      Array.from({ length: 10 }, (_, at) => download({ AuthToken, range: `bytes=${at}-${at}` })),
    )
    expect(parts.map(({ status }) => status)).toEqual(Array(10).fill(206))
    expect(parts.map(({ text }) => text).join('')).toBe('0123456789')
  })

  it('prove who encrypts and validates, and are refused there like everywhere (service specification, "Authentication")', async () => {
    const AuthToken = await created()
    const deleted = await created()
    await remove(deleted)
    const chainId = String(world.network.chainId)
    const octets = { 'content-type': 'application/octet-stream' }
    const encrypted = (headers: Record<string, string>, query: Record<string, string> = {}) =>
      ask(`${base()}/encrypt?${new URLSearchParams({ chainId, ...query })}`, {
        method: 'POST',
        headers: { ...octets, ...headers },
        body: 'x',
      })
    const validated = (headers: Record<string, string>, query: Record<string, string> = {}) =>
      ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/validate?${new URLSearchParams(query)}`, {
        method: 'POST',
        headers: { ...octets, ...headers },
        body: JSON.stringify(asset.ddo),
      })
    const stranger = (await world.somebody()).address
    const paths = (await ask(`${world.network.providerUrl}/spec`)).json.paths as Record<string, { post?: object }>
    for (const path of ['/api/services/encrypt', '/api/aquarius/assets/ddo/validate'])
      expect(paths[path]?.post).toMatchObject({ security: expect.arrayContaining([{ AuthToken: [] }]) })
    for (const [send, field, status] of [
      [encrypted, 'consumerAddress', 201],
      [validated, 'publisherAddress', 200],
    ] as const) {
      for (const query of [{}, { [field]: owner.address }])
        expect((await send({ AuthToken }, query)).status).toBe(status)
      expect((await send({ AuthToken: deleted })).json.code).toBe('TOKEN_DELETED')
      expect((await send({ AuthToken: `${AuthToken}x` })).json.code).toBe('TOKEN_INVALID')
      expect((await send({ AuthToken }, { [field]: stranger })).json.code).toBe('TOKEN_INVALID')
    }
  })

  it('are ignored beside a signature, whether it is valid or not', async () => {
    const AuthToken = await created()
    const bad = await download({ AuthToken }, { signature: `0x${'12'.repeat(65)}`, nonce: freshNonce() })
    expect(bad.json.errors).toHaveProperty('signature')
    const params = await downloadParams(asset, txId, owner)
    expect((await ask(`${base()}/download?${params}`, { headers: { AuthToken: 'junk' } })).status).toBe(200)
  })

  it('work for their own address only (threat 3)', async () => {
    const stranger = await world.somebody()
    const AuthToken = await created(stranger)
    const answer = await download({ AuthToken })
    expect([answer.status, answer.json.code]).toEqual([400, 'TOKEN_INVALID'])
  })

  it('are unique, and their expiration is checked', async () => {
    expect(await created()).not.toBe(await created())
    const refused = await download({ AuthToken: 'junk' })
    expect([refused.status, refused.json.error]).toEqual([400, 'Token is invalid.'])
    expect((await download({ AuthToken: await created() }, { nonce: 'x' })).json.errors).toHaveProperty('nonce')
  })

  it.each([
    [{ expiration: '' }, 'expiration', 'is required'],
    [{ expiration: '1000' }, 'expiration', 'must lie in the future'],
    [{ expiration: String(Date.now() + 60_000) }, 'expiration', 'milliseconds'],
    [
      { expiration: String(Math.floor(Date.now() / 1000) + 100_000) },
      'expiration',
      'must not lie more than 86400 seconds',
    ],
    [{ nonce: '-1' }, 'nonce', 'must be a decimal number'],
    [{ signature: '0x12' }, 'signature', 'Invalid signature provided.'],
    // two forms that used to be passed on to a contract (threat 61)
    [{ signature: '0X' }, 'signature', 'Invalid signature provided.'],
    [{ signature: '0Xab' }, 'signature', 'Invalid signature provided.'],
    [{ address: '0x12' }, 'address', 'must be an address'],
  ])('are refused for %j', async (changed, field, reason) => {
    const { status, json } = await create(changed as Record<string, string>)
    expect(status).toBe(400)
    expect(json.errors).toEqual({ [field]: [expect.stringContaining(reason)] })
  })

  it('are issued to the signer of the nonce if no address is sent', async () => {
    const nonce = freshNonce()
    const signature = await signText(owner, nonce)
    const { json } = await ask(
      `${base()}/createAuthToken?nonce=${nonce}&signature=${signature}&expiration=${inSeconds(60)}`,
    )
    expect((await download({ AuthToken: json.token as string })).status).toBe(200)
  })

  it('cannot be created by a replay with another expiration, nor with the signature of a download (threat 9)', async () => {
    const nonce = freshNonce()
    expect((await create({ nonce })).status).toBe(200)
    expect((await create({ nonce, expiration: String(inSeconds(3000)) })).json.errors).toHaveProperty('nonce')
    const other = freshNonce()
    const signature = await signText(owner, owner.address + other)
    expect((await download({}, { nonce: other, signature })).json.errors).toHaveProperty('signature')
  })

  it('can be deleted permanently, by their own address only', async () => {
    const token = await created()
    expect(await remove(token, await world.somebody())).toMatchObject({ status: 400, json: { code: 'TOKEN_INVALID' } })
    expect((await download({ AuthToken: token })).status).toBe(200)
    expect(await remove(token)).toMatchObject({ status: 200, json: { success: 'Token has been deactivated.' } })
    expect(await download({ AuthToken: token })).toMatchObject({ status: 400, json: { error: 'Token is deleted.' } })
    expect(await remove(token)).toMatchObject({
      status: 400,
      json: { error: 'Token is deleted.', code: 'TOKEN_DELETED' },
    })
    expect(await remove('junk')).toMatchObject({ status: 400, json: { error: 'Token is invalid.' } })
  })

  it('cannot be created or deleted with a token instead of a signature', async () => {
    const AuthToken = await created()
    const make = await ask(
      `${base()}/createAuthToken?address=${owner.address}&nonce=${freshNonce()}&expiration=${inSeconds(60)}`,
      {
        headers: { AuthToken },
      },
    )
    expect(make.json.errors).toEqual({ signature: ['The signature field is required.'] })
  })

  it('are refused when forged, unsigned, with another algorithm or another encoding (threat 13)', async () => {
    const secret = tokenSecret(undefined, providerKey(world.network.accounts[8]?.privateKey as string))
    const claims = { address: owner.address }
    const jwt = (alg: string) =>
      new SignJWT(claims).setProtectedHeader({ alg }).setIssuedAt().setExpirationTime('1h').setJti('x')
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const payload = part({ ...claims, iat: inSeconds(0), exp: inSeconds(60), jti: 'x' })
    const token = await created()
    await remove(token)
    const last = token.at(-1) as string
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = token.slice(0, -1) + alphabet[(alphabet.indexOf(last) & ~3) | ((alphabet.indexOf(last) + 1) & 3)]
    const forged = {
      'alg none': `${part({ alg: 'none' })}.${payload}.`,
      'another algorithm': await jwt('HS512').sign(secret),
      'another secret': await jwt('HS256').sign(Buffer.alloc(32, 1)),
      'the private key as secret': await jwt('HS256').sign(
        Buffer.from('fd5c1ccea015b6d663618850824154a3b3fb2882c46cefb05b9a93fea8c3d215', 'hex'),
      ),
      'no identity': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(secret),
      'no end': await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setJti('x').sign(secret),
      expired: await jwt('HS256').setExpirationTime(1).sign(secret),
      'deleted, padded': `${token}=`,
      'deleted, with other trailing bits': twin,
    }
    for (const [name, AuthToken] of Object.entries(forged))
      expect((await download({ AuthToken })).status, name).toBe(400)
    expect((await download({ AuthToken: await jwt('HS256').sign(secret) })).status).toBe(200)
  })

  it('contain their address, and have the configured lifetime if the client names none', async () => {
    const nonce = freshNonce()
    const { json } = await askJson(`${base()}/auth/token`, {
      address: owner.address,
      nonce,
      signature: await signText(owner, owner.address + nonce),
    })
    const payload = JSON.parse(Buffer.from((json.token as string).split('.')[1] as string, 'base64url').toString())
    expect(payload).toMatchObject({ address: owner.address, jti: expect.any(String) })
    expect(payload.exp - payload.iat).toBe(3600)
  })
})
