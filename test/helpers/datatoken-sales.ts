import type { Wallet } from 'ethers'
import { type Hex, parseAbi, parseEther } from 'viem'
import { order } from './consume.js'
import type { Published, PublishOptions } from './publish.js'
import { ask } from './requests.js'
import { transact } from './transactions.js'
import type { World } from './world.js'

const DATATOKEN = parseAbi([
  'function setFilesObject(bytes filesObject)',
  'function setAllowListContract(address list)',
  'function setDenyListContract(address list)',
  'function mint(address account, uint256 value)',
])

/** An asset whose datatoken keeps its files. */
export type Sale = Published & { publisher: Wallet }

/** Leaves the only service of a document without files, and names another datatoken if there is one. */
export const withoutFiles =
  (changed: { datatokenAddress?: string } = {}) =>
  ({ services: [service] }: Published['ddo']): void => {
    Object.assign(service as object, { files: '', ...changed })
  }

/** The files object of an asset. */
export const objectOf = ({ nft, datatoken }: Published, files: unknown) => ({
  ...{ nftAddress: nft, datatokenAddress: datatoken },
  files,
})

/** Publishers and buyers of assets whose datatokens keep the files (template 4). */
export class DatatokenSales {
  constructor(private readonly world: World) {}

  /** Encrypts a value on the service. */
  async encrypted(value: unknown): Promise<Hex> {
    const { providerUrl, chainId } = this.world.network
    const headers = { 'content-type': 'application/octet-stream' }
    const request = { method: 'POST', headers, body: JSON.stringify(value) }
    return (await ask(`${providerUrl}/api/services/encrypt?chainId=${chainId}`, request)).text as Hex
  }

  /** Publishes an asset without files in its document, and puts an encrypted list into its datatoken. */
  async publish(files: object[], options: Partial<PublishOptions> & { publisher?: Wallet } = {}): Promise<Sale> {
    const publisher = options.publisher ?? (await this.world.somebody())
    const sold = { files: [], template: 4 as const, adjust: withoutFiles(), ...options, publisher }
    const asset = { ...(await this.world.publish(sold)), publisher }
    await this.setFiles(asset, objectOf(asset, files))
    return asset
  }

  async setFiles(sale: Sale, object: unknown): Promise<void> {
    await this.call(sale, 'setFilesObject', await this.encrypted(object))
  }

  /** Sets the lists of providers that may have the files, and that may not. */
  async setLists(sale: Sale, allow: string, deny: string): Promise<void> {
    await this.call(sale, 'setAllowListContract', allow)
    await this.call(sale, 'setDenyListContract', deny)
  }

  /** Orders for the buyer, or for another consumer. The publisher mints the datatoken. Returns the transaction. */
  async order(sale: Sale, buyer: Wallet, consumer = buyer.address): Promise<string> {
    const fee = await this.world.quote(sale, consumer)
    await this.call(sale, 'mint', buyer.address, parseEther('1'))
    return order(this.world.network, sale, buyer, fee, { consumer })
  }

  /** Publishes an asset, and orders it for an account, by default a new one. */
  async sold(files: object[], account?: Wallet): Promise<{ asset: Sale; buyer: Wallet; txId: string }> {
    const asset = await this.publish(files)
    const buyer = account ?? (await this.world.somebody())
    return { asset, buyer, txId: await this.order(asset, buyer) }
  }

  private async call({ publisher, datatoken }: Sale, functionName: string, ...args: unknown[]): Promise<void> {
    await transact(this.world.network, publisher, { to: datatoken, abi: DATATOKEN, functionName, args })
  }
}
