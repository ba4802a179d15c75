import type { Chain, Chains } from '@tidegate/chain'
import { AssetError, type Ddo, type Service, StaleIndexError } from '@tidegate/protocol'
import { didsOf } from '@tidegate/protocol/documents'
import type { Address } from 'viem'

/** An asset from a source, which has verified state and datatokens. */
export interface UnverifiedAsset {
  chainId: number
  nft: Address
  /** On-chain state of the NFT. */
  state: number
  /** When its document was published, in seconds since 1970; undefined if the source does not know. */
  published?: number | undefined
  ddo: Ddo
  /** The datatokens that this NFT deployed through the chain's factory. */
  datatokens: Address[]
}

export interface AssetSource {
  readonly name: string
  /** Returns an asset; undefined if there is none. Throws ProviderError, of which StaleIndexError means unknown. */
  find(did: string): Promise<UnverifiedAsset | undefined>
}

/** A verified asset, with its chain. */
export interface Asset extends UnverifiedAsset {
  chain: Chain
}

/** A service of an asset, with its position in the DDO, which orders refer to. */
export interface AssetService {
  service: Service
  index: number
}

/** Resolves assets by DID. Verifies for each source that DID, NFT and chain agree. */
export class AssetResolver {
  /** Verified assets by the object of the source, which may return it again. */
  private readonly verified = new WeakMap<UnverifiedAsset, Asset>()

  constructor(
    private readonly sources: readonly AssetSource[],
    private readonly chains: Chains,
  ) {}

  /**
   * Resolves an asset.
   * @throws AssetError DID_NOT_RESOLVED if no source has a consistent one, StaleIndexError if that is unknown, ProviderError
   */
  async resolve(did: string): Promise<Asset> {
    let unseen: StaleIndexError | undefined
    for (const source of this.sources) {
      const found = await source.find(did).catch((error: unknown) => {
        if (!(error instanceof StaleIndexError)) throw error
        unseen = error
      })
      if (!found) continue
      unseen = undefined
      const verified = this.verified.get(found)
      if (verified?.ddo.id === did) return verified
      const chain = this.chains.get(found.chainId)
      if (chain && this.isConsistent(did, found)) {
        const asset = { ...found, chain }
        this.verified.set(found, asset)
        return asset
      }
      break // a later source never overrides one that has the asset
    }
    if (unseen) throw unseen
    throw new AssetError('DID_NOT_RESOLVED', `Cannot resolve DID ${printable(did)}`)
  }

  private isConsistent(did: string, { ddo, nft, chainId }: UnverifiedAsset): boolean {
    return didsOf(nft, chainId).includes(did) && ddo.id === did && ddo.nftAddress === nft && ddo.chainId === chainId
  }
}

/** Returns the service with this id, whose datatoken the asset's NFT must have deployed. Throws AssetError. */
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

/** Returns a DID for an error message. Does not echo other input. */
function printable(did: string): string {
  return /^did:ope?:[0-9a-f]{1,64}$/i.test(did) ? did : '(not of the form did:op:…)'
}
