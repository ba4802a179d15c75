import { ethers, type Signer } from 'ethers'
import type { ProviderFees } from '../../demo/client.js'
import { acquire, order } from '../../demo/consume.js'
import { type Published, type PublishOptions, publish } from '../../demo/publish.js'
import {
  type LocalNetwork,
  type LocalNetworkOptions,
  type NetworkFacts,
  startLocalNetwork,
} from '../../src/dev/network.js'
import { eventually } from './eventually.js'
import { ask } from './requests.js'
import { StorageServer } from './storage-server.js'

/** A whole little world for tests: chain, contracts, service and storage, with people in it. */
export class World {
  readonly provider: ethers.providers.JsonRpcProvider

  private constructor(
    readonly local: LocalNetwork,
    readonly storage: StorageServer,
  ) {
    this.provider = new ethers.providers.JsonRpcProvider(local.facts.rpcUrl)
    this.provider.pollingInterval = 20
  }

  /** Starts everything on random ports. `environment` holds settings of the service, `nodes` what it reaches the chain by. */
  static async start(environment: NodeJS.ProcessEnv = {}, nodes?: LocalNetworkOptions['nodes']): Promise<World> {
    const options = { port: 0, rpcPort: 0, environment: { LOG_LEVEL: 'silent', ...environment } }
    const [local, storage] = await Promise.all([
      startLocalNetwork({ ...options, ...(nodes ? { nodes } : {}) }),
      StorageServer.start(),
    ])
    return new World(local, storage)
  }

  get network(): NetworkFacts {
    return this.local.facts
  }

  /** The settings of a further service on this chain, with the same key; `changed` are added. */
  beside(changed: NodeJS.ProcessEnv = {}): Record<string, string> {
    return {
      NETWORK_URL: JSON.stringify({ [this.network.chainId]: this.network.rpcUrl }),
      ADDRESS_FILE: this.local.addressFile,
      PROVIDER_PRIVATE_KEY: this.network.accounts[8]?.privateKey as string,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'silent',
      ALLOW_NON_PUBLIC_IP: 'true',
      INDEX_POLL_INTERVAL: '50',
      ...changed,
    }
  }

  /** Somebody with an own key and some ether, whom no other test knows. */
  async somebody(): Promise<ethers.Wallet> {
    const wallet = ethers.Wallet.createRandom().connect(this.provider)
    await this.rpc('anvil_setBalance', [wallet.address, '0x56bc75e2d63100000'])
    return wallet
  }

  /** Publishes an asset and waits until the service knows it. */
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

  /** Buys and orders an asset with the service's own quote, whether its file can be reached or not. Answers the transaction id. */
  async order(asset: Published, buyer: Signer, consumer?: string): Promise<string> {
    const fee = await this.quote(asset, await buyer.getAddress())
    await acquire(this.network, asset, buyer)
    return order(this.network, asset, buyer, fee, { consumer })
  }

  /** The provider fee for an asset, asked for without a file index, so that no file is looked at. */
  async quote(asset: Published, consumerAddress: string): Promise<ProviderFees> {
    const service = { documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string }
    const params = new URLSearchParams({ ...service, consumerAddress })
    const { json, text } = await ask(`${this.network.providerUrl}/api/services/initialize?${params}`)
    if (!json.providerFee) throw new Error(`No quote: ${text}`)
    return json.providerFee as ProviderFees
  }

  /** Waits until the index has read the block of a transaction. */
  async indexed(txId: string): Promise<void> {
    const { blockNumber } = await this.provider.getTransactionReceipt(txId)
    await this.indexedTo(blockNumber)
  }

  async indexedTo(block: number): Promise<void> {
    const { index } = this.local.app.context.store
    await eventually(async () => ((await index.cursor(this.network.chainId))?.block ?? -1) >= block)
  }

  rpc(method: string, params: unknown[] = []): Promise<unknown> {
    return this.provider.send(method, params)
  }

  async close(): Promise<void> {
    this.provider.removeAllListeners()
    await this.local.close()
    await this.storage.close()
  }
}
