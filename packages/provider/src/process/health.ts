import type { IndexProgress } from '@tidegate/catalog'
import type { Chain, Chains, ClockWatch, FactoryWatch } from '@tidegate/chain'
import { ProviderError } from '@tidegate/protocol'
import type { StateStore } from '../state/stores.js'

/** Milliseconds for which quotes believe that the database can be used: each look costs a statement. */
const AGE = 1000

export interface HealthSources {
  chains: Chains
  factories: Pick<FactoryWatch, 'isMissing'>
  clock: Pick<ClockWatch, 'offset' | 'isWrong' | 'isWrongOn' | 'assertQuotable'>
  store: Pick<StateStore, 'checkHealth' | 'lastWrite'>
  /** Index progress of each chain. */
  progress(): IndexProgress[]
  /** Whether the index of a chain is current. */
  isCurrent(progress: IndexProgress): boolean
  /** Whether the disk of the embedded database has more space than INDEX_DISK_FLOOR. */
  hasRoom(): Promise<boolean>
  /** Free bytes on the disk of the embedded database; undefined with PostgreSQL. */
  diskLeft(): Promise<number | undefined>
}

/** The health of database, chains, nodes and clock. */
export class Health {
  private looked: { at: number; obstacle: Promise<string | undefined> } | undefined

  constructor(private readonly sources: HealthSources) {}

  /**
   * Throws ProviderError if a download of an order on a chain would fail for a reason of this provider: then it must not
   * quote. Asks nodes that failed again.
   */
  async assertQuotable(chain: Chain): Promise<void> {
    await this.sources.clock.assertQuotable(chain)
    const now = performance.now()
    if (!this.looked || now - this.looked.at >= AGE) this.looked = { at: now, obstacle: this.storeObstacle() }
    const obstacle = (await this.looked.obstacle) ?? this.chainObstacle(chain.chainId)
    if (obstacle) throw cannotDeliver(obstacle)
    await chain.nodes.assertEnough().catch(() => {
      throw cannotDeliver('too few of its nodes answer')
    })
  }

  /** Returns the reason why no download can be accepted; undefined if there is none. */
  private async storeObstacle(): Promise<string | undefined> {
    if (await this.sources.store.checkHealth()) return 'its database cannot be used'
    // the rest of the disk is for orders that are paid already
    return (await this.sources.hasRoom()) ? undefined : 'its disk is nearly full'
  }

  /** Returns the reason why no order of a chain can be accepted; undefined if there is none. */
  private chainObstacle(chainId: number): string | undefined {
    const { clock, factories } = this.sources
    if (clock.isWrong && clock.isWrongOn(chainId)) return 'its clock is wrong'
    return factories.isMissing(chainId) ? 'its nodes do not know the contracts' : undefined
  }

  /** Returns the public progress of each chain, and whether the service is ready. */
  async status() {
    const chains = this.sources.progress().map((progress) => {
      const { chainId, head, block, lag, age } = progress
      return { chainId, ready: this.isReady(progress), head, block, lag, age }
    })
    const ready = chains.every((chain) => chain.ready) && (await this.storeObstacle()) === undefined
    return { ready, chains }
  }

  /** Returns the state of database, disk, chains and nodes, for the operator. */
  async readiness() {
    const { progress, store, hasRoom, diskLeft } = this.sources
    const fault = await store.checkHealth()
    const isUsable = !fault && (await hasRoom())
    const chains = progress().map((chain) => this.describe(chain, isUsable))
    const written = store.lastWrite()
    const bytes = await diskLeft()
    return {
      ready: isUsable && chains.every((chain) => chain.ready),
      store: !fault,
      ...(fault ? { storeTrouble: fault.kind } : {}),
      ...(written === undefined ? {} : { lastWrite: Math.max(0, Date.now() - written) }),
      ...(bytes === undefined ? {} : { diskLeft: bytes }),
      chains,
    }
  }

  /** Whether a chain has a current index and a factory, and agrees with the clock. */
  private isReady(progress: IndexProgress): boolean {
    return this.chainObstacle(progress.chainId) === undefined && this.sources.isCurrent(progress)
  }

  private describe(progress: IndexProgress, isStoreUsable: boolean) {
    const { chains, factories, clock } = this.sources
    const { chainId } = progress
    const nodes = chains.get(chainId)?.nodes
    const health = nodes?.health
    const limits = (health ?? [])
      .map(({ host: node, limits, failure }) => ({ node, limits: failure ? [...limits, failure] : limits }))
      .filter((limited) => limited.limits.length > 0)
    return {
      ...progress,
      nodes: health?.map(({ answers }) => answers),
      factory: !factories.isMissing(chainId),
      clock: clock.offset(chainId),
      ready: this.isReady(progress),
      quotes: isStoreUsable && this.chainObstacle(chainId) === undefined && nodes?.areEnough === true,
      ...(limits.length > 0 ? { limits } : {}),
    }
  }
}

/** Returns the error of a quote that is refused, since a download would fail for a reason of this provider. */
export function cannotDeliver(reason: string): ProviderError {
  return new ProviderError('CANNOT_DELIVER', `This provider cannot deliver now, since ${reason}. Do not pay.`)
}
