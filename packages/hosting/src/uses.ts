import { createHmac } from 'node:crypto'
import { checksummed, memoized, PROTOCOL_LIMITS, parseJson } from '@tidegate/protocol'
import { didsOf } from '@tidegate/protocol/documents'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'
import { HOSTED_ID, STORAGE_LIMITS } from '@tidegate/storage'
import { type Address, isAddress } from 'viem'
import type { HostedStore, HostedUse } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'

/** Domain separation: keeps this secret apart from every other use of the provider key. */
const PURPOSE = 'tidegate hosted file v1'

/** An asset whose document holds a files object that names the file. */
export interface UsingAsset {
  chainId: number
  did: string
}

/** Reads assets of the index. `ddo` is the document as text, or null if it is unreadable. */
export interface PublishedAssets {
  asset(did: string): Promise<{ metadata: { ddo: string | null } } | undefined>
}

/**
 * Which assets use hosted files. It is recorded when a files object is encrypted or served, by a keyed hash of the id: so
 * the answer is read from the index, and nothing is decrypted for it.
 */
export class HostedUses {
  /** `keys`: the current provider key, which records uses, then previous ones, whose records still count. */
  constructor(
    private readonly hosted: HostedStore,
    private readonly index: PublishedAssets,
    private readonly keys: readonly ProviderKey[],
  ) {}

  /** Records what a document that was just encrypted names, if it is a files object. Throws StateError. */
  async recordEncrypted(chainId: number, document: Buffer, encrypted: Uint8Array): Promise<void> {
    // most documents are not, so only candidates are parsed
    if (document.length > HOSTING_LIMITS.hosting.filesObject || !document.includes('hosted')) return
    const { nftAddress, files } = filesObject(document)
    if (typeof nftAddress === 'string' && isAddress(nftAddress, { strict: false }) && Array.isArray(files))
      await this.record(chainId, checksummed(nftAddress), files, Buffer.from(encrypted).toString('hex', 0, 33))
  }

  /** Records the hosted files among storage objects, for the NFT that they were encrypted for. Throws StateError. */
  async record(chainId: number, nft: Address, files: readonly unknown[], encrypted: string): Promise<void> {
    const [key] = this.keys
    const list = markOf(encrypted)
    if (!key || list === undefined) return
    const ids = [...new Set(files.flatMap(hostedId))].slice(0, STORAGE_LIMITS.files.count)
    for (let at = 0; at < ids.length; at += HOSTING_LIMITS.hosting.known)
      for (const id of await this.hosted.known(ids.slice(at, at + HOSTING_LIMITS.hosting.known))) {
        await this.hosted.recordUse(keyedHash(key, id), { chainId, nft, list })
        await this.hosted.setUsed(id, Date.now())
      }
  }

  /** The hashes under which uses of a file may be recorded. */
  hashesOf(id: string): string[] {
    return this.keys.map((key) => keyedHash(key, id))
  }

  /** Returns the assets of the index that use a file now. Throws StateError. */
  async assetsOf(id: string): Promise<UsingAsset[]> {
    return (await this.verdict(id)).assets
  }

  /** The same, whether these are all, and the chains of the assets that it was encrypted for, published or not. */
  async verdict(id: string): Promise<{ assets: UsingAsset[]; isAll: boolean; chains: number[] }> {
    const { uses: limit } = HOSTING_LIMITS.hosting
    const recorded = (await Promise.all(this.hashesOf(id).map((hash) => this.hosted.uses(hash, limit)))).flat()
    const assets: UsingAsset[] = []
    for (const { chainId, did, marks } of byAsset(recorded)) {
      const ddo = (await this.index.asset(did))?.metadata.ddo
      if (ddo === undefined) continue
      const text = ddo?.toLowerCase()
      // a document that could not be read may name the file
      if (text === undefined || marks.some((mark) => text.includes(mark))) assets.push({ chainId, did })
    }
    const chains = [...new Set(recorded.map(({ chainId }) => chainId))]
    return { assets, isAll: recorded.length < limit, chains }
  }
}

/** What was recorded, by the assets that may use the file: an NFT has a DID of each generation. */
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

function filesObject(document: Buffer): { nftAddress?: unknown; files?: unknown } {
  try {
    return (parseJson(document.toString('utf8'), PROTOCOL_LIMITS.body) ?? {}) as object
  } catch {
    return {}
  }
}

function hostedId(file: unknown): string[] {
  const { type, id } = (file ?? {}) as { type?: unknown; id?: unknown }
  const isHosted = typeof type === 'string' && type.toLowerCase() === 'hosted'
  return isHosted && typeof id === 'string' && HOSTED_ID.test(id) ? [id] : []
}

/** The ephemeral key at the beginning of an encrypted text: random, and so in no other text. */
function markOf(encrypted: string): string | undefined {
  return /^(?:0x)?04([0-9a-f]{64})/i.exec(encrypted.slice(0, 68))?.[1]?.toLowerCase()
}

const secretOf = memoized((key: ProviderKey) => derivedSecret(key, PURPOSE))

function keyedHash(key: ProviderKey, id: string): string {
  return createHmac('sha256', secretOf(key)).update(id).digest('hex')
}
