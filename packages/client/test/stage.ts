import { createHash } from 'node:crypto'
import { createTidegate, type Downloaded, type Tidegate, type TidegateOptions } from '@tidegate/client'
import { ethers } from 'ethers'
import { World } from '../../../test/helpers/world.js'
import { CuttingProxy } from './cutting-proxy.js'
import { walletFor } from './world.js'

type Published = Awaited<ReturnType<World['publishUrl']>>
type PublishOptions = Parameters<World['publishUrl']>[1]

/** An asset with an order of the stage's buyer. */
export interface Sold {
  asset: Published
  did: string
  order: `0x${string}`
}

/** A world with a buyer, whose client reaches the provider through a cutting proxy. */
export class Stage {
  private constructor(
    readonly world: World,
    readonly proxy: CuttingProxy,
    readonly buyer: ethers.Wallet,
  ) {}

  static async start(environment: NodeJS.ProcessEnv = {}): Promise<Stage> {
    const world = await World.start(environment)
    return new Stage(world, await CuttingProxy.before(world.network.providerUrl), await world.somebody())
  }

  /** Publishes a file of the storage, and orders it for the buyer. */
  async sold(url: string, options: PublishOptions = {}): Promise<Sold> {
    const asset = await this.world.publishUrl(url, options)
    return { asset, did: asset.did, order: (await this.world.order(asset, this.buyer)) as `0x${string}` }
  }

  /** Sends OCEAN to the buyer. */
  async fund(amount: string): Promise<void> {
    const { network, provider } = this.world
    const rich = new ethers.Wallet(network.accounts[0]?.privateKey as string, provider)
    const ocean = new ethers.Contract(network.addresses.Ocean as string, ['function transfer(address, uint256)'], rich)
    const sent = await ocean.transfer?.(this.buyer.address, ethers.utils.parseEther(amount))
    await sent.wait()
  }

  /** Returns a client of the buyer. */
  client(options: Partial<TidegateOptions> = {}): Tidegate {
    return createTidegate({ url: this.proxy.url, wallet: walletFor(this.world, this.buyer), ...options })
  }

  async close(): Promise<void> {
    this.proxy.close()
    await this.world.close()
  }
}

export async function bytesOf(downloaded: Downloaded): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const reader = downloaded.stream().getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value)
  return Buffer.concat(pieces)
}

/** Returns a digest: the test framework takes many seconds to compare long buffers. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
