import { ethers, type Signer } from 'ethers'
import type { Hex } from 'viem'
import {
  type LocalNetwork,
  type LocalNetworkOptions,
  type NetworkInfo,
  startLocalNetwork,
} from '../../packages/dev-network/src/network.js'
import { atEnd, newFolder } from './cleanup.js'
import { acquire, order } from './consume.js'
import { minedReceipt } from './contracts.js'
import { eventually } from './eventually.js'
import type { ProviderFees } from './ocean.js'
import { prepared } from './prepared.js'
import { type Published, type PublishOptions, publish } from './publish.js'
import { reorganise } from './reorganise.js'
import { ask } from './requests.js'
import { forwardTo, RpcProxy } from './rpc-proxy.js'
import { StorageServer } from './storage-server.js'
import { newWallet } from './wallet.js'

/**
 * Milliseconds between two looks of a service at its chain. Each takes 2 to 4 of processor time, all the time that a test
 * takes, and half of the interval passes until an asset is indexed.
 */
const INDEX_POLL_INTERVAL = '200'

/** The fixture of most tests: chain, contracts, service and storage, and funded accounts on demand. */
export class World {
  readonly provider: ethers.providers.JsonRpcProvider
  /** Ends everything; at the latest after the last test of the file. */
  readonly close = atEnd(async () => {
    this.provider.removeAllListeners()
    await this.local.close()
    await this.storage.close()
  })

  private constructor(
    readonly local: LocalNetwork,
    readonly storage: StorageServer,
  ) {
    // the other one asks for the chain's id before every request
    this.provider = new ethers.providers.StaticJsonRpcProvider(local.facts.rpcUrl)
    this.provider.pollingInterval = 20
  }

  /** Starts everything on random ports. `environment` holds settings of the service, `nodes` supplies its node URLs. */
  static async start(environment: NodeJS.ProcessEnv = {}, nodes?: LocalNetworkOptions['nodes']): Promise<World> {
    const beginFrom = prepared('chain')
    const options = {
      port: 0,
      rpcPort: 0,
      beginFrom,
      environment: { LOG_LEVEL: 'silent', INDEX_POLL_INTERVAL, PURCHASES: 'off', ...environment },
    }
    const [local, storage] = await Promise.all([
      startLocalNetwork({ ...options, ...(nodes ? { nodes } : {}) }),
      StorageServer.start(),
    ])
    return new World(local, storage)
  }

  /** Like `start`, with the chain behind a proxy for fault injection. */
  static async behindProxy(environment: NodeJS.ProcessEnv = {}): Promise<{ world: World; proxy: RpcProxy }> {
    let proxy: RpcProxy | undefined
    const world = await World.start(environment, async (rpcUrl) => {
      proxy = await RpcProxy.before(rpcUrl)
      return [proxy.url]
    })
    return { world, proxy: proxy as RpcProxy }
  }

  get network(): NetworkInfo {
    return this.local.facts
  }

  /** The settings of another service on this chain, with the same key, and with `changed` applied. */
  beside(changed: NodeJS.ProcessEnv = {}): Record<string, string> {
    return {
      NETWORK_URL: JSON.stringify({ [this.network.chainId]: this.network.rpcUrl }),
      ADDRESS_FILE: this.local.addressFile,
      PROVIDER_PRIVATE_KEY: this.network.accounts[8]?.privateKey as string,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'silent',
      ALLOW_NON_PUBLIC_IP: 'true',
      INDEX_POLL_INTERVAL,
      // not that of the working folder, which other tests would share
      STATE_DIR: newFolder(),
      ...changed,
    }
  }

  /** A new account with some ether, or a given one. */
  async somebody(own?: ethers.Wallet): Promise<ethers.Wallet> {
    const wallet = own?.connect(this.provider) ?? newWallet(this.provider)
    await this.rpc('anvil_setBalance', [wallet.address, '0x56bc75e2d63100000'])
    return wallet
  }

  /** Publishes an asset and waits until the service has indexed it. */
  async publish(options: Partial<PublishOptions> & { files: object[] }): Promise<Published> {
    const publisher = options.publisher ?? (await this.somebody())
    const asset = await publish({ network: this.network, publisher, ...options })
    await this.indexed(asset.txId)
    return asset
  }

  /** Publishes one file of the storage. */
  publishUrl(url: string, options: Partial<PublishOptions> = {}): Promise<Published> {
    return this.publish({ files: [{ type: 'url', url, method: 'GET' }], ...options })
  }

  /** Buys and orders an asset with the service's quote, even if its file is unreachable. Returns the transaction id. */
  async order(asset: Published, buyer: Signer, consumer?: string): Promise<string> {
    const fee = await this.quote(asset, await buyer.getAddress())
    await acquire(this.network, asset, buyer)
    return order(this.network, asset, buyer, fee, { consumer })
  }

  /** Publishes one file of the storage, and orders it for a new account. */
  async sold(url: string, options: Partial<PublishOptions> = {}) {
    const asset = await this.publishUrl(url, options)
    const buyer = await this.somebody()
    return { asset, buyer, txId: await this.order(asset, buyer) }
  }

  /** The provider fee for an asset, requested without a file index, so that no file is accessed. */
  async quote(asset: Published, consumerAddress: string): Promise<ProviderFees> {
    const service = { documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string }
    const params = new URLSearchParams({ ...service, consumerAddress })
    const { json, text } = await ask(`${this.network.providerUrl}/api/services/initialize?${params}`)
    if (!json.providerFee) throw new Error(`No quote: ${text}`)
    return json.providerFee as ProviderFees
  }

  /** Waits until the service answers by the block of a transaction. */
  async indexed(txId: string): Promise<void> {
    const { blockNumber } = await minedReceipt(this.network.rpcUrl, txId as Hex)
    await this.indexedTo(Number(blockNumber))
  }

  async indexedTo(block: number): Promise<void> {
    // not the cursor of the database, which moves before the commit is durable and cached documents are dropped
    const { catalog } = this.local.app.context.services
    const reached = () => catalog.progress().find(({ chainId }) => chainId === this.network.chainId)?.block ?? -1
    await eventually(async () => reached() >= block)
  }

  async rpc(method: string, params: unknown[] = []): Promise<unknown> {
    const { result, error } = await forwardTo(this.network.rpcUrl)(method, params)
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  /** Replaces the newest blocks by empty ones. */
  reorganise(depth: number): Promise<void> {
    return reorganise((method, params) => this.rpc(method, params), depth)
  }
}
