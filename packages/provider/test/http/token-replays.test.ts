import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import type { Published } from '../../../../test/helpers/publish.js'
import {
  type Answer,
  ask,
  askJson,
  createToken,
  downloadUrl,
  freshNonce,
  signText,
} from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { createApp } from '../../src/app.js'

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

let world: World
let asset: Published
let owner: Wallet
let txId: string
beforeAll(async () => {
  world = await World.start({ AUTH_TOKEN_MAX_LIFETIME: '86400', AUTH_TOKEN_LIFETIME: '3600' })
  ;({ asset, buyer: owner, txId } = await world.sold(world.storage.file('/tides.csv', Buffer.from('0123456789'))))
})

const base = () => `${world.network.providerUrl}/api/services`
const created = async (by = owner) =>
  (await createToken(world.network.providerUrl, providerKey(by.privateKey), freshNonce())).json.token as string
/** A fresh nonce, and the signature of the owner's address, the nonce and a command. */
const proof = async (command = '') => {
  const nonce = freshNonce()
  return { address: owner.address, nonce, signature: await signText(owner, owner.address + nonce + command) }
}
type Signed = Awaited<ReturnType<typeof proof>>
const withToken = (method: string, path: string, command: string) => async () => {
  const token = await created()
  const body = { token, ...(await proof(command)) }
  return () => askJson(base() + path, body, { method })
}

/** For each signed route: makes a signed request that may be sent several times. */
const ROUTES: Record<string, () => Promise<() => Promise<Answer>>> = {
  download: async () => {
    const url = await downloadUrl(world.network.providerUrl, asset, txId, owner)
    return () => ask(url)
  },
  createAuthToken: async () => {
    const query = new URLSearchParams({ ...(await proof()), expiration: String(inSeconds(600)) })
    return () => ask(`${base()}/createAuthToken?${query}`)
  },
  generateAuthToken: async () => {
    const body = await proof('createAuthToken')
    return () => askJson(`${base()}/auth/token`, body)
  },
  deleteAuthToken: withToken('DELETE', '/deleteAuthToken', ''),
  invalidateAuthToken: withToken('POST', '/auth/token/invalidate', 'invalidateAuthToken'),
  encrypt: async () => {
    const { address: consumerAddress, ...signed } = await proof('encrypt')
    const url = `${base()}/encrypt?${new URLSearchParams({ chainId: '8996', consumerAddress, ...signed })}`
    const headers = { 'content-type': 'application/octet-stream' }
    return () => ask(url, { method: 'POST', headers, body: 'tide' })
  },
  decrypt: async () => {
    const { address: decrypterAddress, ...signed } = await proof('decryptDDO')
    const of = { chainId: 8996, dataNftAddress: asset.nft, transactionId: asset.txId }
    return () => askJson(`${base()}/decrypt`, { decrypterAddress, ...signed, ...of })
  },
  validate: async () => {
    const { address: publisherAddress, ...signed } = await proof()
    const body = { ddo: asset.ddo, publisherAddress, ...signed }
    return () => askJson(`${world.network.providerUrl}/api/aquarius/assets/ddo/validate`, body)
  },
}

it.each(Object.keys(ROUTES))('%s accepts one of 50 identical requests (threat 11)', async (route) => {
  const send = (await ROUTES[route]?.()) as () => Promise<Answer>
  const statuses = (await Promise.all(Array.from({ length: 50 }, send))).map(({ status }) => status)
  expect(statuses.filter((status) => status < 300)).toHaveLength(1)
  expect(statuses.filter((status) => status === 400)).toHaveLength(49)
})

describe('a signature that both creating and deleting accept is valid once, even if refused (threat 53)', () => {
  const send = (method: string, path: string, body: object) => askJson(base() + path, body, { method })
  const creations: Record<string, (signed: Signed, end: number) => Promise<Answer>> = {
    createAuthToken: (signed, end) =>
      ask(`${base()}/createAuthToken?${new URLSearchParams({ ...signed, expiration: String(end) })}`),
    generateAuthToken: (signed, end) => send('POST', '/auth/token', { ...signed, validUntil: end }),
  }
  const deletions: Record<string, (signed: Signed, token: string) => Promise<Answer>> = {
    deleteAuthToken: (signed, token) => send('DELETE', '/deleteAuthToken', { ...signed, token }),
    invalidateAuthToken: (signed, token) => send('POST', '/auth/token/invalidate', { ...signed, token }),
  }
  const used = { status: 400, json: { errors: { nonce: [expect.stringContaining('greater than the last')] } } }
  const pairs = Object.keys(creations).flatMap((create) => Object.keys(deletions).map((remove) => [create, remove]))

  it.each(pairs)('%s after a refused %s, and vice versa (threat 53)', async (create, remove) => {
    const [creation, deletion] = [creations[create as string], deletions[remove as string]]
    const foreign = await created(await world.somebody())
    for (const token of ['junk', foreign]) {
      const signed = await proof()
      expect(await deletion?.(signed, token)).toMatchObject({ status: 400, json: { code: 'TOKEN_INVALID' } })
      expect(await creation?.(signed, inSeconds(600))).toMatchObject(used)
    }
    const token = await created()
    for (const end of [inSeconds(-1), inSeconds(100_000), Date.now()]) {
      const signed = await proof()
      const field = create === 'createAuthToken' ? 'expiration' : 'validUntil'
      expect((await creation?.(signed, end))?.json).toMatchObject({ errors: { [field]: [expect.any(String)] } })
      expect(await deletion?.(signed, token)).toMatchObject(used)
    }
    expect((await deletion?.(await proof(), token))?.status).toBe(200)
    expect((await creation?.(await proof(), inSeconds(600)))?.status).toBe(200)
  })

  it('also if it signs the nonce only (threat 53)', async () => {
    const nonce = freshNonce()
    const signed = { nonce, signature: await signText(owner, nonce) }
    expect((await send('DELETE', '/deleteAuthToken', { ...signed, token: 'junk' })).json.code).toBe('TOKEN_INVALID')
    expect(await send('POST', '/auth/token', signed)).toMatchObject(used)
  })

  it('requests that are refused before or by the signature check consume no nonce', async () => {
    const signed = await proof()
    const refused = [
      await creations.createAuthToken?.(signed, Number.NaN),
      await send('POST', '/auth/token', { ...signed, validUntil: 'soon' }),
      await send('DELETE', '/deleteAuthToken', signed),
      await send('POST', '/auth/token', { ...signed, signature: await signText(owner, 'else') }),
      await send('POST', '/auth/token', { ...signed, address: '0x12' }),
    ]
    expect(refused.map((answer) => answer?.status)).toEqual([400, 400, 400, 400, 400])
    expect((await creations.createAuthToken?.(signed, inSeconds(600)))?.status).toBe(200)
  })
})

it('tokens remain valid, and remain deleted, after a restart', async () => {
  const folder = newFolder()
  const { settings } = world.local.app.context
  const boot = async () => {
    const app = await createApp({ ...settings, STATE_DIR: folder, PORT: 0 })
    return { app, url: `${await app.listen()}/api/services/auth/token` }
  }
  const first = await boot()
  const invalidate = async (url: string, token: unknown) => askJson(`${url}/invalidate`, { ...(await proof()), token })
  const { token: kept } = (await askJson(first.url, await proof())).json
  const { token: deleted } = (await askJson(first.url, await proof())).json
  expect((await invalidate(first.url, deleted)).json).toMatchObject({ success: true })
  await first.app.close()
  const second = await boot()
  expect((await invalidate(second.url, deleted)).json).toMatchObject({ code: 'TOKEN_DELETED' })
  expect((await invalidate(second.url, kept)).status).toBe(200)
  await second.app.close()
})
