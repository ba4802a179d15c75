import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers, type Wallet } from 'ethers'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainWithContracts } from '../../../../test/helpers/chain.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { answering, ENDLESS, placed, zeros } from '../../../../test/helpers/raw-contracts.js'
import { ask, askJson, downloadUrl, freshNonce, served, signText } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import type { Anvil } from '../../../dev-network/src/anvil.js'
import { AccessLists } from '../../src/access/rules/access-lists.js'
import { type App, createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'
import { AccessListContract } from './access-list.js'

const OTHER = 8997

/** Credentials that name access lists, with the real contract. */
describe('access lists', () => {
  const folder = newFolder()
  let world: World
  let proxy: RpcProxy
  let owner: Wallet
  let member: Wallet
  let stranger: Wallet
  let list: AccessListContract
  let url: string
  /** Contracts that were called through the proxy, in lower case. */
  const called: string[] = []

  beforeAll(async () => {
    const started = await World.behindProxy({ RPC_TIMEOUT: '20000', INDEX_POLL_INTERVAL: '50' })
    world = started.world
    proxy = started.proxy
    proxy.refuse = (method, params) => {
      if (method === 'eth_call') called.push(String((params[0] as { to?: string }).to).toLowerCase())
      return undefined
    }
    owner = await world.somebody()
    member = await world.somebody()
    stranger = await world.somebody()
    list = await newList(member.address)
    url = world.storage.file('/a.csv', Buffer.from('tide'))
  })

  const newList = (...members: string[]) =>
    AccessListContract.deployed(world.network.addresses.AccessListFactory, owner, members)
  const entry = (address: string, chainId?: number) => ({
    type: 'accessList',
    accessList: address,
    ...(chainId === undefined ? {} : { chainId }),
  })
  const withCredentials = (credentials: object, at: 'asset' | 'service' = 'asset') =>
    world.publishUrl(url, {
      adjust: (ddo) => void Object.assign(at === 'asset' ? ddo : (ddo.services[0] as object), { credentials }),
    })
  /** The result of asking for a quote: its status, or the error code of its refusal. */
  async function quoted(asset: Published, by: { address: string }, base = world.network.providerUrl) {
    const query = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: by.address }
    const { status, json } = await ask(`${base}/api/services/initialize?${new URLSearchParams(query)}`)
    return json.code === undefined ? status : `${status} ${json.code}`
  }
  const DENIED = '403 CREDENTIALS_DENIED'
  const verdicts = async (asset: Published) => [await quoted(asset, member), await quoted(asset, stranger)]

  it('admit only their members, to an asset and to a service', async () => {
    for (const at of ['asset', 'service'] as const) {
      const asset = await withCredentials({ allow: [entry(list.address.toLowerCase())] }, at)
      expect(await verdicts(asset), at).toEqual([200, DENIED])
    }
    const named = await withCredentials({ allow: [entry(list.address, world.network.chainId)] })
    expect(await verdicts(named)).toEqual([200, DENIED])
  })

  it('deny access to their members', async () => {
    const asset = await withCredentials({ allow: [], deny: [{ ...entry(list.address), type: 'AccessList' }] })
    expect(await verdicts(asset)).toEqual([DENIED, 200])
  })

  it('are combined with other credentials by match_allow and match_deny', async () => {
    const second = await newList(member.address, stranger.address)
    const both = [entry(list.address), entry(second.address)]
    expect(await verdicts(await withCredentials({ allow: both }))).toEqual([200, 200])
    expect(await verdicts(await withCredentials({ allow: both, match_allow: 'all' }))).toEqual([200, DENIED])
    expect(await verdicts(await withCredentials({ deny: both }))).toEqual([DENIED, DENIED])
    expect(await verdicts(await withCredentials({ deny: both, match_deny: 'all' }))).toEqual([DENIED, 200])
  })

  it('are checked again at download; changes of membership take effect within a poll interval', async () => {
    const open = await newList()
    const asset = await withCredentials({ allow: [entry(open.address)] })
    const buyer = await world.somebody()
    expect(await quoted(asset, buyer)).toBe(DENIED)
    await open.mint(buyer.address)
    await eventually(async () => (await quoted(asset, buyer)) === 200)
    const txId = await world.order(asset, buyer)
    const download = async () => (await ask(await downloadUrl(world.network.providerUrl, asset, txId, buyer))).text
    expect(await download()).toBe('tide')
    await open.burn(buyer)
    await eventually(async () => (await download()).includes('CREDENTIALS_DENIED'))
    expect(await quoted(asset, buyer)).toBe(DENIED)
  })

  it('are not queried when an address entry already decides', async () => {
    const mine = { type: 'address', values: [member.address] }
    const asset = await withCredentials({ allow: [entry(list.address), mine], deny: [] })
    called.length = 0
    expect(await quoted(asset, member)).toBe(200)
    expect(called).not.toContain(list.address.toLowerCase())
    // control: they are queried if none does
    expect(await quoted(asset, stranger)).toBe(DENIED)
    expect(called).toContain(list.address.toLowerCase())
  })

  it('are queried once per cache lifetime, even by concurrent requests', async () => {
    const lists = new AccessLists(world.local.app.context.chains, 60_000)
    const one = { chainId: world.network.chainId, list: list.address as Address }
    called.length = 0
    const answers = () => Promise.all(Array.from({ length: 20 }, () => lists.has(one, member.address as Address)))
    expect(new Set(await answers())).toEqual(new Set([true]))
    expect(new Set(await answers())).toEqual(new Set([true]))
    expect(called.filter((to) => to === list.address.toLowerCase())).toHaveLength(1)
    expect(await lists.has(one, stranger.address as Address)).toBe(false)
  })

  it('that fail, hang or return something else allow nobody, and where they deny make the request fail (threat 36)', async () => {
    const put = (code: `0x${string}`) => placed((method, params) => world.rpc(method, params), code)
    const hostile = {
      'no contract': await put('0x'),
      reverts: await put(zeros(0, true)),
      'reverts with a megabyte': await put(zeros(1_000_000, true)),
      endless: await put(ENDLESS),
      'answers nothing': await put(zeros(0)),
      'answers a megabyte': await put(answering(`0x${'01'.repeat(20_000)}`)),
      'answers half a word': await put(answering(`0x${'01'.repeat(16)}`)),
    }
    for (const [name, address] of Object.entries(hostile)) {
      const allowing = await withCredentials({ allow: [entry(address)] })
      expect(await quoted(allowing, member), name).toBe(DENIED)
      const denying = await withCredentials({ deny: [entry(address)] })
      expect(await quoted(denying, member), name).toBe('502 CREDENTIALS_UNAVAILABLE')
    }
    // a working list beside them still decides
    const beside = await withCredentials({
      allow: [...Object.values(hostile).map((one) => entry(one)), entry(list.address)],
    })
    expect(await verdicts(beside)).toEqual([200, DENIED])
    expect(await verdicts(await withCredentials({ deny: [entry(hostile.endless), entry(list.address)] }))).toEqual([
      DENIED,
      '502 CREDENTIALS_UNAVAILABLE',
    ])
  })

  it('make the request fail when no node of their chain answers, instead of allowing or denying', async () => {
    const allowing = await withCredentials({ allow: [entry(list.address)] })
    const denying = await withCredentials({ deny: [entry(list.address)] })
    const mine = { type: 'address', values: [member.address] }
    const either = await withCredentials({ allow: [entry(list.address), mine] })
    const fresh = newWallet()
    const before = proxy.refuse
    // only access lists are affected: the index keeps its node
    const isList = (params: unknown[]) =>
      (params[0] as { to?: string }).to?.toLowerCase() === list.address.toLowerCase()
    proxy.refuse = (method, params) => (method === 'eth_call' && isList(params) ? { status: 502 } : undefined)
    try {
      expect(await quoted(either, member)).toBe(200)
      expect(await quoted(allowing, fresh)).toBe('502 CHAIN_UNAVAILABLE')
      // the only node rests meanwhile, for which quotes of any asset may be refused
      expect(await quoted(denying, fresh)).toMatch(/^502 CHAIN_UNAVAILABLE$|^503 CANNOT_DELIVER$/)
    } finally {
      proxy.refuse = before
    }
    // the failure of the nodes is not cached
    await eventually(async () => (await quoted(allowing, fresh)) === DENIED)
    await eventually(async () => (await quoted(denying, fresh)) === 200)
  })

  describe('access lists on another chain', () => {
    let anvil: Anvil
    let app: App
    let base: string
    let elsewhere: AccessListContract
    beforeAll(async () => {
      const chain = await chainWithContracts(OTHER)
      anvil = chain.anvil
      const other = chain.addresses
      const addressFile = join(folder, 'address.json')
      const { development } = JSON.parse(readFileSync(world.local.addressFile, 'utf8'))
      writeFileSync(addressFile, JSON.stringify({ development, other }))
      const provider = new ethers.providers.StaticJsonRpcProvider(anvil.rpcUrl)
      provider.pollingInterval = 20
      elsewhere = await AccessListContract.deployed(other.AccessListFactory, provider.getSigner(0), [stranger.address])
      // the first list of each factory: the same address, but other members
      expect(elsewhere.address).toBe(list.address)
      const { chainId, rpcUrl } = world.network
      app = await createApp(
        loadSettings(
          world.beside({
            NETWORK_URL: JSON.stringify({ [chainId]: rpcUrl, [OTHER]: anvil.rpcUrl }),
            ADDRESS_FILE: addressFile,
            STATE_DIR: join(folder, 'state'),
          }),
        ),
      )
      base = await app.listen()
    })
    afterAll(async () => {
      await app?.close()
      await anvil?.stop()
    })

    it('are used if that chain is served, and otherwise count as unanswered', async () => {
      const allowing = await withCredentials({ allow: [entry(elsewhere.address, OTHER)] })
      const denying = await withCredentials({ deny: [entry(elsewhere.address, OTHER)] })
      await served(base, denying)
      expect([await quoted(allowing, stranger, base), await quoted(allowing, member, base)]).toEqual([200, DENIED])
      expect([await quoted(denying, stranger, base), await quoted(denying, member, base)]).toEqual([DENIED, 200])
      expect(await verdicts(allowing)).toEqual([DENIED, DENIED])
      expect(new Set(await verdicts(denying))).toEqual(new Set(['502 CREDENTIALS_UNAVAILABLE']))
      // an entry without a chain means the chain of the asset
      expect(await verdicts(await withCredentials({ allow: [entry(elsewhere.address)] }))).toEqual([200, DENIED])
    })
  })

  it('may name decrypters, in AUTHORIZED_DECRYPTERS_LIST beside AUTHORIZED_DECRYPTERS', async () => {
    const readers = await newList(member.address)
    const named = newWallet()
    const onOther = { [OTHER]: [list.address] }
    const environment = world.beside({
      AUTHORIZED_DECRYPTERS: named.address,
      AUTHORIZED_DECRYPTERS_LIST: JSON.stringify({ [world.network.chainId]: [readers.address], ...onOther }),
      STATE_DIR: join(folder, 'readers'),
    })
    const asset = await world.publishUrl(url)
    const app = await createApp(loadSettings(environment))
    try {
      const base = await app.listen()
      const document = `${base}/api/aquarius/assets/ddo/${asset.did}`
      await eventually(async () => (await ask(document)).status === 403)
      const reads = async (by: ethers.Wallet) => {
        const nonce = freshNonce()
        const signature = await signText(by, `${by.address}${nonce}decryptDDO`)
        const query = new URLSearchParams({ decrypterAddress: by.address, nonce, signature })
        const { status, json } = await ask(`${document}?${query}`)
        return json.code ?? status
      }
      const decrypts = async (by: ethers.Wallet) => {
        const nonce = freshNonce()
        const { chainId } = world.network
        const signature = await signText(by, `${asset.txId}${by.address}${chainId}${nonce}`)
        const asked = { decrypterAddress: by.address, chainId, dataNftAddress: asset.nft, transactionId: asset.txId }
        const { status, json } = await askJson(`${base}/api/services/decrypt`, { ...asked, nonce, signature })
        return status === 201 ? status : json.code
      }
      for (const by of [named, member]) expect([await reads(by), await decrypts(by)]).toEqual([200, 201])
      expect([await reads(stranger), await decrypts(stranger)]).toEqual(['DECRYPTER_DENIED', 'DECRYPTER_DENIED'])
      await readers.mint(stranger.address)
      await eventually(async () => (await reads(stranger)) === 200)
      expect(await decrypts(stranger)).toBe(201)
      await readers.burn(stranger)
      await eventually(async () => (await decrypts(stranger)) === 'DECRYPTER_DENIED')
    } finally {
      await app.close()
    }
  })
})

describe('AUTHORIZED_DECRYPTERS_LIST', () => {
  const LIST = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
  const parsed = (AUTHORIZED_DECRYPTERS_LIST: string) =>
    loadSettings({
      NETWORK_URL: 'http://127.0.0.1:1',
      PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      AUTHORIZED_DECRYPTERS_LIST,
    }).AUTHORIZED_DECRYPTERS_LIST?.byChain

  it('lists contracts per chain', () => {
    const lists = parsed(`{"1":["${LIST.toLowerCase()}","${LIST}"],"8996":"${LIST}"}`)
    expect([...(lists ?? [])]).toEqual([
      [1, [LIST, LIST]],
      [8996, [LIST]],
    ])
  })
  it.each([
    LIST,
    `["${LIST}"]`,
    '{}',
    '{"x":["0x"]}',
    '{"1":["0x12"]}',
    `{"1":{"a":"${LIST}"}}`,
    '{"1":[7]}',
  ])('refuses %s', (raw) => {
    expect(() => parsed(raw)).toThrow('AUTHORIZED_DECRYPTERS_LIST')
  })
})
