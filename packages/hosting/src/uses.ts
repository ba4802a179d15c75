import { createHmac } from 'node:crypto'
import { checksummed, memoized, PROTOCOL_LIMITS, parseJson, ValidationError } from '@tidegate/protocol'
import { didsOf } from '@tidegate/protocol/documents'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'
import { HOSTED_ID, STORAGE_LIMITS } from '@tidegate/storage'
import { type Address, isAddress } from 'viem'
import type { HostedStore, HostedUse } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'
import { isPublic, PUBLIC_PATH, publicIdsIn, publicMark } from './public-files.js'

/** Domain separation: keeps this secret apart from every other use of the provider key. */
const PURPOSE = 'tidegate hosted file v1'

/** An asset whose document contains a files object that names the file. */
export interface UsingAsset {
  chainId: number
  did: string
}

/** Reads assets from the index. `ddo`: the document as text, or null if it is unreadable. */
export interface PublishedAssets {
  asset(did: string): Promise<{ metadata: { ddo: string | null } } | undefined>
}

/**
 * Finds the assets that use hosted files. Uses are recorded under a keyed hash of the file id when a files object is encrypted
 * or served. So a look-up decrypts nothing.
 */
export class HostedUses {
  /** `keys`: the current provider key, which records uses, then previous keys, whose records still count. */
  constructor(
    private readonly hosted: HostedStore,
    private readonly index: PublishedAssets,
    private readonly keys: readonly ProviderKey[],
  ) {}

  /**
   * Records the hosted files that a newly encrypted document names: a files object by storage objects, any other by the
   * paths of public files. Throws StateError; ValidationError if a files object names a public file.
   */
  async recordEncrypted(chainId: number, document: Buffer, encrypted: Uint8Array): Promise<void> {
    // parses only candidates, since most documents name no files
    if (document.includes(PUBLIC_PATH)) await this.recordNamed(chainId, document.toString('utf8'))
    if (document.length > PROTOCOL_LIMITS.filesObject.size || !document.includes('hosted')) return
    const { nftAddress, files } = parsed(document.toString('utf8'), PROTOCOL_LIMITS.filesObject)
    if (!isNft(nftAddress) || !Array.isArray(files)) return
    const text = Buffer.from(encrypted).toString('hex', 0, 33)
    const [id] = await this.record(chainId, checksummed(nftAddress), files, text)
    if (id !== undefined)
      throw ValidationError.of('files', `The hosted file ${id} is public: anybody reads it, so it cannot be sold.`)
  }

  /**
   * Records the hosted files among storage objects, for the NFT of their files object. Returns the ids of public files,
   * which it does not record. Throws StateError.
   */
  async record(chainId: number, nft: Address, files: readonly unknown[], encrypted: string): Promise<string[]> {
    const list = markOf(encrypted)
    if (list === undefined) return []
    const open: string[] = []
    const ids = [...new Set(files.flatMap(hostedId))].slice(0, STORAGE_LIMITS.files.count)
    for (let at = 0; at < ids.length; at += HOSTING_LIMITS.hosting.known)
      for (const file of await this.hosted.known(ids.slice(at, at + HOSTING_LIMITS.hosting.known)))
        if (isPublic(file)) open.push(file.id)
        else await this.recordUse(file.id, { chainId, nft, list })
    return open
  }

  /** Records the public files that an asset document names by their paths. */
  private async recordNamed(chainId: number, text: string): Promise<void> {
    const { nftAddress, credentialSubject } = parsed(text, PROTOCOL_LIMITS.document)
    const nft = nftAddress ?? (credentialSubject as { nftAddress?: unknown } | undefined)?.nftAddress
    if (!isNft(nft)) return
    for (const file of await this.hosted.known(publicIdsIn(text)))
      if (isPublic(file)) await this.recordUse(file.id, { chainId, nft: checksummed(nft), list: publicMark(file.id) })
  }

  private async recordUse(id: string, use: HostedUse): Promise<void> {
    const [key] = this.keys
    if (!key) return
    await this.hosted.recordUse(keyedHash(key, id), use, HOSTING_LIMITS.hosting.uses)
    await this.hosted.setUsed(id, Date.now())
  }

  /** Returns the hashes under which uses of a file may be recorded. */
  hashesOf(id: string): string[] {
    return this.keys.map((key) => keyedHash(key, id))
  }

  /** Returns the assets in the index that use a file. Throws StateError. */
  async assetsOf(id: string): Promise<UsingAsset[]> {
    return (await this.verdict(id)).assets
  }

  /** Like assetsOf. `isAll`: whether all uses were checked; `chains`: the chains of all uses, also of unpublished assets. */
  async verdict(id: string): Promise<{ assets: UsingAsset[]; isAll: boolean; chains: number[] }> {
    const { uses: limit } = HOSTING_LIMITS.hosting
    const recorded = (await Promise.all(this.hashesOf(id).map((hash) => this.hosted.uses(hash, limit)))).flat()
    const assets: UsingAsset[] = []
    for (const { chainId, did, marks } of byAsset(recorded)) {
      const ddo = (await this.index.asset(did))?.metadata.ddo
      if (ddo === undefined) continue
      const text = ddo?.toLowerCase()
      // an unreadable document may name the file
      if (text === undefined || marks.some((mark) => text.includes(mark))) assets.push({ chainId, did })
    }
    const chains = [...new Set(recorded.map(({ chainId }) => chainId))]
    return { assets, isAll: recorded.length < limit, chains }
  }
}

/** Groups uses by asset. An NFT has one DID per version of the DID format. */
function byAsset(recorded: HostedUse[]): (UsingAsset & { marks: string[] })[] {
  const assets = new Map<string, UsingAsset & { marks: string[] }>()
  for (const { chainId, nft, list } of recorded)
    for (const did of didsOf(nft, chainId)) {
      const asset = assets.get(did) ?? { chainId, did, marks: [] }
      asset.marks.push(list)
      assets.set(did, asset)
    }
  return [...assets.values()]
}

function parsed(text: string, bounds: Parameters<typeof parseJson>[1]): Record<string, unknown> {
  try {
    return (parseJson(text, bounds) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}

function isNft(value: unknown): value is Address {
  return typeof value === 'string' && isAddress(value, { strict: false })
}

function hostedId(file: unknown): string[] {
  const { type, id } = (file ?? {}) as { type?: unknown; id?: unknown }
  const isHosted = typeof type === 'string' && type.toLowerCase() === 'hosted'
  return isHosted && typeof id === 'string' && HOSTED_ID.test(id) ? [id] : []
}

/** Returns the ephemeral key at the start of an encrypted text. It is random, so it identifies the text. */
function markOf(encrypted: string): string | undefined {
  return /^(?:0x)?04([0-9a-f]{64})/i.exec(encrypted.slice(0, 68))?.[1]?.toLowerCase()
}

const secretOf = memoized((key: ProviderKey) => derivedSecret(key, PURPOSE))

function keyedHash(key: ProviderKey, id: string): string {
  return createHmac('sha256', secretOf(key)).update(id).digest('hex')
}
