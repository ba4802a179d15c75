import type { IndexProgress } from '@tidegate/catalog'
import type { Chain, Chains, ClockWatch, FactoryWatch } from '@tidegate/chain'
import type { StateStore } from '../state/stores.js'

export interface HealthSources {
  chains: Chains
  factories: Pick<FactoryWatch, 'isMissing'>
  clock: Pick<ClockWatch, 'offset' | 'isWrong' | 'isWrongOn' | 'assertQuotable'>
  store: Pick<StateStore, 'checkHealth' | 'lastWrite'>
  /** Index progress of each chain. */
  progress(): IndexProgress[]
  /** Whether the index of a chain is current. */
  isCurrent(progress: IndexProgress): boolean
  /** Free bytes on the disk of the embedded database; undefined with PostgreSQL. */
  diskLeft(): Promise<number | undefined>
}

/** The health of database, chains, nodes and clock. */
export class Health {
  constructor(private readonly sources: HealthSources) {}

  /** Throws ChainError if the clock of this machine is too wrong for quotes on a chain. */
  assertQuotable(chain: Chain): Promise<void> {
    return this.sources.clock.assertQuotable(chain)
  }

  /** Returns the public progress of each chain, and whether the service is ready. */
  async status() {
    const chains = this.sources.progress().map((progress) => {
      const { chainId, head, block, lag, age } = progress
      return { chainId, ready: this.isReady(progress), head, block, lag, age }
    })
    const ready = chains.every((chain) => chain.ready) && (await this.sources.store.checkHealth()) === undefined
    return { ready, chains }
  }

  /** Returns the state of database, disk, chains and nodes, for the operator. */
  async readiness() {
    const { progress, store, diskLeft } = this.sources
    const chains = progress().map((chain) => this.describe(chain))
    const fault = await store.checkHealth()
    const written = store.lastWrite()
    const bytes = await diskLeft()
    return {
      ready: !fault && chains.every((chain) => chain.ready),
      store: !fault,
      ...(fault ? { storeTrouble: fault.kind } : {}),
      ...(written === undefined ? {} : { lastWrite: Math.max(0, Date.now() - written) }),
      ...(bytes === undefined ? {} : { diskLeft: bytes }),
      chains,
    }
  }

  /** Whether a chain has a current index and a factory, and agrees with the clock. */
  private isReady(progress: IndexProgress): boolean {
    const { factories, clock, isCurrent } = this.sources
    const { chainId } = progress
    const isClockWrong = clock.isWrong && clock.isWrongOn(chainId)
    return !factories.isMissing(chainId) && !isClockWrong && isCurrent(progress)
  }

  private describe(progress: IndexProgress) {
    const { chains, factories, clock } = this.sources
    const { chainId } = progress
    const health = chains.get(chainId)?.nodes.health
    const limits = (health ?? [])
      .map(({ host: node, limits, failure }) => ({ node, limits: failure ? [...limits, failure] : limits }))
      .filter((limited) => limited.limits.length > 0)
    return {
      ...progress,
      nodes: health?.map(({ answers }) => answers),
      factory: !factories.isMissing(chainId),
      clock: clock.offset(chainId),
      ready: this.isReady(progress),
      ...(limits.length > 0 ? { limits } : {}),
    }
  }
}
