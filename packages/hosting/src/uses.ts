import { createHmac } from 'node:crypto'
import { checksummed, memoized, PROTOCOL_LIMITS, parseJson, ValidationError } from '@tidegate/protocol'
import { didOf, didsOf } from '@tidegate/protocol/documents'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'
import { HOSTED_ID, STORAGE_LIMITS } from '@tidegate/storage'
import { type Address, isAddress } from 'viem'
import type { HostedRow, HostedStore, HostedUse } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'
import { isPublic } from './public-files.js'

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
 * Finds the assets that use hosted files. Uses of private files are recorded under a keyed hash of the file id when a files object is
 * encrypted or served, so that a look-up decrypts nothing; those of public files when a document is indexed.
 */
export class HostedUses {
  /**
   * `keys`: the current provider key, which records uses, then previous keys, whose records still count. `chains`: all served ones,
   * on each of which a document may name a public file.
   */
  constructor(
    private readonly hosted: HostedStore,
    private readonly index: PublishedAssets,
    private readonly keys: readonly ProviderKey[],
    private readonly chains: readonly number[] = [],
  ) {}

  /**
   * Records the hosted files that a newly encrypted files object names. The index records the public files that a document names:
   * anybody may encrypt one. Throws StateError; ValidationError if a files object names a public file.
   */
  async recordEncrypted(chainId: number, document: Buffer, encrypted: Uint8Array): Promise<void> {
    // parses only candidates, since most documents name no files
    if (document.length > PROTOCOL_LIMITS.filesObject.size || !document.includes('hosted')) return
    const { nftAddress, files } = parsed(document.toString('utf8'))
    if (!isNft(nftAddress) || !Array.isArray(files)) return
    const text = Buffer.from(encrypted).toString('hex', 0, 33)
    const [id] = await this.record(chainId, checksummed(nftAddress), files, text)
    if (id !== undefined)
      throw ValidationError.of('files', `The hosted file ${id} is public: anybody reads it, so it cannot be sold.`)
  }

  /**
   * Records the private files among storage objects, for the NFT of their files object, in one transaction. Returns the ids of public
   * files. Throws StateError.
   */
  async record(chainId: number, nft: Address, files: readonly unknown[], encrypted: string): Promise<string[]> {
    const [list, [key]] = [markOf(encrypted), this.keys]
    if (list === undefined || !key) return []
    const ids = [...new Set(files.flatMap(hostedId))].slice(0, STORAGE_LIMITS.files.count)
    const known: Pick<HostedRow, 'id' | 'metadata'>[] = []
    for (let at = 0; at < ids.length; at += HOSTING_LIMITS.hosting.known)
      known.push(...(await this.hosted.known(ids.slice(at, at + HOSTING_LIMITS.hosting.known))))
    const used = known.filter((file) => !isPublic(file)).map(({ id }) => ({ id, hash: keyedHash(key, id) }))
    if (used.length > 0)
      await this.hosted.recordUses(used, { chainId, nft, list }, HOSTING_LIMITS.hosting.uses, Date.now())
    return known.filter(isPublic).map(({ id }) => id)
  }

  /** Returns the names under which uses of a file may be recorded: keyed hashes, and the id that documents tell of a public one. */
  namesOf({ id, metadata }: UsedFile): string[] {
    return isPublic({ metadata }) ? [id] : this.keys.map((key) => keyedHash(key, id))
  }

  /** Returns the assets that have used a public file, each with a function that reads whether it does now. Throws StateError. */
  async ofPublic(id: string): Promise<{ did: string; usesNow(): Promise<boolean> }[]> {
    const uses = await this.hosted.uses(id, HOSTING_LIMITS.hosting.uses)
    return uses.map((use) => ({
      did: didOf(use.nft as Address, use.chainId),
      usesNow: async () => (await this.published([{ id, uses: [use] }])).has(id),
    }))
  }

  /** Returns some of the assets in the index that use each file, by its id. The work is bounded. Throws StateError. */
  async assetsOf(files: readonly UsedFile[]): Promise<Map<string, UsingAsset[]>> {
    const recorded = await Promise.all(files.map((file) => this.recorded(file, HOSTING_LIMITS.hosting.usesListed)))
    return this.published(files.map(({ id }, at) => ({ id, uses: recorded[at] as HostedUse[] })))
  }

  /**
   * Returns the assets in the index that use a file. `isAll`: whether all uses are recorded; `chains`: the chains where an asset may
   * use it. Throws StateError.
   */
  async verdict(file: UsedFile): Promise<{ assets: UsingAsset[]; isAll: boolean; chains: readonly number[] }> {
    const { uses: limit } = HOSTING_LIMITS.hosting
    const uses = await this.recorded(file, limit)
    const assets = (await this.published([{ id: file.id, uses }])).get(file.id) ?? []
    const chains = isPublic(file) ? this.chains : [...new Set(uses.map(({ chainId }) => chainId))]
    return { assets, isAll: uses.length < limit, chains }
  }

  private async recorded(file: UsedFile, limit: number): Promise<HostedUse[]> {
    return (await Promise.all(this.namesOf(file).map((name) => this.hosted.uses(name, limit)))).flat()
  }

  /** Returns the assets whose published documents have the mark of a use. Reads each document once, however many files it names. */
  private async published(files: readonly { id: string; uses: HostedUse[] }[]): Promise<Map<string, UsingAsset[]>> {
    const using = new Map<string, UsingAsset[]>()
    for (const { chainId, did, marks } of byAsset(files).slice(0, HOSTING_LIMITS.hosting.usesChecked)) {
      const ddo = (await this.index.asset(did))?.metadata.ddo
      if (ddo === undefined) continue
      const text = ddo?.toLowerCase()
      // an unreadable document may name the file
      for (const [id, lists] of marks)
        if (text === undefined || lists.some((list) => text.includes(list)))
          using.set(id, [...(using.get(id) ?? []), { chainId, did }])
    }
    return using
  }
}

type UsedFile = Pick<HostedRow, 'id' | 'metadata'>

/** An asset with the marks of its uses, by file. */
type Candidate = UsingAsset & { marks: Map<string, string[]> }

/** Groups uses by asset. An NFT has one DID per version of the DID format. */
function byAsset(files: readonly { id: string; uses: HostedUse[] }[]): Candidate[] {
  const assets = new Map<string, Candidate>()
  for (const { id, uses } of files)
    for (const { chainId, nft, list } of uses)
      for (const did of didsOf(nft, chainId)) {
        const asset = assets.get(did) ?? { chainId, did, marks: new Map() }
        const lists = asset.marks.get(id) ?? []
        lists.push(list)
        asset.marks.set(id, lists)
        assets.set(did, asset)
      }
  return [...assets.values()]
}

function parsed(text: string): Record<string, unknown> {
  try {
    return (parseJson(text, PROTOCOL_LIMITS.filesObject) ?? {}) as Record<string, unknown>
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
