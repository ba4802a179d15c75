import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainWithContracts } from '../../../../test/helpers/chain.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { deployed } from '../../../../test/helpers/contracts.js'
import { ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { tus } from '../../../../test/helpers/uploads.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { type Anvil, DEV_CHAIN_ID } from '../../../dev-network/src/anvil.js'
import { type App, createApp } from '../../src/app.js'
import { parseNonce } from '../../src/auth/nonce.js'
import { loadSettings } from '../../src/config/load.js'

const A = DEV_CHAIN_ID
const B = 8997

/** Contract wallets with the same address on two chains that one service serves. */
describe('contract wallets on several chains', () => {
  const folder = newFolder()
  let anvils: Record<number, Anvil>
  let proxy: RpcProxy
  let app: App
  let base: string
  const alice = newWallet()
  const mallory = newWallet()

  beforeAll(async () => {
    const [first, second] = await Promise.all([chainWithContracts(), chainWithContracts(B)])
    anvils = { [A]: first.anvil, [B]: second.anvil }
    proxy = await RpcProxy.before(second.rpcUrl)
    const entries = { development: first.addresses, other: second.addresses }
    writeFileSync(join(folder, 'address.json'), JSON.stringify(entries))
    app = await createApp(
      loadSettings({
        NETWORK_URL: JSON.stringify({ [A]: first.rpcUrl, [B]: proxy.url }),
        ADDRESS_FILE: join(folder, 'address.json'),
        PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
        STATE_DIR: folder,
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'silent',
        ...{ HOSTING: 'local', HOSTING_DIR: join(folder, 'files'), HOSTING_PUBLISHERS: '*' },
      }),
    )
    base = `${await app.listen()}/api/services`
  })
  afterAll(async () => {
    await app.close()
    await Promise.all(Object.values(anvils).map((anvil) => anvil.stop()))
  })

  /** Deploys a wallet at one new address on both chains, with an owner on each. */
  async function wallets(onA: ethers.Wallet, onB: ethers.Wallet): Promise<string> {
    const address = ethers.utils.getAddress(await deployed(anvils[A]?.rpcUrl as string, 'Wallet', [onA.address]))
    const twin = await deployed(anvils[B]?.rpcUrl as string, 'Wallet', [onB.address])
    const onSecond = new ethers.providers.StaticJsonRpcProvider(anvils[B]?.rpcUrl)
    await onSecond.send('anvil_setCode', [address, await onSecond.getCode(twin)])
    return address
  }
  /** Asks for a token on a chain, with a signed text that names no chain. */
  async function tokenOn(chainId: number, address: string, signer: ethers.Wallet, nonce: string) {
    const signature = await signText(signer, address + nonce)
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    const query = new URLSearchParams({ address, chainId: `${chainId}`, nonce, signature, expiration })
    const { json, status } = await ask(`${base}/createAuthToken?${query}`)
    return 'token' in json ? 'passes' : Object.keys((json.errors as object) ?? { [`${status} ${json.code}`]: 1 })[0]
  }
  /** A token of the wallet on a chain. */
  async function tokenFor(chainId: number, address: string, signer: ethers.Wallet): Promise<Record<string, string>> {
    const nonce = freshNonce()
    const signature = await signText(signer, address + nonce)
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    const query = new URLSearchParams({ address, chainId: `${chainId}`, nonce, signature, expiration })
    return { AuthToken: (await ask(`${base}/createAuthToken?${query}`)).json.token as string }
  }
  const beginUpload = (headers: Record<string, string>) =>
    tus(`${base}/uploads`, 'POST', { 'upload-length': '4', ...headers })
  const lastOf = async (address: string, chainId?: number) => {
    const query = new URLSearchParams({ userAddress: address, ...(chainId ? { chainId: `${chainId}` } : {}) })
    return String((await ask(`${base}/nonce?${query}`)).json.nonce)
  }

  it('have nonces per chain: owners of the same address on other chains cannot consume them (threat 63)', async () => {
    const address = await wallets(alice, mallory)
    const far = `${Date.now()}000`
    const near = freshNonce()
    expect(await tokenOn(B, address, mallory, far)).toBe('passes')
    expect(await tokenOn(A, address, alice, near)).toBe('passes')
    expect(await tokenOn(A, address, alice, near)).toBe('nonce')
    expect(await tokenOn(B, address, mallory, near)).toBe('nonce')
    expect(await tokenOn(A, address, alice, freshNonce())).toBe('passes')
    expect(await tokenOn(A, address, mallory, freshNonce())).toBe('signature')
  })

  it('get the last nonce of a chain, or the greatest of all without a chain (threat 63)', async () => {
    const address = await wallets(alice, mallory)
    expect([await lastOf(address), await lastOf(address, A)]).toEqual(['1', '1'])
    await tokenOn(A, address, alice, '1000')
    await tokenOn(B, address, mallory, '2000')
    expect([await lastOf(address, A), await lastOf(address, B), await lastOf(address)]).toEqual([
      '1000',
      '2000',
      '2000',
    ])
    expect(await lastOf(address, 5)).toBe('1')
  })

  it('accept a signature that names no chain once in total when they have the same owner (threat 63)', async () => {
    const address = await wallets(alice, alice)
    const nonce = freshNonce()
    expect(await tokenOn(A, address, alice, nonce)).toBe('passes')
    expect(await tokenOn(B, address, alice, nonce)).toBe('nonce')
    expect(await tokenOn(B, address, alice, freshNonce())).toBe('passes')
    const next = freshNonce()
    const both = [A, B].map((chainId) => tokenOn(chainId, address, alice, next))
    expect((await Promise.all(both)).filter((verdict) => verdict === 'passes').length).toBeLessThanOrEqual(1)
  })

  it('accept no such signature while the other chain cannot be asked (threat 63)', async () => {
    const address = await wallets(alice, mallory)
    const nonce = freshNonce()
    proxy.down = true
    expect(await tokenOn(A, address, alice, nonce)).toBe('502 CHAIN_UNAVAILABLE')
    proxy.down = false
    await expect.poll(() => tokenOn(A, address, alice, nonce), { timeout: 60_000 }).toBe('passes')
  })

  it('upload with a token that names their chain, and are another publisher on each', async () => {
    const address = await wallets(alice, mallory)
    const [onA, onB] = [await tokenFor(A, address, alice), await tokenFor(B, address, mallory)]
    const begun = await beginUpload(onA)
    expect([begun.status, (await beginUpload(onB)).status]).toEqual([201, 201])
    const url = new URL(begun.headers.get('location') as string, base).href
    const part = { 'upload-offset': '0' }
    expect((await tus(url, 'PATCH', { ...onB, ...part }, Buffer.from('tide'))).json.code).toBe('UPLOAD_NOT_FOUND')
    expect((await tus(url, 'PATCH', { ...onA, ...part }, Buffer.from('tide'))).status).toBe(204)
    expect((await ask(url, { headers: { ...onA, address, chainId: `${A}` } })).json.offset).toBe(4)
    for (const wrong of [B, 5]) {
      const refused = await ask(url, { headers: { ...onA, chainId: `${wrong}` } })
      expect(refused.json).toMatchObject({ code: 'TOKEN_INVALID', error: expect.stringContaining('another chain') })
    }
    const ofAnother = await ask(url, { headers: { ...onA, address: alice.address } })
    expect(ofAnother.json.code).toBe('TOKEN_INVALID')
  })

  it('must name their chain where they sign an upload; an account need not', async () => {
    const address = await wallets(alice, mallory)
    const account = newWallet()
    const signed = async (as: string, more: Record<string, string> = {}, signer = alice) => {
      const nonce = freshNonce()
      return beginUpload({ address: as, nonce, signature: await signText(signer, `${as}${nonce}upload`), ...more })
    }
    expect((await signed(account.address, {}, account)).status).toBe(201)
    expect((await signed(account.address, { chainId: '5' }, account)).status).toBe(201)
    expect((await signed(address)).json.errors).toEqual({
      signature: [expect.any(String)],
      chainId: [expect.stringContaining('is required if the address is a contract wallet')],
    })
    expect((await signed(address, { chainId: '5' })).json.errors).toMatchObject({
      chainId: [expect.stringContaining('must be a chain that this provider serves')],
    })
    expect((await signed(address, { chainId: `${A}` })).status).toBe(201)
    expect(Object.keys((await signed(address, { chainId: `${B}` })).json.errors as object)).toEqual(['signature'])
  })

  it('never accept a nonce below one that was shared by all chains before (threat 63)', async () => {
    const address = await wallets(alice, mallory)
    const used = freshNonce()
    // as earlier versions stored it
    const { nonces } = app.context.store
    expect(await nonces.consume(address as `0x${string}`, parseNonce(used, 10n ** 39n).sortKey)).toBe(true)
    expect(await lastOf(address, A)).toBe(used)
    for (const [chainId, owner] of [
      [A, alice],
      [B, mallory],
    ] as const) {
      expect(await tokenOn(chainId, address, owner, used)).toBe('nonce')
      expect(await tokenOn(chainId, address, owner, freshNonce())).toBe('passes')
    }
    expect(await nonces.last(alice.address as `0x${string}`)).toBeUndefined()
  })
})
