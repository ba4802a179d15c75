import { ethers, type Signer } from 'ethers'
import type { NetworkInfo } from '../../src/dev/network.js'
import { type DDO, type DispenserCreationParams, type FreCreationParams, ocean } from './ocean.js'

const ZERO = ethers.constants.AddressZero

export type Pricing = 'free' | { fixed: string }

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

export interface PublishOptions {
  network: NetworkInfo
  publisher: Signer
  /** Storage objects. */
  files: object[]
  pricing?: Pricing
  /** Seconds; 0 for no limit. */
  timeout?: number
  /** 1 or 2 (enterprise). */
  template?: 1 | 2
  /** Modifies the DDO before it is encrypted and published. */
  adjust?: (ddo: DDO) => void
  /** Returns what is encrypted as `files`, instead of the usual object for this NFT and datatoken. */
  filesObject?: (own: { nftAddress: string; datatokenAddress: string; files: object[] }) => unknown
  /** Called after each step. */
  onStep?: (step: string) => void
}

/** Publishes an asset through the client library, as publishers do: contracts, files, DDO, metadata. */
export async function publish(options: PublishOptions): Promise<Published> {
  const { network, publisher, onStep = () => undefined } = options
  const { providerUrl, chainId } = network
  const contracts = await deploy(options)
  onStep(`data NFT ${contracts.nft} and datatoken ${contracts.datatoken} created`)

  const own = { nftAddress: contracts.nft, datatokenAddress: contracts.datatoken, files: options.files }
  const encryptedFiles = await ocean.ProviderInstance.encrypt(options.filesObject?.(own) ?? own, chainId, providerUrl)
  onStep('files object encrypted')

  const ddo = draft(options, contracts, encryptedFiles)
  options.adjust?.(ddo)
  const { valid, hash, proof, errors } = await new ocean.Aquarius(providerUrl).validate(ddo)
  if (!valid) throw new Error(`The DDO is not valid: ${JSON.stringify(errors)}`)
  const encryptedDdo = await ocean.ProviderInstance.encrypt(ddo, chainId, providerUrl)
  onStep('DDO validated and encrypted')

  const owner = await publisher.getAddress()
  const nft = new ocean.Nft(publisher, chainId)
  const tx = await nft.setMetadata(
    contracts.nft,
    owner,
    0,
    providerUrl,
    '',
    ethers.utils.hexlify(2),
    encryptedDdo,
    hash as string,
    [proof as never],
  )
  const { transactionHash } = await (tx as ethers.ContractTransaction).wait()
  onStep(`metadata published in transaction ${transactionHash}`)
  return { ...contracts, did: ddo.id, ddo, txId: transactionHash }
}

async function deploy({ network, publisher, pricing = 'free', template = 1 }: PublishOptions) {
  const { addresses, chainId } = network
  const owner = await publisher.getAddress()
  const factory = new ocean.NftFactory(addresses.ERC721Factory, publisher, chainId)
  const nftParams = { name: 'Tide tables', symbol: 'TIDE', templateIndex: 1, tokenURI: '', transferable: true, owner }
  const tokenParams = {
    templateIndex: template,
    cap: '100000',
    feeAmount: '0',
    paymentCollector: owner,
    feeToken: ZERO,
    minter: owner,
    mpFeeAddress: ZERO,
    name: 'Access to tide tables',
    symbol: 'TIDE-1',
  }
  const tx =
    pricing === 'free'
      ? await factory.createNftWithDatatokenWithDispenser(nftParams, tokenParams, dispenser(network))
      : await factory.createNftWithDatatokenWithFixedRate(
          nftParams,
          tokenParams,
          fixedRate(network, owner, pricing.fixed),
        )
  const receipt = await (tx as ethers.ContractTransaction).wait()
  const event = (name: string) => receipt.events?.find((found) => found.event === name)?.args
  const exchangeId = event('NewFixedRate')?.exchangeId as string | undefined
  return {
    nft: event('NFTCreated')?.newTokenAddress as string,
    datatoken: event('TokenCreated')?.newTokenAddress as string,
    ...(exchangeId ? { exchangeId } : {}),
  }
}

function dispenser({ addresses }: NetworkInfo): DispenserCreationParams {
  return {
    dispenserAddress: addresses.Dispenser,
    maxTokens: '100',
    maxBalance: '100',
    withMint: true,
    allowedSwapper: ZERO,
  }
}

function fixedRate({ addresses }: NetworkInfo, owner: string, rate: string): FreCreationParams {
  return {
    fixedRateAddress: addresses.FixedPrice,
    baseTokenAddress: addresses.Ocean,
    owner,
    marketFeeCollector: owner,
    baseTokenDecimals: 18,
    datatokenDecimals: 18,
    fixedRate: rate,
    marketFee: '0',
    withMint: true,
    allowedConsumer: ZERO,
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
    id: ocean.generateDid(contracts.nft, network.chainId),
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
