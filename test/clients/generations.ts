import { createRequire } from 'node:module'
import type { Wallet } from 'ethers'
import type { ProviderFees } from '../helpers/ocean.js'

const require = createRequire(import.meta.url)

export interface FileInfo {
  valid: boolean
  contentLength: string
  checksum?: string
}

/** `ProviderInstance` of the library: calls that differ between generations only in how each signs. */
export interface Client {
  isValidProvider(url: string): Promise<boolean>
  getNonce(url: string, address: string): Promise<number>
  encrypt(data: unknown, chainId: number, url: string, signer: unknown): Promise<string>
  getFileInfo(file: object, url: string, checksum?: boolean): Promise<FileInfo[]>
  checkDidFiles(did: string, serviceId: string, url: string, checksum?: boolean): Promise<FileInfo[]>
  initialize(
    did: string,
    serviceId: string,
    fileIndex: number,
    consumer: string,
    url: string,
  ): Promise<{ datatoken: string; providerFee: ProviderFees }>
  getDownloadUrl(
    did: string,
    serviceId: string,
    index: number,
    txId: string,
    url: string,
    signer: unknown,
  ): Promise<string>
  generateAuthToken(signer: unknown, url: string): Promise<string>
  invalidateAuthToken(signer: unknown, token: string, url: string): Promise<{ success: boolean }>
}

/** A served document; only the fields that tests read. */
export interface Served {
  id: string
  version: string
  nftAddress: string
  metadata: Record<string, unknown>
  services: { id: string; files: string; datatokenAddress: string }[]
  datatokens: { address: string }[]
  event: { txid: string }
  [field: string]: unknown
}

interface Validated {
  valid: boolean
  hash: string
  proof: { validatorAddress: string; r: string; s: string; v: number }
}

/** The library's client for the metadata cache. */
export interface Aquarius {
  resolve(did: string, signal?: undefined, token?: string): Promise<Served>
  waitForIndexer(did: string, txId?: string, signal?: undefined, interval?: number, tries?: number): Promise<Served>
  getAssetMetadata(did: string): Promise<Record<string, unknown>>
  querySearch(body: object): Promise<{ hits: { total: { value: number }; hits: { _source: Served }[] } }>
  validate(ddo: object, ...more: unknown[]): Promise<Validated>
}

/** What is published: a storage object, a draft of the document with an optional price, and whether to encrypt it. */
export interface Draft {
  name: string
  url: string
  /** In OCEAN: '0' for a dispenser. Without it there is no offer. */
  price?: string
  encrypted?: boolean
  template?: 1 | 2
  /** Further fields of the document. */
  fields?: object
}

/** One generation of the library, with the few calls whose arguments differ. */
export interface Generation {
  name: string
  client: Client
  /** Whether it signs an encrypt request. */
  signsEncrypt: boolean
  /** Whether it knows auth tokens, and signs what it has validated. */
  modern: boolean
  /** Its signer for a key, with the release of ethers that it works with. */
  signer(wallet: Wallet): unknown
  /** A signer for one of the accounts that a node holds. */
  nodeSigner(rpcUrl: string, account: number): unknown
  aquarius(url: string): Aquarius
  /** Publishes with the library's own helper. The configuration helper must find the contracts. */
  createAsset(draft: Draft, signer: unknown, url: string): Promise<string>
  /** Requests validation as the generation does. */
  validate(ddo: object, signer: unknown, url: string): Promise<Validated>
  /** Publishes a changed document as ocean-cli does, encrypted or plain. Returns the transaction id. */
  update(ddo: Served, signer: unknown, url: string, encrypted: boolean): Promise<string>
  /** Buys and orders with the library's own helper. Returns the transaction id. */
  order(asset: Served, signer: unknown, url: string): Promise<string>
  downloadFile(url: string): Promise<{ data: ArrayBuffer; filename: string }>
}

export const CHAIN_ID = 8996

export const GENERATIONS: readonly Generation[] = [
  generation('3.4.6', '@oceanprotocol/lib'),
  generation('4.3.7', 'ocean-lib-4'),
  generation('8.6.2', 'ocean-lib-8'),
]

/** The settings that the configuration helpers of all generations read from the environment. */
export function clientEnvironment(addressFile: string, url: string): Record<string, string> {
  return { ADDRESS_FILE: addressFile, PROVIDER_URL: url, AQUARIUS_URL: url, NODE_URL: url }
}

/** The document that `createAsset` completes. Its id need only begin as a DID does. */
export function draftDdo({ name, price, fields }: Draft): object {
  const time = '2026-01-01T00:00:00Z'
  const described = { name, description: 'Heights of the tide', author: 'Harbour office', license: 'MIT' }
  return {
    '@context': ['https://w3id.org/did/v1'],
    id: 'did:op:',
    version: '4.1.0',
    chainId: CHAIN_ID,
    nftAddress: '0x0',
    metadata: { created: time, updated: time, type: 'dataset', ...described, tags: ['tide', name] },
    services: [
      { id: 'tide-access', type: 'access', files: '', datatokenAddress: '0x0', serviceEndpoint: '', timeout: 0 },
    ],
    ...(price === undefined ? {} : { stats: { price: { value: price } } }),
    ...fields,
  }
}

function generation(name: string, alias: string): Generation {
  const library = require(alias)
  const { ethers } = createRequire(require.resolve(alias))('ethers')
  const major = Number(name.split('.')[0])
  library.LoggerInstance.setLevel(library.LogLevel.None)

  const validate: Generation['validate'] = (ddo, signer, url) => {
    const cache = new library.Aquarius(url)
    return major === 3 ? cache.validate(ddo) : cache.validate(ddo, signer, url)
  }
  return {
    name,
    client: library.ProviderInstance,
    signsEncrypt: major === 8,
    modern: major > 3,
    signer: ({ privateKey, provider }) => {
      const { url } = (provider as unknown as { connection: { url: string } }).connection
      return new ethers.Wallet(privateKey, connect(ethers, url))
    },
    nodeSigner: (rpcUrl, account) => connect(ethers, rpcUrl).getSigner(account),
    aquarius: (url) => new library.Aquarius(url),
    createAsset(draft, signer, url) {
      const { encrypted = true, template = 1 } = draft
      const files = [{ type: 'url', url: draft.url, method: 'GET' }]
      const filesArgument = major === 8 ? files : { nftAddress: '0x0', datatokenAddress: '0x0', files }
      const cache = new library.Aquarius(url)
      // 8.6.2 reads the decimals of the price's token through `this.signer`
      return library.createAsset.call(
        { signer },
        draft.name,
        'TIDE',
        signer,
        filesArgument,
        template,
        draftDdo(draft),
        encrypted,
        url,
        undefined,
        cache,
      )
    },
    validate,
    async update(ddo, signer, url, encrypted) {
      const owner = await (signer as { getAddress(): Promise<string> }).getAddress()
      const { hash, proof } = await validate(ddo, signer, url)
      const data = encrypted
        ? await library.ProviderInstance.encrypt(ddo, CHAIN_ID, url, ...(major === 8 ? [signer] : []))
        : `0x${Buffer.from(JSON.stringify(ddo)).toString('hex')}`
      const nft = new library.Nft(signer, CHAIN_ID)
      const flags = encrypted ? '0x02' : '0x00'
      return mined(nft.setMetadata(ddo.nftAddress, owner, 0, url, '', flags, data, hash, [proof]))
    },
    order(asset, signer, url) {
      const config = new library.ConfigHelper().getConfig(CHAIN_ID)
      const datatoken = new library.Datatoken(signer, CHAIN_ID)
      return mined(library.orderAsset(asset, signer, config, datatoken, url))
    },
    downloadFile: library.downloadFile,
  }
}

/** The part of a provider that both releases of ethers share. */
interface Provider {
  pollingInterval: number
  getSigner(account: number): unknown
}

// biome-ignore lint/suspicious/noExplicitAny: two releases of ethers, with different types
function connect(ethers: any, url: string): Provider {
  const provider = ethers.providers
    ? new ethers.providers.StaticJsonRpcProvider(url)
    : // as the page on 8.x says: on a chain that mines at once, what ethers 6 remembers of a nonce is wrong a moment later
      new ethers.JsonRpcProvider(url, undefined, { staticNetwork: true, cacheTimeout: -1 })
  provider.pollingInterval = 20
  return provider
}

async function mined(sent: Promise<{ wait(): Promise<{ transactionHash?: string; hash?: string }> }>): Promise<string> {
  const receipt = await (await sent).wait()
  return (receipt.transactionHash ?? receipt.hash) as string
}
