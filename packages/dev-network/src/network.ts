import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rpcClient } from '@tidegate/chain'
import { assertOwnFolder, makeFolders, replaceFile } from '@tidegate/common/safe-files'
import { type App, createApp } from '@tidegate/provider'
import { loadSettings } from '@tidegate/provider/settings'
import { type Address, keccak256, numberToHex, parseEther, stringToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { DEV_CHAIN_ID, devAccounts, startAnvil } from './anvil.js'
import { type AddressEntry, DEV_NETWORK, deployContracts } from './deploy.js'
import type { NetworkInfo } from './info.js'
import { guardNode } from './node-guard.js'
import type { Seeded } from './seed/seed.js'

export type { NetworkInfo } from './info.js'

export interface LocalNetworkOptions {
  /** Port of the service; 0: any free one. Default: PORT of the environment, or the default of that setting. */
  port?: number | undefined
  /** Port of the chain; 0: any free one. */
  rpcPort: number
  /** Seconds between blocks. Default: a block for each transaction. */
  blockTime?: number | undefined
  /** Folder of chain and database. Default: a temporary folder, removed at the end. */
  stateDir?: string | undefined
  /** A `stateDir` of an earlier run to start with. It stays unchanged. */
  beginFrom?: string | undefined
  /** Publishes sample assets, unless the state has them. */
  seed?: boolean | undefined
  /** Another path for address.json. */
  addressFile?: string | undefined
  /** Host names that `tidegate dev` serves besides this machine. Undefined: serves everybody. */
  onlyHosts?: readonly string[] | undefined
  /** Settings of the service; they override the defaults of a local network. */
  environment: NodeJS.ProcessEnv
  /** Returns the RPC URLs for the service. `rpcUrl`: that of the chain. */
  nodes?: ((rpcUrl: string) => Promise<string[]>) | undefined
}

export interface LocalNetwork {
  facts: NetworkInfo
  addressFile: string
  app: App
  /** The sample assets, if requested. */
  seeded: Seeded | undefined
  /** Resolves when the chain has exited. */
  chainEnded: Promise<void>
  close(): Promise<void>
}

/** Number of the provider's account, unless PROVIDER_PRIVATE_KEY is set. Usual in Ocean's local networks. */
const PROVIDER_ACCOUNT = 8

/** The key of the account that orders for buyers. It is no account of the network, so that nobody else sends from it. */
const PURCHASING_KEY = keccak256(stringToHex('The purchasing account of a local network'))

/** Coins of the purchasing account at the start. */
const PURCHASING_COINS = '100'

/** Private networks except loopback: their files need ALLOW_NON_PUBLIC_IP. */
const PRIVATE_NETWORKS =
  '0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,169.254.0.0/16,172.16.0.0/12,192.168.0.0/16,198.18.0.0/15,fc00::/7,fe80::/10'

/** Starts a chain, deploys the contracts or uses those of an earlier run, and starts the service. */
export async function startLocalNetwork(options: LocalNetworkOptions): Promise<LocalNetwork> {
  const temporary = options.stateDir === undefined ? mkdtempSync(join(tmpdir(), 'tidegate-')) : undefined
  const folder = options.stateDir ?? (temporary as string)
  makeFolders(folder, 0o700)
  // others could redirect the files of chain and service with links in it
  assertOwnFolder(folder)
  const cleanUp: (() => unknown)[] = [() => temporary && rmSync(temporary, { recursive: true, force: true })]
  const close = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step()
  }
  try {
    const addressFile = join(folder, 'address.json')
    if (options.beginFrom !== undefined) copyFileSync(join(options.beginFrom, 'address.json'), addressFile)
    const chainFile = join(folder, 'chain.json')
    // on demand: the module creates its files when it is loaded
    const sample = options.seed ? await import('./seed/seed.js') : undefined
    // a new chain begins before the history of the sample data
    const isYoung = sample && options.beginFrom === undefined && !existsSync(chainFile)
    const { onlyHosts } = options
    const anvil = await startAnvil({
      port: options.rpcPort,
      isHidden: onlyHosts !== undefined,
      begins: isYoung ? Math.floor(Date.now() / 1000) - sample.SEED_AGE : undefined,
      stateFile: options.stateDir === undefined ? undefined : chainFile,
      loadFile: options.beginFrom === undefined ? undefined : join(options.beginFrom, 'chain.json'),
    })
    cleanUp.push(() => anvil.stop())
    const addresses = await findOrDeployContracts(anvil.rpcUrl, addressFile)
    if (options.addressFile) await writeAddresses(options.addressFile, addresses)
    await fundPurchases(anvil.rpcUrl)
    const nodes = (await options.nodes?.(anvil.rpcUrl)) ?? [anvil.rpcUrl]
    const accounts = devAccounts()
    const settings = loadSettings({
      HOST: '127.0.0.1',
      PROVIDER_PRIVATE_KEY: accounts[PROVIDER_ACCOUNT]?.privateKey,
      ALLOW_NON_PUBLIC_IP: 'true',
      ...(onlyHosts && options.environment.ALLOW_NON_PUBLIC_IP === undefined
        ? { STORAGE_DENIED_NETWORKS: PRIVATE_NETWORKS }
        : {}),
      INDEX_POLL_INTERVAL: '100',
      LOG_LEVEL: 'warn',
      STOP_TIMEOUT: '2000',
      PURCHASES: 'on',
      PURCHASE_PRIVATE_KEY: PURCHASING_KEY,
      PURCHASE_TOKENS: JSON.stringify({ [DEV_CHAIN_ID]: [addresses.MockUSDC] }),
      PURCHASE_GAS_FEE: '0.05',
      // blocks come with transactions
      PURCHASE_CONFIRMATIONS: '1',
      HOSTING: 'local',
      HOSTING_DIR: join(folder, 'files'),
      HOSTING_PUBLISHERS: '*',
      ...options.environment,
      ...(options.port === undefined ? {} : { PORT: String(options.port) }),
      NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: nodes }),
      ADDRESS_FILE: addressFile,
      STATE_DIR: folder,
    })
    const localOnly = onlyHosts && {
      hosts: onlyHosts.map((host) => host.toLowerCase()),
      origins: settings.CORS_ORIGINS ?? [],
    }
    const guard = localOnly && (await guardNode(anvil.rpcUrl, options.rpcPort, localOnly))
    if (guard) cleanUp.push(() => guard.close())
    const { rpcUrl } = guard ?? anvil
    const local = { chainId: DEV_CHAIN_ID, rpcUrl, accounts: accounts.map((one) => one.privateKey) }
    const app = await createApp(settings, { local, localOnly })
    cleanUp.push(() => app.close())
    const providerAddress = app.context.chains.get(DEV_CHAIN_ID)?.key.address as Address
    const providerUrl = await app.listen()
    const facts = { providerUrl, rpcUrl, chainId: DEV_CHAIN_ID, addresses, accounts, providerAddress }
    const seeded = await sample?.seed(facts, join(folder, 'seed.json'))
    if (seeded) cleanUp.push(() => seeded.close())
    // last: a deployment that waits for blocks is slow
    if (options.blockTime !== undefined) await anvil.mineEvery(options.blockTime)
    return {
      facts,
      seeded,
      addressFile,
      app,
      chainEnded: anvil.ended,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Gives the purchasing account coins for gas. */
async function fundPurchases(rpcUrl: string): Promise<void> {
  const params = [privateKeyToAddress(PURCHASING_KEY), numberToHex(parseEther(PURCHASING_COINS))]
  await rpcClient(new URL(rpcUrl)).request({ method: 'anvil_setBalance' as never, params: params as never })
}

/** Returns the contracts of an earlier run on this chain, or deploys them. */
async function findOrDeployContracts(rpcUrl: string, file: string): Promise<AddressEntry> {
  if (existsSync(file)) {
    const entry = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, AddressEntry>)[DEV_NETWORK]
    const code = entry && (await rpcClient(new URL(rpcUrl)).getCode({ address: entry.ERC721Factory }))
    if (entry && code) return entry
  }
  const entry = await deployContracts(rpcUrl)
  await writeAddresses(file, entry)
  return entry
}

/** Replaces the file atomically, so that no reader sees a part. Writes to a device or FIFO directly. */
async function writeAddresses(file: string, entry: AddressEntry): Promise<void> {
  const text = `${JSON.stringify({ [DEV_NETWORK]: entry }, null, 2)}\n`
  const existing = statSync(file, { throwIfNoEntry: false })
  if (existing && !existing.isFile()) return writeFile(file, text)
  makeFolders(dirname(file))
  replaceFile(file, text, { isPrivate: false })
}
