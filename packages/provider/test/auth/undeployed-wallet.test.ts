import { ethers, type Wallet } from 'ethers'
import {
  type Address,
  concatHex,
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  type PublicClient,
  pad,
  serializeErc6492Signature,
  stringToHex,
} from 'viem'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { compiled, deployed } from '../../../../test/helpers/contracts.js'
import { ask, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'

const SUFFIX: Hex = `0x${'6492'.repeat(16)}`
const MOODS = ['Honest', 'SaysYes', 'SaysOne']
const WALLET = compiled('Wallet')

/** Wallets whose address is known before they are deployed. The factory is on the chain, and viem wraps their signatures. */
describe('contract wallets that are not deployed (ERC-6492)', () => {
  let world: World
  let proxy: RpcProxy
  let chain: PublicClient
  let factory: Address
  let owner: Wallet
  let salt: Hex
  let wallet: Address
  let base: string

  beforeAll(async () => {
    ;({ world, proxy } = await World.behindProxy())
    base = `${world.network.providerUrl}/api/services`
    chain = createPublicClient({ transport: http(world.network.rpcUrl) })
    factory = await deployed(world.network.rpcUrl, 'Factory')
    owner = await world.somebody()
  })

  let wallets = 0
  beforeEach(() => {
    salt = pad(`0x${(++wallets).toString(16)}`, { size: 32 })
    const bytecode = encodeDeployData({ ...WALLET, args: [owner.address] } as never)
    wallet = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode })
  })

  const onFactory = (functionName: string, args: unknown[] = []) =>
    encodeFunctionData({ abi: compiled('Factory').abi, functionName, args })
  const deployment = () => onFactory('deploy', [owner.address, salt])
  const deploy = async () => mined(owner.sendTransaction({ to: factory, data: deployment() }))
  const become = (mood: string) =>
    encodeFunctionData({ abi: WALLET.abi, functionName: 'become', args: [MOODS.indexOf(mood)] })
  const wrap = (signature: string, address = factory, data = deployment()) =>
    serializeErc6492Signature({ address, data, signature: signature as Hex })

  /** Asks for a token with a signature that `signed` makes from the text. */
  async function token(signed: (text: string) => Promise<string> | string, address: string = wallet) {
    const nonce = freshNonce()
    const signature = await signed(address + nonce)
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    return ask(`${base}/createAuthToken?${new URLSearchParams({ address, nonce, signature, expiration })}`)
  }
  const refused = { status: 400, json: { errors: { signature: [expect.stringContaining('Invalid signature')] } } }

  it('create a token and download, as viem verifies them, and stay undeployed', async () => {
    const text = 'tide'
    const signature = wrap(await signText(owner, text))
    const raw = keccak256(stringToHex(text))
    expect(await chain.verifyMessage({ address: wallet, message: { raw }, signature })).toBe(true)

    const made = await token(async (text) => wrap(await signText(owner, text)))
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))
    const txId = await world.order(asset, owner, wallet)
    const params = async (changed: Record<string, string | undefined>) =>
      downloadParams(asset, txId, owner, { consumerAddress: wallet, ...changed })
    const bare = await params({ signature: undefined, nonce: undefined })
    const headers = { AuthToken: made.json.token as string }
    expect((await ask(`${base}/download?${bare}`, { headers })).text).toBe('tide')

    const nonce = freshNonce()
    const signed = await params({ nonce, signature: wrap(await signText(owner, asset.did + nonce)) })
    expect((await ask(`${base}/download?${signed}`)).text).toBe('tide')
    expect((await ask(`${base}/download?${signed}`)).json.errors).toHaveProperty('nonce')
    expect(await chain.getCode({ address: wallet })).toBeUndefined()
  })

  it('are verified by one call for each text that a route accepts (threat 31)', async () => {
    proxy.calls = []
    expect(await token(async (text) => wrap(await signText(owner, `${text}0`)))).toMatchObject(refused)
    expect(proxy.calls.filter((method) => method === 'eth_call').length).toBeLessThanOrEqual(3)
    expect(proxy.calls).not.toContain('eth_sendRawTransaction')
  })

  it('may be deployed when the signature comes, though the factory then fails', async () => {
    const early = async (text: string) => wrap(await signText(owner, text))
    await deploy()
    expect((await token(early)).json).toHaveProperty('token')
    expect(await token(async (text) => wrap(await signText(await world.somebody(), text)))).toMatchObject(refused)
  })

  it('may be deployed and need a preparation first, which stays a simulation', async () => {
    await deploy()
    const deployedWallet = new ethers.Contract(wallet, WALLET.abi as never, owner)
    await mined(deployedWallet.become?.(MOODS.indexOf('SaysOne')) as Promise<unknown>)
    const bySignature = async (text: string) => signText(owner, text)
    expect(await token(async (text) => wrap(await bySignature(text)))).toMatchObject(refused)
    const prepared = async (text: string) => wrap(await bySignature(text), wallet, become('Honest'))
    expect((await token(prepared)).json).toHaveProperty('token')
    expect(await deployedWallet.mood?.()).toBe(MOODS.indexOf('SaysOne'))
  })

  it('are accepted only if factory and wallet accept the signature (threat 31)', async () => {
    const stranger = await world.somebody()
    const bad: Record<string, (text: string) => Promise<string>> = {
      'of another owner': async (text) => wrap(await signText(stranger, text)),
      'of another text': async (text) => wrap(await signText(owner, `${text}0`)),
      'of another wallet': async (text) =>
        wrap(await signText(stranger, text), factory, onFactory('deploy', [stranger.address, salt])),
      'without its factory': async (text) => wrap(await signText(owner, text), stranger.address as Address),
      'with a factory that reverts': async (text) => wrap(await signText(owner, text), factory, '0x12345678'),
      'with a factory that burns gas': async (text) => wrap(await signText(owner, text), factory, onFactory('burn')),
      'with a factory that floods': async (text) => wrap(await signText(owner, text), factory, onFactory('flood')),
      'without the wrapper': (text) => signText(owner, text),
      'with the suffix alone': async () => SUFFIX,
      'with an offset outside': async () => concatHex([`0x${'ff'.repeat(96)}`, SUFFIX]),
      'with the suffix behind a bare signature': async (text) =>
        concatHex([(await signText(owner, text)) as Hex, SUFFIX]),
    }
    for (const [what, signed] of Object.entries(bad)) expect(await token(signed), what).toMatchObject(refused)
    // accounts have no code: a wrapped signature is that of a contract
    expect(await token(async (text) => wrap(await signText(owner, text)), owner.address)).toMatchObject(refused)
  })

  it('may have signatures of up to 8,192 bytes with the wrapper (threat 63)', async () => {
    const ofLength = (bytes: number) => async (text: string) => {
      const signature = await signText(owner, text)
      const rest = (bytes * 2 + 2 - wrap(signature).length) / 2
      return wrap(signature, factory, concatHex([deployment(), `0x${'00'.repeat(rest)}`]))
    }
    expect((await token(ofLength(8192))).json).toHaveProperty('token')
    expect((await token(ofLength(8224))).json.errors).toHaveProperty('signature')
  })
})
