import { createHash } from 'node:crypto'
import type { Signer } from 'ethers'
import { type Address, parseAbi, parseEther, parseEventLogs, zeroAddress } from 'viem'
import type { NetworkInfo } from '../../packages/dev-network/src/network.js'
import type { DDO } from './ocean.js'
import { type Answer, ask } from './requests.js'
import { transact } from './transactions.js'

/** One whole token. */
const ONE = parseEther('1')

/** The price of a datatoken: by a dispenser, or so many OCEAN, USDC or tokens of an address by a fixed rate exchange. */
export type Pricing = 'free' | { fixed: string; token?: 'MockUSDC' | Address }

/** An asset that was published. */
export interface Published {
  did: string
  nft: string
  datatoken: string
  /** Id of the fixed rate exchange, if any. */
  exchangeId?: string
  ddo: DDO
  /** The transaction that published the metadata. */
  txId: string
}

/** What is published, where, and by whom. */
export interface PublishOptions {
  network: NetworkInfo
  publisher: Signer
  /** Storage objects. */
  files: object[]
  pricing?: Pricing
  /** Seconds; 0 for no limit. */
  timeout?: number
  /** 1, 2 (enterprise), or 4, whose datatoken keeps files as well. */
  template?: 1 | 2 | 4
  /** Modifies the DDO before it is encrypted and published. */
  adjust?: (ddo: DDO) => void
  /** Returns what is encrypted as `files`, instead of the usual object for this NFT and datatoken. */
  filesObject?: (own: { nftAddress: string; datatokenAddress: string; files: object[] }) => unknown
}

/** What is called of the contracts, and what they tell. */
const CONTRACTS = parseAbi([
  'struct Nft { string name; string symbol; uint256 templateIndex; string tokenURI; bool transferable; address owner; }',
  'struct Datatoken { uint256 templateIndex; string[] strings; address[] addresses; uint256[] uints; bytes[] bytess; }',
  'struct Dispenser { address dispenserAddress; uint256 maxTokens; uint256 maxBalance; bool withMint; address allowedSwapper; }',
  'struct FixedRate { address fixedPriceAddress; address[] addresses; uint256[] uints; }',
  'struct Proof { address validatorAddress; uint8 v; bytes32 r; bytes32 s; }',
  'function createNftWithErc20WithDispenser(Nft, Datatoken, Dispenser)',
  'function createNftWithErc20WithFixedRate(Nft, Datatoken, FixedRate)',
  'function setMetaData(uint8 state, string url, string decryptor, bytes flags, bytes data, bytes32 hash, Proof[] proofs)',
  'event NFTCreated(address newTokenAddress, address indexed templateAddress, string tokenName, address indexed admin, string symbol, string tokenURI, bool transferable, address indexed creator)',
  'event TokenCreated(address indexed newTokenAddress, address indexed templateAddress, string name, string symbol, uint256 cap, address creator)',
  'event NewFixedRate(bytes32 exchangeId, address indexed owner, address exchangeContract, address indexed baseToken)',
])

/**
 * Publishes an asset as publishers do: contracts, files, DDO, metadata. With the requests and transactions of the client library,
 * but without it, since that takes twice the processor time; tests of clients publish by the library itself.
 */
export async function publish(options: PublishOptions): Promise<Published> {
  const { network } = options
  const contracts = await deploy(options)
  const own = { nftAddress: contracts.nft, datatokenAddress: contracts.datatoken, files: options.files }
  const ddo = draft(options, contracts, await encrypt(network, options.filesObject?.(own) ?? own))
  options.adjust?.(ddo)
  return { ...contracts, did: ddo.id, ddo, txId: await publishDocument(options, contracts.nft, ddo) }
}

/** Publishes a document of a data NFT, the first or a changed one. Returns the transaction. */
export async function publishDocument(
  { network, publisher }: Pick<PublishOptions, 'network' | 'publisher'>,
  nft: string,
  ddo: DDO,
): Promise<string> {
  const { providerUrl } = network
  const { status, json: valid, text } = await post(`${providerUrl}/api/aquarius/assets/ddo/validate`, ddo)
  if (status !== 200) throw new Error(`The DDO is not valid: ${text}`)
  const { hash, publicKey, v, r, s } = valid as { hash: string; publicKey: string; v: number; r: string[]; s: string[] }
  const proof = { validatorAddress: publicKey, v, r: r[0], s: s[0] }
  const { transactionHash } = await transact(network, publisher, {
    to: nft,
    abi: CONTRACTS,
    functionName: 'setMetaData',
    args: [0, providerUrl, '', '0x02', await encrypt(network, ddo), hash, [proof]],
  })
  return transactionHash
}

/** Encrypts a value on the service. Returns hex. */
async function encrypt({ providerUrl, chainId }: NetworkInfo, value: unknown): Promise<string> {
  const { status, text } = await post(`${providerUrl}/api/services/encrypt?chainId=${chainId}`, value)
  if (status !== 201) throw new Error(`Not encrypted: ${text}`)
  return text
}

function post(url: string, value: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/octet-stream' }
  return ask(url, { method: 'POST', headers, body: JSON.stringify(value) })
}

async function deploy({ network, publisher, pricing = 'free', template = 1 }: PublishOptions) {
  const { addresses } = network
  const owner = await publisher.getAddress()
  const nft = { name: 'Tide tables', symbol: 'TIDE', templateIndex: 1n, tokenURI: '', transferable: true, owner }
  const datatoken = {
    templateIndex: BigInt(template),
    strings: ['Access to tide tables', 'TIDE-1'],
    // minter, payment collector, market and its fee token, and for template 4 the factory of its lists
    addresses: [owner, owner, zeroAddress, zeroAddress, ...(template === 4 ? [addresses.AccessListFactory] : [])],
    uints: [ONE * 100_000n, 0n],
    bytess: [],
  }
  const dispenser = {
    dispenserAddress: addresses.Dispenser,
    maxTokens: ONE * 100n,
    maxBalance: ONE * 100n,
    withMint: true,
    allowedSwapper: zeroAddress,
  }
  const fixedRate = ({ fixed, token }: Exclude<Pricing, 'free'>) => ({
    fixedPriceAddress: addresses.FixedPrice,
    // base token, owner, market, allowed buyer
    addresses: [token?.startsWith('0x') ? token : addresses[(token ?? 'Ocean') as 'Ocean'], owner, owner, zeroAddress],
    // decimals of base token and datatoken, rate, fee of the market, with mint
    uints: [token ? 6n : 18n, 18n, parseEther(fixed), 0n, 1n],
  })
  const { logs } = await transact(network, publisher, {
    to: addresses.ERC721Factory,
    abi: CONTRACTS,
    ...(pricing === 'free'
      ? { functionName: 'createNftWithErc20WithDispenser', args: [nft, datatoken, dispenser] }
      : { functionName: 'createNftWithErc20WithFixedRate', args: [nft, datatoken, fixedRate(pricing)] }),
  })
  const events = parseEventLogs({ abi: CONTRACTS, logs })
  const made = (name: 'NFTCreated' | 'TokenCreated') => {
    const event = events.find(({ eventName }) => eventName === name)
    return (event?.args as { newTokenAddress: string }).newTokenAddress
  }
  const exchange = events.find(({ eventName }) => eventName === 'NewFixedRate')?.args as
    | { exchangeId: string }
    | undefined
  return {
    nft: made('NFTCreated'),
    datatoken: made('TokenCreated'),
    ...(exchange ? { exchangeId: exchange.exchangeId } : {}),
  }
}

function draft(
  { network, timeout = 0 }: PublishOptions,
  contracts: { nft: string; datatoken: string },
  files: string,
): DDO {
  const now = `${new Date().toISOString().slice(0, 19)}Z`
  return {
    '@context': ['https://w3id.org/did/v1'],
    id: `did:op:${createHash('sha256').update(`${contracts.nft}${network.chainId}`).digest('hex')}`,
    version: '4.1.0',
    chainId: network.chainId,
    nftAddress: contracts.nft,
    metadata: {
      created: now,
      updated: now,
      type: 'dataset',
      name: 'Tide tables',
      description: 'Heights of the tide by the hour',
      author: 'Harbour office',
      license: 'https://market.oceanprotocol.com/terms',
    },
    services: [
      {
        id: 'tide-access',
        type: 'access',
        files,
        datatokenAddress: contracts.datatoken,
        serviceEndpoint: network.providerUrl,
        timeout,
      },
    ],
  }
}
