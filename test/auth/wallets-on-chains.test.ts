import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ethers } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, createApp } from '../../src/app.js'
import { parseNonce } from '../../src/auth/nonce.js'
import { loadSettings } from '../../src/config/load.js'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '../../src/dev/anvil.js'
import { deployContracts } from '../../src/dev/deploy.js'
import { deployed } from '../helpers/contracts.js'
import { ask, freshNonce, signText } from '../helpers/requests.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'

const A = DEV_CHAIN_ID
const B = 8997

/** Contract wallets with one and the same address on two chains that one service serves. */
describe('contract wallets on several chains', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  let anvils: Record<number, Anvil>
  let proxy: RpcProxy
  let app: App
  let base: string
  const alice = ethers.Wallet.createRandom()
  const mallory = ethers.Wallet.createRandom()

  beforeAll(async () => {
    const [first, second] = await Promise.all([startAnvil({ port: 0 }), startAnvil({ port: 0, chainId: B })])
    anvils = { [A]: first, [B]: second }
    proxy = await RpcProxy.before(second.rpcUrl)
    const [development, other] = await Promise.all([first, second].map(({ rpcUrl }) => deployContracts(rpcUrl)))
    writeFileSync(join(folder, 'address.json'), JSON.stringify({ development, other: { ...other, chainId: B } }))
    app = await createApp(
      loadSettings({
        NETWORK_URL: JSON.stringify({ [A]: first.rpcUrl, [B]: proxy.url }),
        ADDRESS_FILE: join(folder, 'address.json'),
        PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
        STATE_DIR: folder,
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'silent',
        RPC_TIMEOUT: '1000',
      }),
    )
    base = `${await app.listen()}/api/services`
  })
  afterAll(async () => {
    await app.close()
    proxy.close()
    await Promise.all(Object.values(anvils).map((anvil) => anvil.stop()))
    rmSync(folder, { recursive: true })
  })

  /** A wallet at one new address: of one owner on the first chain, of another one on the second. */
  async function wallets(onA: ethers.Wallet, onB: ethers.Wallet): Promise<string> {
    const address = ethers.utils.getAddress(await deployed(anvils[A]?.rpcUrl as string, 'Wallet', [onA.address]))
    const twin = await deployed(anvils[B]?.rpcUrl as string, 'Wallet', [onB.address])
    const onSecond = new ethers.providers.StaticJsonRpcProvider(anvils[B]?.rpcUrl)
    await onSecond.send('anvil_setCode', [address, await onSecond.getCode(twin)])
    return address
  }
  /** Asks for a token on a chain, which is a text that names none. */
  async function tokenOn(chainId: number, address: string, signer: ethers.Wallet, nonce: string) {
    const signature = await signText(signer, address + nonce)
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    const query = new URLSearchParams({ address, chainId: `${chainId}`, nonce, signature, expiration })
    const { json, status } = await ask(`${base}/createAuthToken?${query}`)
    return 'token' in json ? 'passes' : Object.keys((json.errors as object) ?? { [`${status} ${json.code}`]: 1 })[0]
  }
  const lastOf = async (address: string, chainId?: number) => {
    const query = new URLSearchParams({ userAddress: address, ...(chainId ? { chainId: `${chainId}` } : {}) })
    return String((await ask(`${base}/nonce?${query}`)).json.nonce)
  }

  it('have nonces by chain: nobody uses up those of somebody else with the same address (threat 63)', async () => {
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

  it('are told the last nonce of a chain, and without one the last of all (threat 63)', async () => {
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

  it('of one owner take a signature once in all, where it names no chain (threat 63)', async () => {
    const address = await wallets(alice, alice)
    const nonce = freshNonce()
    expect(await tokenOn(A, address, alice, nonce)).toBe('passes')
    expect(await tokenOn(B, address, alice, nonce)).toBe('nonce')
    expect(await tokenOn(B, address, alice, freshNonce())).toBe('passes')
    const next = freshNonce()
    const both = [A, B].map((chainId) => tokenOn(chainId, address, alice, next))
    expect((await Promise.all(both)).filter((verdict) => verdict === 'passes').length).toBeLessThanOrEqual(1)
  })

  it('take none on one chain while the other cannot say whether it would take it too (threat 63)', async () => {
    const address = await wallets(alice, mallory)
    const nonce = freshNonce()
    proxy.down = true
    expect(await tokenOn(A, address, alice, nonce)).toBe('502 CHAIN_UNAVAILABLE')
    proxy.down = false
    await expect.poll(() => tokenOn(A, address, alice, nonce), { timeout: 20_000 }).toBe('passes')
  })

  it('never fall behind a nonce that they used when all chains shared one (threat 63)', async () => {
    const address = await wallets(alice, mallory)
    const used = freshNonce()
    // as earlier versions wrote it down
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
