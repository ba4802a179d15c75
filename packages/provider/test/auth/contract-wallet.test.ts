import type { Wallet } from 'ethers'
import { ethers } from 'ethers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acquire, mined } from '../../../../test/helpers/consume.js'
import { compiled, deployed } from '../../../../test/helpers/contracts.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { ARTIFACTS, artifact } from '../../../dev-network/src/contracts.js'
import { deployMultisig, type Multisig } from './multisig.js'

const MOODS = ['Honest', 'SaysYes', 'SaysOne', 'SaysTooMuch', 'Reverts', 'BurnsGas', 'TrustsEstimates']

/** A contract wallet as consumer, on every signed route. */
describe('contract wallets (EIP-1271)', () => {
  let world: World
  let asset: Published
  let owner: Wallet
  let wallet: ethers.Contract
  let base: string

  beforeAll(async () => {
    world = await World.start()
    base = `${world.network.providerUrl}/api/services`
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))
    owner = await world.somebody()
    wallet = new ethers.Contract(
      ethers.utils.getAddress(await deployed(world.network.rpcUrl, 'Wallet', [owner.address])),
      compiled('Wallet').abi as never,
      owner,
    )
  })
  beforeEach(() => become('Honest'))

  const become = (mood: string) => mined(wallet.become?.(MOODS.indexOf(mood)) as Promise<unknown>)

  /** An order that a friend pays, for the wallet as consumer. */
  const ordered = async () => world.order(asset, await world.somebody(), wallet.address)

  async function download(txId: string, changed: Record<string, string | undefined> = {}, headers = {}) {
    const params = await downloadParams(asset, txId, owner, { consumerAddress: wallet.address, ...changed })
    return ask(`${base}/download?${params}`, { headers })
  }

  async function tokenParams(changed: Record<string, string> = {}) {
    const nonce = freshNonce()
    const signature = await signText(owner, wallet.address + nonce)
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    return new URLSearchParams({ address: wallet.address, nonce, signature, expiration, ...changed })
  }

  it('download with the signature of their owner, once per nonce', async () => {
    const txId = await ordered()
    const nonce = freshNonce()
    expect((await download(txId, { nonce })).text).toBe('tide')
    expect((await download(txId, { nonce })).json.errors).toHaveProperty('nonce')
    const stranger = await world.somebody()
    const signature = await signText(stranger, asset.did + nonce)
    const fresh = freshNonce()
    expect((await download(txId, { nonce: fresh, signature })).json.errors).toHaveProperty('signature')
    expect((await download(txId, { nonce: fresh })).text).toBe('tide')
  })

  it('order themselves, as payer and consumer', async () => {
    const fee = await world.quote(asset, wallet.address)
    await acquire(world.network, asset, owner)
    const datatoken = new ethers.Contract(asset.datatoken, artifact(ARTIFACTS.ERC20Template).abi as never, owner)
    await mined(datatoken.transfer?.(wallet.address, ethers.utils.parseEther('1')) as Promise<unknown>)
    const zero = ethers.constants.AddressZero
    const market = { consumeMarketFeeAddress: zero, consumeMarketFeeToken: zero, consumeMarketFeeAmount: 0 }
    const call = datatoken.interface.encodeFunctionData('startOrder', [wallet.address, 0, fee, market])
    const txId = await mined(wallet.run?.(asset.datatoken, call) as Promise<unknown>)
    expect((await download(txId)).text).toBe('tide')
  })

  it.each(MOODS.slice(1))('are accepted only if they accept the signature: one that %s (threat 31)', async (mood) => {
    const txId = await ordered()
    await become(mood)
    const params = { nonce: freshNonce(), signature: `0x${'12'.repeat(65)}` }
    const { status, json, text } = await download(txId, params)
    if (mood === 'SaysYes') expect(text).toBe('tide')
    else expect([status, json.errors]).toEqual([400, { signature: [expect.stringContaining('Invalid signature')] }])
  })

  it('receive signatures of any length that are hex and not too long', async () => {
    const txId = await ordered()
    await become('SaysYes')
    for (const [signature, status] of [
      ['0x', 200],
      [`0x${'ab'.repeat(200)}`, 200],
      [`0x${'ab'.repeat(9000)}`, 400],
      ['0xabc', 400],
      ['zz', 400],
    ] as const)
      expect((await download(txId, { nonce: freshNonce(), signature })).status, signature.slice(0, 9)).toBe(status)
    const nobody = newWallet().address
    const params = { consumerAddress: nobody, nonce: freshNonce(), signature: `0x${'12'.repeat(65)}` }
    expect((await download(txId, params)).json.errors).toHaveProperty('signature')
  })

  describe('of four owners, with signatures of 260 bytes', () => {
    let multisig: Multisig
    const JSON_BODY = { 'content-type': 'application/json' }
    beforeAll(async () => {
      multisig = await deployMultisig(world.network.rpcUrl, 4)
    })

    it('download by GET, once per nonce (threat 63)', async () => {
      const txId = await world.order(asset, await world.somebody(), multisig.address)
      const nonce = freshNonce()
      const signature = await multisig.sign(asset.did + nonce)
      expect(signature).toHaveLength(2 + 520)
      const signed = { consumerAddress: multisig.address, nonce, signature }
      expect((await download(txId, signed)).text).toBe('tide')
      expect((await download(txId, signed)).json.errors).toHaveProperty('nonce')
      const three = { ...signed, nonce: freshNonce(), signature: signature.slice(0, -130) }
      expect((await download(txId, three)).json.errors).toHaveProperty('signature')
    })

    it('create and delete tokens, with parameters in query, body and header (threat 63)', async () => {
      const proof = async () => {
        const nonce = freshNonce()
        return { address: multisig.address, nonce, signature: await multisig.sign(multisig.address + nonce) }
      }
      const expiration = String(Math.floor(Date.now() / 1000) + 600)
      const legacy = await ask(`${base}/createAuthToken?${new URLSearchParams({ ...(await proof()), expiration })}`)
      expect(legacy.json).toHaveProperty('token')
      const post = (path: string, body: object) =>
        ask(`${base}${path}`, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) })
      const modern = await post('/auth/token', await proof())
      expect(modern.json).toHaveProperty('token')
      const { signature, ...rest } = await proof()
      const body = JSON.stringify({ ...rest, token: legacy.json.token })
      const headers = { ...JSON_BODY, signature }
      expect((await ask(`${base}/deleteAuthToken`, { method: 'DELETE', headers, body })).status).toBe(200)
      const ended = await post('/auth/token/invalidate', { ...(await proof()), token: modern.json.token })
      expect(ended.json).toMatchObject({ success: true })
    })
  })

  it('may have signatures of up to 8,192 bytes, in a query beside userdata (threat 63)', async () => {
    const txId = await ordered()
    await become('SaysYes')
    const userdata = JSON.stringify({ text: 'x'.repeat(8000) })
    const longest = { nonce: freshNonce(), signature: `0x${'ab'.repeat(8192)}`, userdata }
    expect((await download(txId, longest)).text).toBe('tide')
    const longer = { nonce: freshNonce(), signature: `0x${'ab'.repeat(8193)}` }
    expect(await download(txId, longer)).toMatchObject({
      status: 400,
      json: { errors: { signature: expect.anything() } },
    })
  })

  it('create, use and delete a token, which is valid on the chain of the wallet only', async () => {
    const txId = await ordered()
    const made = await ask(`${base}/createAuthToken?${await tokenParams()}`)
    const token = made.json.token as string
    const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
    expect(claims).toMatchObject({ address: wallet.address, chainId: world.network.chainId })
    const bare = { signature: undefined, nonce: undefined }
    expect((await download(txId, bare, { AuthToken: token })).text).toBe('tide')

    const { tokens } = world.local.app.context.services.auth
    const now = Math.floor(Date.now() / 1000)
    const foreign = tokens.issue({ address: wallet.address as `0x${string}`, chainId: 1 }, now + 60, now)
    expect((await download(txId, bare, { AuthToken: foreign })).json).toMatchObject({ code: 'TOKEN_INVALID' })

    const body = JSON.stringify(Object.fromEntries(await tokenParams({ token })))
    const headers = { 'content-type': 'application/json' }
    const remove = () => ask(`${base}/deleteAuthToken`, { method: 'DELETE', headers, body })
    expect((await remove()).json).toEqual({ success: 'Token has been deactivated.' })
    expect((await download(txId, bare, { AuthToken: token })).json).toMatchObject({ code: 'TOKEN_DELETED' })
  })

  it('get no token on a chain that is not served', async () => {
    const { json } = await ask(`${base}/createAuthToken?${await tokenParams({ chainId: '1' })}`)
    expect(json.errors).toHaveProperty('signature')
  })

  it('sign encrypt and decrypt', async () => {
    const { chainId } = world.network
    const nonce = freshNonce()
    const signature = await signText(owner, `${wallet.address}${nonce}encrypt`)
    const query = new URLSearchParams({ chainId: `${chainId}`, consumerAddress: wallet.address, nonce, signature })
    const headers = { 'content-type': 'application/octet-stream' }
    expect((await ask(`${base}/encrypt?${query}`, { method: 'POST', headers, body: 'x' })).status).toBe(201)

    const next = freshNonce()
    const body = {
      decrypterAddress: wallet.address,
      chainId,
      transactionId: asset.txId,
      dataNftAddress: asset.nft,
      nonce: next,
      signature: await signText(owner, `${asset.txId}${wallet.address}${chainId}${next}`),
    }
    const json = { 'content-type': 'application/json' }
    const decrypted = await ask(`${base}/decrypt`, { method: 'POST', headers: json, body: JSON.stringify(body) })
    expect(JSON.parse(decrypted.text)).toMatchObject({ id: asset.did })
  })
})
