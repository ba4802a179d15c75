import type { Address } from 'viem'
import type { Chain, Chains } from '../chain/chains.js'
import { AssetError } from '../errors.js'
import { type Ddo, didsOf, type Service } from './ddo.js'

/** An asset as one source tells it. Only what the source itself has verified may be marked so. */
export interface SourcedAsset {
  chainId: number
  nft: Address
  /** On-chain state of the NFT. */
  state: number
  ddo: Ddo
  /** The datatokens that this NFT deployed through the chain's factory. */
  datatokens: Address[]
}

/** Where asset documents come from. Each answers what it knows, or undefined; a failure is thrown as ProviderError. */
export interface AssetSource {
  readonly name: string
  find(did: string): Promise<SourcedAsset | undefined>
}

/** An asset that may be believed. */
export interface Asset extends SourcedAsset {
  chain: Chain
}

/** A service of an asset, with its position in the DDO, which orders refer to. */
export interface AssetService {
  service: Service
  index: number
}

/** Finds assets by DID and holds every answer against what a DID promises, whatever the source. */
export class AssetResolver {
  /** Answers that were held against the promise already: sources may give the same one again. */
  private readonly genuine = new WeakMap<SourcedAsset, Asset>()

  constructor(
    private readonly sources: readonly AssetSource[],
    private readonly chains: Chains,
  ) {}

  /** Throws AssetError DID_NOT_RESOLVED where no source knows an asset that can be believed. */
  async resolve(did: string): Promise<Asset> {
    for (const source of this.sources) {
      const found = await source.find(did)
      if (!found) continue
      const known = this.genuine.get(found)
      if (known?.ddo.id === did) return known
      const chain = this.chains.get(found.chainId)
      if (chain && this.isGenuine(did, found)) {
        const asset = { ...found, chain }
        this.genuine.set(found, asset)
        return asset
      }
      break // a source that knows the asset is never overridden by a later one
    }
    throw new AssetError('DID_NOT_RESOLVED', `Cannot resolve DID ${printable(did)}`)
  }

  private isGenuine(did: string, { ddo, nft, chainId }: SourcedAsset): boolean {
    return didsOf(nft, chainId).includes(did) && ddo.id === did && ddo.nftAddress === nft && ddo.chainId === chainId
  }
}

/** The service with this id, whose datatoken must be one that the asset's NFT deployed. Throws AssetError. */
export function serviceOf(asset: Asset, serviceId: string): AssetService {
  const index = asset.ddo.services.findIndex((service) => service.id === serviceId)
  const service = asset.ddo.services[index]
  if (!service) throw new AssetError('UNKNOWN_SERVICE', 'Invalid serviceId.')
  if (!asset.datatokens.includes(service.datatokenAddress))
    throw new AssetError(
      'UNKNOWN_SERVICE',
      "Invalid serviceId. Its datatoken was not deployed by the asset's data NFT.",
    )
  return { service, index }
}

/** The text for a message: what has the form of a DID, else nothing, so that no junk is echoed. */
function printable(did: string): string {
  return /^did:ope?:[0-9a-f]{1,64}$/i.test(did) ? did : '(not of the form did:op:…)'
}
