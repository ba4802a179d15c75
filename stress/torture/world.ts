import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ethers } from 'ethers'
import { type ProviderKey, providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { build } from '../../test/helpers/built.js'
import { eventually } from '../../test/helpers/eventually.js'
import { NameServer } from '../../test/helpers/name-server.js'
import { prepared } from '../../test/helpers/prepared.js'
import type { Published } from '../../test/helpers/publish.js'
import { RpcProxy } from '../../test/helpers/rpc-proxy.js'
import { World } from '../../test/helpers/world.js'
import { type DatabaseKind, Deployment, type Seat } from './deployment.js'
import type { Ledger } from './lib/ledger.js'
import { contentOf, LOCATION, TortureStorage } from './storage.js'

const PRELOAD = fileURLToPath(new URL('preload.mjs', import.meta.url))
const NAME = 'files.torture.test'

/** Short timeouts, so that every fault takes effect, and passes, within seconds. */
const SETTINGS = {
  RPC_TIMEOUT: '1500',
  ORDER_WAIT: '1500',
  INDEX_POLL_INTERVAL: '250',
  READY_MAX_AGE: '4000',
  DATABASE_TIMEOUT: '2000',
  STORAGE_CONNECT_TIMEOUT: '1500',
  STORAGE_RESPONSE_TIMEOUT: '2000',
  STORAGE_STALL_TIMEOUT: '1500',
  CONSUMER_STALL_TIMEOUT: '2000',
  DESCRIBE_TIMEOUT: '3000',
  METRICS_PORT: '0',
  STOP_TIMEOUT: '3000',
}

/** A published file and its content. */
export interface Sold {
  name: string
  asset: Published
  content: Buffer
}

/** A consumer with an order for every file. */
export interface Buyer {
  key: ProviderKey
  /** Order transactions by file name. */
  orders: Map<string, string>
}

export interface Size {
  /** Instances on each database. */
  instances: Record<DatabaseKind, number>
  buyers: number
  /** Bytes of the large file. */
  large?: number
}

/** Files: name, size in bytes, and whether the URL has a host name that must be resolved. */
const FILES: [name: string, size: number, named: boolean][] = [
  ['small', 20_000, false],
  ['large', 3_000_000, false],
  ['named', 200_000, true],
  // used by chain faults, which change its state; not requested by consumers
  ['victim', 50_000, false],
]

/** The complete world: chain and node proxies, storage, name server, databases, instances and buyers. */
export class TortureWorld {
  readonly sold: Sold[] = []
  readonly buyers: Buyer[] = []
  readonly deployments: Deployment[] = []
  /** Makes the name server stop responding. */
  namesSilent = false
  private turn: Promise<unknown> = Promise.resolve()

  private constructor(
    readonly world: World,
    readonly storage: TortureStorage,
    readonly names: NameServer,
    /** Two proxies in front of the chain, which the instances use as nodes. */
    readonly nodes: [RpcProxy, RpcProxy],
    readonly ledger: Ledger,
    private readonly folder: string,
    /** The publisher of all assets. */
    readonly publisher: ethers.Wallet,
    private readonly settings: NodeJS.ProcessEnv,
  ) {}

  /** Starts everything. `settings` replace those of the instances; they may depend on the contracts. Without buyers, it has no files. */
  static async start(
    size: Size,
    ledger: Ledger,
    settings: (world: World) => NodeJS.ProcessEnv = () => ({}),
  ): Promise<TortureWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-torture-'))
    // that of a test run, or one of its own
    const program = prepared('build', 'dist', 'cli.js') ?? build(join(folder, 'built'))
    const world = await World.start({ INDEX_POLL_INTERVAL: '250' })
    const storage = await TortureStorage.start()
    let all: TortureWorld | undefined
    const names = await NameServer.start(() => (all?.namesSilent ? undefined : { addresses: ['127.0.0.1'], ttl: 1 }))
    const { rpcUrl } = world.network
    const nodes: [RpcProxy, RpcProxy] = [await RpcProxy.before(rpcUrl), await RpcProxy.before(rpcUrl)]
    all = new TortureWorld(world, storage, names, nodes, ledger, folder, await world.somebody(), settings(world))
    try {
      await all.fill(size)
      const environment = { ...all.environment, NETWORK_URL: all.networkUrl(nodes.map(({ url }) => url)) }
      const databases = Object.entries(size.instances).filter(([, count]) => count > 0)
      const starting = databases.map(([kind, count]) =>
        Deployment.start(kind as DatabaseKind, count, environment, [...all.preload, program], (line) =>
          ledger.checkLine(line),
        ),
      )
      all.deployments.push(...(await Promise.all(starting)))
      return all
    } catch (error) {
      await all.close()
      throw error
    }
  }

  get seats(): Seat[] {
    return this.deployments.flatMap(({ seats }) => seats)
  }

  /** Starts another service on an empty database, in this process, with direct access to the chain. */
  fresh(): Promise<Deployment> {
    return Deployment.here({ ...this.environment, NETWORK_URL: this.networkUrl([this.world.network.rpcUrl]) })
  }

  file(name: string): Sold {
    return this.sold.find((file) => file.name === name) as Sold
  }

  /** Runs work on the chain exclusively, in order of the calls. */
  onChain<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work)
    this.turn = result.catch(() => undefined)
    return result
  }

  /** Sets the state of a published asset. */
  async setState(asset: Published, state: number): Promise<void> {
    const nft = new ethers.Contract(asset.nft, ['function setMetaDataState(uint8)'], this.publisher)
    await (await nft.setMetaDataState(state)).wait()
  }

  /** Waits until the index of a database has reached the current head. */
  async indexed(deployment: Deployment, within?: number): Promise<void> {
    const head = await this.world.provider.getBlockNumber()
    await eventually(async () => (await deployment.cursor().catch(() => -1)) >= head, within, 50)
  }

  async close(): Promise<void> {
    await Promise.all(this.deployments.map((deployment) => deployment.close()))
    for (const node of this.nodes) node.close()
    this.names.close()
    await this.storage.server.close()
    await this.world.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private get environment(): NodeJS.ProcessEnv {
    return this.world.beside({ ...SETTINGS, ...this.settings, TORTURE_NAME_SERVER: this.names.address })
  }

  private readonly preload = ['--import', PRELOAD]

  private networkUrl(urls: string[]): string {
    return JSON.stringify({ [this.world.network.chainId]: urls })
  }

  /** Publishes the files, and orders each for every buyer. */
  private async fill({ buyers, large }: Size): Promise<void> {
    if (buyers === 0) return
    for (let at = 1; at <= buyers; at++)
      this.buyers.push({ key: providerKey((at + 0xb0).toString(16).padStart(64, '0')), orders: new Map() })
    for (const [at, [name, size, named]] of FILES.entries()) {
      const content = contentOf(String.fromCharCode(97 + at), name === 'large' ? (large ?? size) : size)
      this.storage.serve(`/${LOCATION}/${name}.csv`, content)
      const url = `http://${named ? NAME : '127.0.0.1'}:${this.storage.port}/${LOCATION}/${name}.csv`
      const asset = await this.world.publishUrl(url, { publisher: this.publisher })
      this.sold.push({ name, asset, content })
    }
    await Promise.all(
      this.sold.map(async ({ name, asset }) => {
        const payer = await this.world.somebody()
        for (const { key, orders } of this.buyers) orders.set(name, await this.world.order(asset, payer, key.address))
      }),
    )
  }
}
