import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Wallet } from 'ethers'
import type { Hex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { placed } from '../../../../test/helpers/raw-contracts.js'
import { ask, askJson } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { type App, createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'
import { AccessListContract } from './access-list.js'

/** Code that answers `totalSupply` with 5 and reverts otherwise, as a token without a list of its holders. */
const COUNTING: Hex = '0x60003560e01c6318160ddd1460145760006000fd5b600560005260206000f3'

/** AUTHORIZED_PUBLISHERS_LIST, with the real contract of access lists (threat 103). */
describe('AUTHORIZED_PUBLISHERS_LIST', () => {
  const folder = newFolder()
  let world: World
  let operator: Wallet
  /** An account and its asset. */
  let [named, member, stranger]: { account: Wallet; did: string }[] = []

  beforeAll(async () => {
    world = await World.start()
    operator = await world.somebody()
    ;[named, member, stranger] = await Promise.all([publisher(), publisher(), publisher()])
  })

  async function publisher() {
    const account = await world.somebody()
    const url = world.storage.file(`/${account.address}.csv`, Buffer.from('tide'))
    return { account, did: (await world.publishUrl(url, { publisher: account })).did }
  }
  const environment = (name: string, lists: Record<number, string[]>, extra: Record<string, string> = {}) =>
    world.beside({
      ...{ AUTHORIZED_PUBLISHERS_LIST: JSON.stringify(lists), INDEX_POLL_INTERVAL: '50' },
      ...{ STATE_DIR: join(folder, name), ...extra },
    })
  const newList = (members: string[]) =>
    AccessListContract.deployed(world.network.addresses.AccessListFactory, operator, members)
  const didsOf = (...of: ({ did: string } | undefined)[]) => of.map((one) => one?.did).sort()
  const found = async (base: string) => {
    const { status, json } = await askJson(`${base}/api/aquarius/assets/metadata/query`, {})
    return status === 200 ? (json as unknown as { id: string }[]).map(({ id }) => id).sort() : json.code
  }
  const served = async (base: string, of: { did: string } | undefined) =>
    (await ask(`${base}/api/aquarius/assets/ddo/${of?.did}`)).status
  async function withService(settings: Record<string, string>, use: (base: string, app: App) => Promise<void>) {
    const app = await createApp(loadSettings(settings))
    try {
      await use(await app.listen(), app)
    } finally {
      await app.close()
    }
  }

  it('finds and serves the assets of members, and follows the list', async () => {
    const account = (of: { account: Wallet } | undefined) => (of as { account: Wallet }).account
    const list = await newList([account(member).address])
    const settings = environment(
      'members',
      { [world.network.chainId]: [list.address], 8997: [list.address] },
      { AUTHORIZED_PUBLISHERS: account(named).address },
    )
    await withService(settings, async (base) => {
      await eventually(async () => isDeepStrictEqual(await found(base), didsOf(named, member)))
      expect([await served(base, member), await served(base, named), await served(base, stranger)]).toEqual([
        200, 200, 404,
      ])
      await list.mint(account(stranger).address)
      await eventually(async () => isDeepStrictEqual(await found(base), didsOf(named, member, stranger)))
      expect(await served(base, stranger)).toBe(200)
      await list.burn(account(member))
      await eventually(async () => isDeepStrictEqual(await found(base), didsOf(named, stranger)))
      expect(await served(base, member)).toBe(404)
      // burnt and minted between two looks: as many tokens as before
      await list.burn(account(stranger))
      await list.mint(account(member).address)
      await eventually(async () => isDeepStrictEqual(await found(base), didsOf(named, member)))
    })
    const { stdout } = await runHere(['doctor'], settings)
    expect(stdout).toContain(`ok    chain ${world.network.chainId}: access list ${list.address} has 1 publisher(s)`)
    expect(stdout).toContain(`FAIL  chain 8997: access list ${list.address} is on a chain that is not served`)
  })

  it('keeps assets hidden while a list cannot be read, and says so', async () => {
    const list = await newList([])
    const { chainId, addresses } = world.network
    // counts five tokens, and lists none
    const counting = await placed((method, params) => world.rpc(method, params), COUNTING)
    const settings = environment('wrong', {
      [chainId]: [list.address, addresses.ERC721Factory, newWallet().address, counting],
    })
    await withService(settings, async (base) => {
      await eventually(async () => (await ask(`${base}/ready`)).status === 200)
      expect(await found(base)).toBe('CHAIN_UNAVAILABLE')
      expect(await served(base, member)).toBe(502)
    })
    const { status, stdout } = await runHere(['doctor'], settings)
    const problem = 'is no contract that lists its tokens (ERC-721 Enumerable)'
    for (const wrong of [addresses.ERC721Factory, counting])
      expect(stdout).toContain(`FAIL  chain ${chainId}: access list ${wrong} ${problem}`)
    expect(stdout).toContain(`ok    chain ${chainId}: access list ${list.address} has 0 publisher(s)`)
    expect(status).toBe(1)
  })
})
