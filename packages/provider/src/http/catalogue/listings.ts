import { readSearch } from '@tidegate/catalog'
import {
  dcatCatalogue,
  type FileFacts,
  type ListedFile,
  type Listing,
  type PageFacts,
  type Sample,
  type Site,
} from '@tidegate/discovery'
import { PUBLIC_PATH } from '@tidegate/hosting'
import { ProviderError } from '@tidegate/protocol'
import { describedAsset, sellerOf } from '@tidegate/protocol/asset'
import { defined } from '@tidegate/protocol/values'
import type { FileDescription } from '@tidegate/storage'
import type { Address } from 'viem'
import { openService } from '../../access/service.js'
import { verifiedPublishersOf } from '../../config/operator.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { SearchCaller } from '../limits/anonymous.js'
import { type SearchServices, searcher } from '../routes/searcher.js'
import type { Services } from '../services.js'
import { KeptTexts } from './kept-texts.js'

const LIMITS = PROVIDER_LIMITS.catalogue

/** A text about a page of the newest assets. */
interface ListRequest {
  /** Names the text. */
  kind: string
  /** Default: the first. */
  page?: number
  /** Default: the assets of everybody. */
  publisher?: Address
  write: (listings: Listing[], facts: PageFacts) => string
}

/** A page of assets that match a query. */
interface FoundSearch {
  query: object
  from?: number
  size: number
}

/**
 * The assets of the public catalogue, as a search finds them: what it hides, none of these formats tells, nor what is in
 * purgatory. Unlisted assets have a page, and are in no list.
 */
export class Listings {
  private readonly run
  private readonly kept = new KeptTexts()
  /** The conditions of assets that have a page. */
  private readonly told: object[]
  /** The query of assets that are in lists. */
  private readonly listed: object
  /** The names of verified publishers. */
  readonly verified

  constructor(private readonly services: SearchServices & Pick<Services, 'access' | 'uploads'>) {
    this.run = searcher(services)
    const { CATALOGUE_OWN, PUBLIC_URL } = services.settings
    this.verified = verifiedPublishersOf(services.settings)
    this.told = [{ term: { 'purgatory.state': false } }, ...(CATALOGUE_OWN ? [servedAt(String(PUBLIC_URL))] : [])]
    this.listed = { bool: { must_not: [{ term: { 'nft.state': UNLISTED } }], filter: this.told } }
  }

  /** Returns a text about an asset; undefined if a search would not find it. `kind` names the text. Throws ChainError, SearchError. */
  async textOf(
    site: Site,
    did: string,
    { kind, write, caller }: { kind: string; write: (listing: Listing) => string; caller: SearchCaller },
  ): Promise<string | undefined> {
    const query = { bool: { filter: [{ ids: { values: [did] } }, ...this.told] } }
    const { key } = await this.found(site, { query, size: 1 }, caller)
    if (key === undefined) return undefined
    const text = await this.kept.text(`${kind} ${key}`, caller, async () => {
      const { hits } = await this.run({ search: readSearch({ query, size: 1 }) }, caller)
      for await (const { document } of hits) {
        const listing = await this.listingOf(site, document, LIMITS.files, caller.signal)
        if (listing) return write(listing)
      }
      return ''
    })
    return text || undefined
  }

  /**
   * Finds a page of the newest assets, or of those that `publisher` has described. `text` makes a text about them. Both throw
   * ChainError, SearchError.
   */
  async list(site: Site, { kind, page = 1, publisher, write }: ListRequest, caller: SearchCaller) {
    const { key, listings, facts } = await this.page(site, page, caller, publisher)
    const make = async () => write(await all(listings()), facts)
    return { total: facts.total, text: () => this.kept.text(`${kind} ${publisher} ${key}`, caller, make) }
  }

  /** Yields a page of the newest assets as DCAT. Throws ChainError, SearchError. */
  async pageParts(site: Site, page: number, caller: SearchCaller): Promise<AsyncGenerator<string>> {
    const { key, listings, facts } = await this.page(site, page, caller)
    return this.kept.parts(`dcat ${key}`, () => dcatCatalogue(site, facts, listings()))
  }

  /** Finds a page of the newest assets, of one publisher if there is one. */
  private async page(site: Site, page: number, caller: SearchCaller, publisher?: Address) {
    const size = LIMITS.page
    const [query, from] = [publisher ? this.listedOf(publisher) : this.listed, (page - 1) * size]
    const { key, found } = await this.found(site, { query, from, size }, caller)
    const { value: total, relation } = found.total ?? { value: 0, relation: 'eq' }
    const isAtLeast = relation === 'gte'
    // beyond what is counted, a full page may be the last one
    const isFollowed = isAtLeast ? found.hits.length === size : page * size < total
    const facts: PageFacts = { page, total, isAtLeast, hasNext: isFollowed && page < LIMITS.pages }
    const { run } = this
    const listingOf = (document: string | undefined) =>
      this.listingOf(site, document, LIMITS.filesInPage, caller.signal)
    const listings = async function* (): AsyncGenerator<Listing> {
      const { hits } = await run({ search: { ...readSearch({ query }), from, size } }, caller)
      for await (const { document } of hits) {
        const listing = await listingOf(document)
        if (listing) yield listing
      }
    }
    return { key: `${page} ${key}`, facts, listings }
  }

  /** Returns the query of the listed assets whose newest metadata an account has sent. Who deploys a data NFT chooses its owner. */
  private listedOf(publisher: Address): object {
    return { bool: { must: [this.listed], filter: [{ term: { 'event.from': publisher } }] } }
  }

  /** Looks for assets without their documents: what is hidden now is in no kept text. `key` is undefined without assets. */
  private async found(site: Site, { query, from = 0, size }: FoundSearch, caller: SearchCaller) {
    const search = { ...readSearch({ query, _source: false }), from, size }
    const { found } = await this.run({ search }, caller)
    const dids = found.hits.map(({ did }) => did)
    return { found, key: dids.length > 0 ? JSON.stringify([site.base, found.total, ...dids]) : undefined }
  }

  /** Yields the DIDs of listed assets in groups, the newest first. Throws ChainError, SearchError. */
  async *dids(first: number, most: number, caller: SearchCaller): AsyncGenerator<string[]> {
    for (let from = first; from < first + most; from += LIMITS.group) {
      const size = Math.min(LIMITS.group, first + most - from)
      const search = { ...readSearch({ query: this.listed, _source: false, track_total_hits: false }), from, size }
      const { found } = await this.run({ search }, caller)
      const dids = found.hits.map(({ did }) => did)
      if (dids.length > 0) yield dids
      if (dids.length < size) return
    }
  }

  /** Returns the number of listed assets, up to a limit. Throws ChainError, SearchError. */
  async count(caller: SearchCaller): Promise<number> {
    const search = { ...readSearch({ query: this.listed, _source: false }), size: 0, countUpTo: LIMITS.counted }
    return (await this.run({ search }, caller)).found.total?.value ?? 0
  }

  private async listingOf(site: Site, document: string | undefined, most: number, signal: AbortSignal) {
    if (document === undefined) return undefined
    const served = JSON.parse(document)
    const asset = describedAsset(site.base, served)
    if (!asset) return undefined
    const files = new Map<string, ListedFile[]>()
    let left = most
    for (const { id } of asset.services.slice(0, LIMITS.services)) {
      const own = await this.filesOf(asset.did, id, left, signal)
      files.set(id, own)
      left -= own.length
      if (left <= 0) break
    }
    const seller = sellerOf(asset, this.verified)
    const { txid: tx, datetime: time } = served.indexedMetadata.event
    return { site, asset, seller, newest: { tx, time }, files, samples: await this.samplesOf(site, asset) }
  }

  /** Returns the public files of this provider that an asset links to. */
  private async samplesOf({ base }: Site, { links }: Listing['asset']): Promise<Sample[]> {
    const samples: Sample[] = []
    for (const { url, name, isHere } of links) {
      const id = url.slice(`${base}${PUBLIC_PATH}/`.length).split('/')[0] as string
      const file = isHere ? await this.services.uploads.hosting?.findPublic(id) : undefined
      if (file) samples.push({ name, url, contentType: file.contentType, size: file.size, sha256: file.sha256 })
    }
    return samples
  }

  /** Returns what is known of files without asking their storages. Empty for services of other providers. */
  private async filesOf(did: string, serviceId: string, most: number, signal: AbortSignal): Promise<ListedFile[]> {
    const files: ListedFile[] = []
    try {
      const { count, file: at } = await openService(this.services.access, did, serviceId)
      // a list may have thousands, each of which is checked when it is read
      for (let index = 0; index < Math.min(count(), most); index++) {
        const file = at(index)
        const name = file.publicName === undefined ? {} : { name: file.publicName }
        const described = file.type === 'hosted' ? await file.describe({ signal, budget: 'anonymous' }) : undefined
        files.push({ index, ...name, ...(described?.valid ? factsOf(described) : {}) })
      }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
    }
    return files
  }
}

async function all(listings: AsyncIterable<Listing>): Promise<Listing[]> {
  const list: Listing[] = []
  for await (const listing of listings) list.push(listing)
  return list
}

/** The state of unlisted assets, which their link alone opens. */
const UNLISTED = 5

/** Returns what a storage tells of a file. */
function factsOf({ contentType, contentLength: size, sha256 }: FileDescription): FileFacts {
  return defined({ contentType, size, sha256 })
}

/** Returns the condition that a service names this provider. */
function servedAt(url: string): object {
  const fields = ['services.serviceEndpoint', 'credentialSubject.services.serviceEndpoint']
  const values = [url, `${url}/`]
  const should = fields.flatMap((field) => values.map((value) => ({ term: { [`${field}.keyword`]: value } })))
  return { bool: { should, minimum_should_match: 1 } }
}
