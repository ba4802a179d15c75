import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, bytesToHex, encodeFunctionData, type Hex } from 'viem'
import { rpcClient } from '../../packages/chain/src/rpc/clients.js'
import { type Anvil, DEV_CHAIN_ID, devAccounts, startAnvil } from '../../packages/dev-network/src/anvil.js'
import { ARTIFACTS, artifact } from '../../packages/dev-network/src/contracts.js'
import { type AddressEntry, DEV_NETWORK, deployContracts } from '../../packages/dev-network/src/deploy.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { type CompressedEnd, xzWithEnd } from '../helpers/containers.js'
import { compiled, deployed } from '../helpers/contracts.js'
import { eventually } from '../helpers/eventually.js'
import { publishMany } from '../helpers/many-assets.js'
import { prepared } from '../helpers/prepared.js'

const NFT = artifact(ARTIFACTS.ERC721Template).abi
const KEY: Hex = `0x${'11'.repeat(32)}`
/** Documents of one transaction. */
const TOGETHER = 20

/** A chain whose blocks hold many long documents that are short on the chain. */
export class CrowdedChain {
  /** Bytes of calldata of all crowded blocks. */
  calldata = 0

  private constructor(
    readonly anvil: Anvil,
    private readonly addressFile: string,
    private readonly batch: Address,
    readonly nfts: Address[],
    /** Assets with a short document. */
    readonly honest: Address[],
  ) {}

  /** `folder`: of the test, for the file with the addresses of the contracts. */
  static async start(folder: string, count: number): Promise<CrowdedChain> {
    const anvil = await startAnvil({ port: 0, loadFile: prepared('chain', 'chain.json') })
    const made = prepared('chain', 'address.json')
    const addresses: AddressEntry = made
      ? JSON.parse(readFileSync(made, 'utf8'))[DEV_NETWORK]
      : await deployContracts(anvil.rpcUrl)
    const addressFile = join(folder, 'address.json')
    writeFileSync(addressFile, JSON.stringify({ [DEV_NETWORK]: addresses }))
    const batch = await deployed(anvil.rpcUrl, 'Batch')
    const { publicKey } = providerKey(KEY)
    const publish = (count: number) =>
      publishMany(anvil.rpcUrl, { factory: addresses.ERC721Factory as Address, batch, publicKey, count })
    const nfts = await publish(count)
    return new CrowdedChain(anvil, addressFile, batch, nfts, await publish(20))
  }

  /** The settings of a service on this chain. */
  settings(changed: NodeJS.ProcessEnv = {}): Record<string, string> {
    return {
      NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: this.anvil.rpcUrl }),
      ADDRESS_FILE: this.addressFile,
      PROVIDER_PRIVATE_KEY: KEY,
      INDEX_POLL_INTERVAL: '100',
      // a crowded block takes the node as long as the machine needs
      RPC_TIMEOUT: '60000',
      ...changed,
    } as Record<string, string>
  }

  /** Mines one block in which the document of each of some NFTs is replaced. Returns its number. */
  async crowd(nfts: readonly Address[], end: CompressedEnd): Promise<number> {
    await this.rpc('evm_setAutomine', [false])
    let sent = 0
    for (let at = 0; at < nfts.length; at += TOGETHER) {
      const some = nfts.slice(at, at + TOGETHER)
      const args = [some, some.map((nft) => this.update(nft, end))]
      const data = encodeFunctionData({ abi: compiled('Batch').abi, functionName: 'run', args })
      this.calldata += data.length / 2
      await this.rpc('eth_sendTransaction', [
        { from: devAccounts()[4]?.address, to: this.batch, data, gas: '0x1000000' },
      ])
      sent += 1
    }
    await eventually(async () => Number(((await this.rpc('txpool_status', [])) as { pending: Hex }).pending) === sent)
    await this.rpc('evm_mine', [])
    await this.rpc('evm_setAutomine', [true])
    return this.head()
  }

  async head(): Promise<number> {
    return Number(await this.rpc('eth_blockNumber', []))
  }

  rpc(method: string, params: unknown[]): Promise<unknown> {
    return rpcClient(new URL(this.anvil.rpcUrl), { timeout: 240_000 }).request({ method, params } as never)
  }

  /** A call that replaces the document of an NFT. The plain document ends with the given text. */
  private update(nft: Address, end: CompressedEnd): Hex {
    const services = [
      { id: 'a', type: 'access', files: '0x', datatokenAddress: nft, serviceEndpoint: 'http://x', timeout: 0 },
    ]
    const document = {
      id: didOf(nft, DEV_CHAIN_ID),
      version: '4.1.0',
      chainId: DEV_CHAIN_ID,
      nftAddress: nft,
      services,
    }
    const start = `${JSON.stringify(document).slice(0, -1)},"metadata":`
    const beginning = start.padEnd(Math.ceil((start.length + 1) / 16) * 16, '\n')
    const hash = createHash('sha256').update(beginning).update(end.plain).digest('hex')
    const args = [0, '', '', '0x01', bytesToHex(xzWithEnd(beginning, end)), `0x${hash}`, []]
    return encodeFunctionData({ abi: NFT, functionName: 'setMetaData', args })
  }
}
