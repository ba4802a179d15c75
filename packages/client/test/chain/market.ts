import { createContext, createTidegate, type Tidegate } from '@tidegate/client'
import { webDocuments } from '@tidegate/client/node'
import { ethers, type Signer } from 'ethers'
import { type Abi, type Address, createPublicClient, type Hex, http, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { publishDocument } from '../../../../test/helpers/publish.js'
import { ask, served } from '../../../../test/helpers/requests.js'
import { transact } from '../../../../test/helpers/transactions.js'
import { World } from '../../../../test/helpers/world.js'
import { PUBLISHING } from '../../src/chain/abi.js'
import type { Contracts } from '../../src/chain/contracts.js'
import { createdIn } from '../../src/publishing/create.js'
import { draft } from '../../src/publishing/draft.js'
import { encryptedFiles } from '../../src/publishing/metadata.js'
import { walletFor } from '../world.js'

export const TOKEN = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount)',
])

/** Functions of an owner and of the router's owner. */
export const OWNED = parseAbi([
  'function createFixedRate(address fixedPriceAddress, address[] addresses, uint256[] uints)',
  'function createDispenser(address dispenser, uint256 maxTokens, uint256 maxBalance, bool withMint, address allowedSwapper)',
  'function setRate(bytes32 exchangeId, uint256 newRate)',
  'function toggleExchangeState(bytes32 exchangeId)',
  'function toggleMintState(bytes32 exchangeId, bool withMint)',
  'function deactivate(address datatoken)',
  'function updateOPCFee(uint256 swapOcean, uint256 swapOther, uint256 consume, uint256 provider)',
  'function generateExchangeId(address baseToken, address datatoken) pure returns (bytes32)',
])

/** An exchange: its base token with decimals, its price with 18 decimals, and its market's share with 18. */
export interface Rate {
  token: Address
  decimals?: number
  rate: bigint
  marketFee?: bigint
}

export interface Sale {
  price: 'free' | Rate
  template?: 1 | 2 | 4
  /** The fee of the publisher's market for each order. */
  publishFee?: { token: Address; amount: bigint }
  timeout?: number
  /** Further exchanges. */
  more?: Rate[]
  /** Changes the document before publishing. */
  adjust?: (document: Record<string, never>) => void
  publisher?: ethers.Wallet
}

export interface OnSale {
  did: string
  nft: Address
  datatoken: Address
  publisher: Person
}

/** A person with a wallet. */
export interface Person {
  signer: ethers.Wallet
  address: Address
  tidegate: Tidegate
}

/** The market of a test's world: its assets and their buyers. */
export class Market {
  readonly reader
  private first?: Signer

  constructor(readonly world: World) {
    this.reader = createPublicClient({ transport: http(world.network.rpcUrl), pollingInterval: 20, ccipRead: false })
  }

  async person(signer?: ethers.Wallet): Promise<Person> {
    const own = signer ?? (await this.world.somebody())
    const { providerUrl: url } = this.world.network
    const wallet = walletFor(this.world, own)
    return {
      signer: own,
      address: own.address as Address,
      tidegate: createTidegate({ url, wallet, publicClient: this.reader, documents: webDocuments }),
    }
  }

  /** A file of the storage, as a publisher names it. */
  get file() {
    const url = this.world.storage.file('/tides.csv', Buffer.from('0:00,3.1\n'))
    return { type: 'url', url, method: 'GET' }
  }

  /** The least that a publisher names. */
  get request() {
    return { files: [this.file], name: 'Tide tables', price: 'free' as const }
  }

  async documentOf(did: string) {
    return (await ask(`${this.world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)).json as Record<string, never>
  }

  /** Waits until the index has an asset with these fields. */
  known(did: string, what: object): Promise<void> {
    return eventually(async () => {
      const document = await this.documentOf(did)
      return Object.entries(what).every(([field, value]) => {
        const found = field.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document)
        return JSON.stringify(found) === JSON.stringify(value)
      })
    })
  }

  /** Puts an asset on sale with the contracts' own calls, as any market might. Waits until it can be bought. */
  async sale(sale: Sale): Promise<OnSale> {
    const publisher = await this.person(sale.publisher)
    const { chainId, addresses, providerUrl: url } = this.world.network
    const context = createContext({ url, wallet: walletFor(this.world, publisher.signer), publicClient: this.reader })
    const { price, template = 2, publishFee, timeout = 0 } = sale
    const owner = publisher.address
    const nft = { name: 'Tides', symbol: 'T', templateIndex: 1n, tokenURI: '', transferable: true, owner }
    const token = {
      templateIndex: BigInt(template),
      strings: ['Tides', 'T-1'],
      addresses: [
        owner,
        owner,
        publishFee ? owner : zeroAddress,
        publishFee?.token ?? zeroAddress,
        // factory and lists of access, only for template 4
        ...(template === 4 ? [addresses.AccessListFactory, zeroAddress, zeroAddress] : []),
      ],
      uints: [10n ** 24n, publishFee?.amount ?? 0n],
      bytess: template === 4 ? ['0x00'] : [],
    }
    const free = { dispenserAddress: addresses.Dispenser, maxTokens: 10n ** 18n, maxBalance: 10n ** 18n }
    const [functionName, terms] =
      price === 'free'
        ? ['createNftWithErc20WithDispenser', { ...free, withMint: true, allowedSwapper: zeroAddress }]
        : ['createNftWithErc20WithFixedRate', { fixedPriceAddress: addresses.FixedPrice, ...this.terms(price, owner) }]
    const factory = addresses.ERC721Factory as Address
    const args = [nft, token, terms]
    const created = await this.call(publisher.signer, factory, functionName as string, args, PUBLISHING)
    const made = createdIn(created, { factory } as Contracts)
    for (const rate of sale.more ?? []) {
      const { addresses: tokens, uints } = this.terms(rate, owner)
      // the exchange may mint already, and receives this token as well
      const terms = [addresses.FixedPrice, tokens, [...uints.slice(0, 4), 0n]]
      await this.call(publisher.signer, made.datatoken, 'createFixedRate', terms)
      const exchange = await this.exchangeOf(made, rate.token)
      await this.call(publisher.signer, addresses.FixedPrice, 'toggleMintState', [exchange, true])
    }
    const files = await encryptedFiles(context, chainId, made, [this.file])
    const request = { ...this.request, name: 'Tides', timeout }
    const document = draft(request, { ...made, chainId, url, owner, files, described: [] }) as Record<string, never>
    sale.adjust?.(document)
    await publishDocument({ network: this.world.network, publisher: publisher.signer }, made.nft, document as never)
    const { id: did } = document
    await served(url, { did: did as unknown as string })
    return { did: did as unknown as string, ...made, publisher }
  }

  private terms({ token, decimals = 18, rate, marketFee = 0n }: Rate, owner: Address) {
    return {
      addresses: [token, owner, owner, zeroAddress],
      uints: [BigInt(decimals), 18n, rate, marketFee, 1n],
    }
  }

  /** Returns the id of a datatoken's exchange for a token. */
  exchangeOf({ datatoken }: { datatoken: Address }, token: Address): Promise<Hex> {
    const { FixedPrice: address } = this.world.network.addresses
    return this.reader.readContract({
      address,
      abi: OWNED,
      functionName: 'generateExchangeId',
      args: [token, datatoken],
    })
  }

  /** Sends a call of an owner. */
  call(signer: Signer, to: Address, functionName: string, args: unknown[], abi: Abi = OWNED) {
    return transact(this.world.network, signer, { to, abi, functionName, args })
  }

  /** Sends a call of the first account, which owns the router and has every token. */
  async asFirst(address: Address, functionName: string, args: unknown[], abi: Abi = OWNED): Promise<void> {
    this.first ??= new ethers.Wallet(this.world.network.accounts[0]?.privateKey as string)
    await this.call(this.first, address, functionName, args, abi)
  }

  give(token: Address, to: Person, units: bigint): Promise<void> {
    return this.asFirst(token, 'transfer', [to.address, units], TOKEN)
  }

  balance(token: Address, { address }: { address: Address }): Promise<bigint> {
    return this.reader.readContract({ address: token, abi: TOKEN, functionName: 'balanceOf', args: [address] })
  }

  allowance(token: Address, { address }: Person, spender: Address): Promise<bigint> {
    return this.reader.readContract({ address: token, abi: TOKEN, functionName: 'allowance', args: [address, spender] })
  }

  /** Returns the number of a person's transactions. */
  sent({ address }: Person): Promise<number> {
    return this.reader.getTransactionCount({ address })
  }
}

/** The world and the market of a test file that calls `useMarket`. */
export let world: World
export let market: Market

export function useMarket(): void {
  beforeAll(async () => {
    world = await World.start()
    market = new Market(world)
  })
  afterAll(() => world?.close())
}
