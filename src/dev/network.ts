import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Address, bytesToHex, type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { type App, createApp } from '../app.js'
import { rpcClient } from '../chain/clients.js'
import { loadSettings } from '../config/load.js'
import { DEV_CHAIN_ID, DEV_MNEMONIC, startAnvil } from './anvil.js'
import { type AddressEntry, DEV_NETWORK, deployContracts } from './deploy.js'

export interface LocalNetworkOptions {
  /** Ports; 0 takes any free one. */
  port: number
  rpcPort: number
  /** Where chain and database are kept; a fresh temporary folder, removed at the end, when not given. */
  stateDir?: string
  /** A further place to write address.json to. */
  addressFile?: string
  /** Settings of the service, over the defaults of a local network. */
  environment: NodeJS.ProcessEnv
  /** URLs that the service is to reach the chain by, in place of the chain's own. */
  nodes?: (rpcUrl: string) => Promise<string[]>
}

/** What a program needs to know to use the network. */
export interface NetworkFacts {
  providerUrl: string
  rpcUrl: string
  chainId: number
  addresses: AddressEntry
  accounts: { address: Address; privateKey: Hex }[]
  providerAddress: Address
}

export interface LocalNetwork {
  facts: NetworkFacts
  addressFile: string
  app: App
  /** Resolves when the chain has ended by itself. */
  chainEnded: Promise<void>
  close(): Promise<void>
}

/** How many accounts of the mnemonic are funded. */
const ACCOUNTS = 10
/** The account of the mnemonic that the provider signs with unless PROVIDER_PRIVATE_KEY says otherwise: the usual one. */
const PROVIDER_ACCOUNT = 8

/** Starts a chain, deploys or finds the contracts, and starts the service on it. */
export async function startLocalNetwork(options: LocalNetworkOptions): Promise<LocalNetwork> {
  const temporary = options.stateDir === undefined ? mkdtempSync(join(tmpdir(), 'tidegate-')) : undefined
  const folder = options.stateDir ?? (temporary as string)
  mkdirSync(folder, { recursive: true })
  const cleanUp: (() => unknown)[] = [() => temporary && rmSync(temporary, { recursive: true, force: true })]
  const close = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step()
  }
  try {
    const stateFile = options.stateDir === undefined ? undefined : join(folder, 'chain.json')
    const anvil = await startAnvil({ port: options.rpcPort, stateFile })
    cleanUp.push(() => anvil.stop())
    const addressFile = join(folder, 'address.json')
    const addresses = await contracts(anvil.rpcUrl, addressFile)
    if (options.addressFile) writeAddresses(options.addressFile, addresses)

    const nodes = (await options.nodes?.(anvil.rpcUrl)) ?? [anvil.rpcUrl]
    const settings = loadSettings({
      HOST: '127.0.0.1',
      PROVIDER_PRIVATE_KEY: privateKeyAt(PROVIDER_ACCOUNT),
      ALLOW_NON_PUBLIC_IP: 'true',
      INDEX_POLL_INTERVAL: '100',
      LOG_LEVEL: 'warn',
      STOP_TIMEOUT: '2000',
      ...options.environment,
      PORT: String(options.port),
      NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: nodes }),
      ADDRESS_FILE: addressFile,
      STATE_DIR: folder,
    })
    const app = await createApp(settings)
    cleanUp.push(() => app.close())
    const providerAddress = app.context.chains.get(DEV_CHAIN_ID)?.key.address as Address
    const providerUrl = await app.listen()
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => accountAt(index))
    return {
      facts: { providerUrl, rpcUrl: anvil.rpcUrl, chainId: DEV_CHAIN_ID, addresses, accounts, providerAddress },
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

/** The contracts that an earlier run left on this chain, or newly deployed ones. */
async function contracts(rpcUrl: string, file: string): Promise<AddressEntry> {
  if (existsSync(file)) {
    const entry = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, AddressEntry>)[DEV_NETWORK]
    const code = entry && (await rpcClient(new URL(rpcUrl)).getCode({ address: entry.ERC721Factory }))
    if (entry && code) return entry
  }
  const entry = await deployContracts(rpcUrl)
  writeAddresses(file, entry)
  return entry
}

/** Written aside and renamed, so that nobody ever reads half a file. */
function writeAddresses(file: string, entry: AddressEntry): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, `${JSON.stringify({ [DEV_NETWORK]: entry }, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}

function accountAt(index: number): { address: Address; privateKey: Hex } {
  return { address: mnemonicToAccount(DEV_MNEMONIC, { addressIndex: index }).address, privateKey: privateKeyAt(index) }
}

function privateKeyAt(index: number): Hex {
  return bytesToHex(mnemonicToAccount(DEV_MNEMONIC, { addressIndex: index }).getHdKey().privateKey as Uint8Array)
}
