import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/helpers/backends.js'
import { program } from '../../../test/helpers/command.js'
import { runHere } from '../../../test/helpers/command-here.js'
import { preparedState, startDevHere } from '../../../test/helpers/dev.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { ask } from '../../../test/helpers/requests.js'
import { World } from '../../../test/helpers/world.js'
import { DEV_MNEMONIC } from '../src/anvil.js'
import type { NetworkInfo } from '../src/network.js'

const require = createRequire(import.meta.url)
const TOKEN = ['function balanceOf(address) view returns (uint256)', 'function decimals() view returns (uint8)']

describe('the local network', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })

  it('has the accounts of its mnemonic, in order', () => {
    const root = ethers.utils.HDNode.fromMnemonic(DEV_MNEMONIC).derivePath("m/44'/60'/0'/0")
    const derived = Array.from({ length: 10 }, (_, at) => root.derivePath(String(at)))
    expect(world.network.accounts).toEqual(derived.map(({ address, privateKey }) => ({ address, privateKey })))
  })

  it('gives every account at least a thousand OCEAN, DAI and USDC', async () => {
    const { accounts, addresses } = world.network
    expect(new Set(accounts.map(({ address }) => address)).size).toBe(10)
    for (const token of [addresses.Ocean, addresses.MockDAI, addresses.MockUSDC]) {
      const contract = new ethers.Contract(token, TOKEN, world.provider)
      const least = ethers.utils.parseUnits('1000', await contract.decimals?.())
      for (const { address } of accounts) expect(least.lte(await contract.balanceOf?.(address)), address).toBe(true)
    }
  })

  it.each([
    '@oceanprotocol/lib',
    'ocean-lib-4',
    'ocean-lib-8',
  ])('has every contract that the configuration helper of %s reads from the address file', async (library) => {
    const before = process.env.ADDRESS_FILE
    process.env.ADDRESS_FILE = world.local.addressFile
    const { ConfigHelper } = require(library)
    const config = new ConfigHelper().getConfig('development') as Record<string, unknown>
    if (before === undefined) delete process.env.ADDRESS_FILE
    else process.env.ADDRESS_FILE = before
    const { addresses } = world.network
    const written = JSON.parse(readFileSync(world.local.addressFile, 'utf8')).development
    expect(written).toEqual(addresses)
    const expected: Record<string, unknown> = {
      chainId: 8996,
      startBlock: 0,
      nftFactoryAddress: addresses.ERC721Factory,
      fixedRateExchangeAddress: addresses.FixedPrice,
      dispenserAddress: addresses.Dispenser,
      opfCommunityFeeCollector: addresses.OPFCommunityFeeCollector,
      oceanTokenAddress: addresses.Ocean,
      routerFactoryAddress: addresses.Router,
      accessListFactory: addresses.AccessListFactory,
      ...(library === '@oceanprotocol/lib' ? {} : { EnterpriseFeeCollector: addresses.EnterpriseFeeCollector }),
      ...(library === 'ocean-lib-8' ? { escrow: addresses.Escrow } : {}),
    }
    expect(config).toMatchObject(expected)
    for (const address of Object.values(expected).filter((value) => typeof value === 'string'))
      expect((await world.provider.getCode(address as string)).length, address as string).toBeGreaterThan(1000)
  })

  it('knows all datatoken templates of the address file', async () => {
    const { ERC721Factory, ERC20Template } = world.network.addresses
    const abi = ['function getTokenTemplate(uint256) view returns (address templateAddress, bool isActive)']
    const factory = new ethers.Contract(ERC721Factory, abi, world.provider)
    for (const [index, address] of Object.entries(ERC20Template)) {
      const [templateAddress, isActive] = (await factory.getTokenTemplate?.(index)) as unknown[]
      expect([templateAddress, isActive], index).toEqual([address, true])
    }
  })
})

describe('tidegate dev --block-time', () => {
  it('mines at an interval, so that ethers 6 can send two transactions in a row', async () => {
    const dev = await startDevHere(['--block-time', '1'])

    const six = createRequire(require.resolve('ocean-lib-8'))('ethers') as typeof import('ethers')['ethers'] & {
      JsonRpcProvider: new (url: string) => { getBlockNumber(): Promise<number> }
    }
    const provider = new six.JsonRpcProvider(dev.facts.rpcUrl)
    const key = dev.facts.accounts[3]?.privateKey as string
    const wallet = new six.Wallet(key, provider as never)
    const send = () => wallet.sendTransaction({ to: wallet.address, value: 1 })
    // blocks are mined although nothing is sent
    const head = await provider.getBlockNumber()
    await eventually(async () => (await provider.getBlockNumber()) >= head + 2)
    const first = await send()
    await first.wait()
    const second = await send()
    await second.wait()
    expect(second.nonce).toBe(first.nonce + 1)
  })

  it.each(['0', '1.5'])('refuses %s', async (blockTime) => {
    const { status, stderr } = await runHere(['dev', '--block-time', blockTime], {})
    expect([status, stderr]).toEqual([2, expect.stringContaining('whole number of seconds')])
  })
})

describe('tidegate dev in an environment with settings', () => {
  /** Starts it without a --port option for the service, on contracts that are there. Returns its address, and the status of its console. */
  async function started(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<{ url: URL; console: number }> {
    const given = [...program(), 'dev', '--json', '--rpc-port', '0', ...preparedState(), ...args]
    const child = spawn(process.execPath, given, { env: { ...process.env, ...environment } })
    const exited = once(child, 'exit')
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const read = JSON.parse(line) as NetworkInfo
    expect((await ask(read.providerUrl)).json.chainIds).toEqual([8996])
    const { status } = await ask(`${read.providerUrl}/console/`)
    child.kill('SIGTERM')
    await exited
    return { url: new URL(read.providerUrl), console: status }
  }

  it('listens at its HOST and PORT, unless --port says otherwise, and has a console unless it is turned off', async () => {
    const port = String(await freePort())
    const own = await started({ PORT: port, HOST: '127.0.0.2', CONSOLE: 'false' })
    expect([own.url.host, own.console]).toEqual([`127.0.0.2:${port}`, 404])
    const other = await started({ PORT: port }, '--port', '0')
    expect(other.url.port).not.toBe(port)
    expect(other.console).toBe(200)
  })
})
