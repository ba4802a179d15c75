import { StorageError } from '@tidegate/protocol'
import type { CID } from 'multiformats/cid'
import type { BlockCache } from '../../cache/block-cache.js'
import { discard, type Egress, type EgressResponse } from '../../egress/egress.js'
import { reasonOf } from '../../http/reasons.js'
import { STORAGE_LIMITS } from '../../limits.js'
import type { RequestContext } from '../../storage.js'
import type { BlockSource } from './block-source.js'
import { DAG_PB } from './blocks.js'
import type { FetchBudget } from './budget.js'
import { CachedBlocks, StoringBlocks } from './cached-blocks.js'
import { CarBlocks } from './car-blocks.js'
import { CarReader } from './car-reader.js'
import { GatewayFailure, gatewayFailure } from './gateway-failure.js'
import { SingleBlocks } from './single-blocks.js'

/** Trustless gateways, in order of preference. */
export interface Gateways {
  egress: Egress
  /** Base URLs without a trailing slash. */
  urls: readonly string[]
  /** Gateways that make no CARs, with the end of that assumption by performance.now(). */
  unable: Map<string, number>
  /** Blocks on disk, for requests with an order; undefined: no cache. */
  cache: BlockCache | undefined
}

const CAR = 'application/vnd.ipld.car'

/** Depth-first with repeated blocks, so that delivered blocks need not be held. */
const ACCEPTED = `${CAR}; version=1; order=dfs; dups=y, ${CAR}; version=1; order=dfs; dups=n; q=0.5`

/** Statuses of gateways that do not make such CARs. */
const UNABLE = new Set([400, 405, 406, 415, 501])
const ABSENT = new Set([404, 410])

/**
 * Chooses the sources of a download's blocks: the cache, then CARs of one gateway after the other, then single blocks. Each source
 * continues where the last one failed.
 */
export class Sources {
  /** Gateways to try for a CAR, in order. */
  private readonly candidates: string[]
  /** Gateways that lack the file or are unreachable. */
  private readonly absent = new Set<string>()
  private resumes = 0
  /** The gateway of the current source; undefined for the cache. */
  private current: string | undefined
  /** The cache, for paid requests only: others must neither fill it nor reveal its content. */
  private readonly cache: BlockCache | undefined
  private triedCache = false
  private failure: StorageError | undefined

  constructor(
    private readonly cid: CID,
    private readonly gateways: Gateways,
    private readonly budget: FetchBudget,
    private readonly context: RequestContext,
  ) {
    this.cache = context.budget === 'paid' ? gateways.cache : undefined
    const now = performance.now()
    const makesCars = (url: string) => (gateways.unable.get(url) ?? 0) <= now
    this.candidates = cid.code === DAG_PB ? gateways.urls.filter(makesCars) : []
  }

  /**
   * Returns the next source. `entityBytes`: the range to request, undefined for the whole file; `opened`: whether the file was read
   * in part. Rejects with StorageError.
   */
  async next(entityBytes: string | undefined, opened: boolean): Promise<BlockSource> {
    const cached = this.cached()
    if (cached) return cached
    for (let url = this.candidates.shift(); url !== undefined; url = this.candidates.shift()) {
      this.current = url
      try {
        return this.storing(await this.car(url, entityBytes))
      } catch (error) {
        this.failed(error, false)
      }
    }
    const left = opened ? this.gateways.urls : this.gateways.urls.filter((url) => !this.absent.has(url))
    if (left.length === 0 && this.failure) throw this.failure
    return this.single(left)
  }

  /** Returns the cache as a source on the first call, if there is one. */
  cached(): BlockSource | undefined {
    if (!this.cache || this.triedCache) return undefined
    this.triedCache = true
    return new CachedBlocks(this.cache, this.single(undefined, 1))
  }

  /** Records that the current source failed. Rethrows errors that no other source can avoid. */
  failed(error: unknown, progressed: boolean): void {
    if (!(error instanceof GatewayFailure)) throw error
    if (this.context.signal.aborted) throw error.error
    const url = this.current
    if (url === undefined) return
    this.failure = error.error
    if (error.problem === 'absent') this.absent.add(url)
    if (error.problem === 'unable')
      this.gateways.unable.set(url, performance.now() + STORAGE_LIMITS.ipfs.unableTimeToLive)
    if (!progressed) return
    this.resumes += 1
    if (this.resumes > STORAGE_LIMITS.ipfs.carResumes) this.candidates.length = 0
    else this.candidates.push(url)
  }

  /** Returns a source that fetches block by block. */
  single(urls: readonly string[] = this.gateways.urls, readAhead?: number): BlockSource {
    return this.storing(new SingleBlocks(this.gateways.egress, urls, this.budget, this.context, readAhead))
  }

  private storing(source: BlockSource): BlockSource {
    return this.cache ? new StoringBlocks(this.cache, source) : source
  }

  private async car(url: string, entityBytes: string | undefined): Promise<BlockSource> {
    const range = entityBytes === undefined ? '' : `&entity-bytes=${entityBytes}`
    const response = await this.request(`${url}/ipfs/${this.cid}?format=car&dag-scope=entity${range}`)
    let { body } = response
    try {
      const repeats = assertCar(response, entityBytes !== undefined)
      ;({ body } = await this.gateways.egress.decoded(response, this.context.budget))
      const reader = new CarReader(body)
      await reader.header()
      const close = () => discard(body)
      return new CarBlocks(reader, { budget: this.budget, single: this.single(undefined, 1), repeats, close })
    } catch (error) {
      discard(body)
      if (error instanceof GatewayFailure || isBusy(error)) throw error
      throw gatewayFailure('broken', 'was cut off')
    }
  }

  private async request(url: string): Promise<EgressResponse> {
    this.budget.spend(STORAGE_LIMITS.ipfs.minBlockCost)
    try {
      const headers = { accept: ACCEPTED }
      return await this.gateways.egress.request({ url, method: 'GET', headers, ...this.context })
    } catch (error) {
      if (!(error instanceof StorageError) || isBusy(error)) throw error
      throw new GatewayFailure('absent', error)
    }
  }
}

/** Returns whether a CAR repeats blocks. Throws GatewayFailure if a response is no CAR. */
function assertCar({ status, headers }: EgressResponse, ranged: boolean): boolean {
  if (status !== 200) {
    // 400 may also mean that the range is outside the file
    const unable = UNABLE.has(status) && !(ranged && status === 400)
    const problem = unable ? 'unable' : ABSENT.has(status) ? 'absent' : 'broken'
    throw gatewayFailure(problem, 'was not handed out', reasonOf(status))
  }
  const type = String(headers['content-type'] ?? '').toLowerCase()
  const [name, ...parameters] = type.split(';').map((part) => part.trim().replaceAll('"', ''))
  const version = parameters.find((parameter) => parameter.startsWith('version='))
  if (name !== CAR || (version ?? 'version=1') !== 'version=1') throw gatewayFailure('unable', 'was not handed out')
  return parameters.includes('dups=y')
}

function isBusy(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'STORAGE_BUSY'
}
