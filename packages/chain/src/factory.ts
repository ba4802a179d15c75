import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@tidegate/common'
import type { Chain, Chains } from './chains.js'

/** Milliseconds between two attempts to look for a factory. */
const RETRY_AFTER = 2000

/**
 * Returns whether the factory of a chain has code at one of its nodes; undefined if no node answers. Without it the
 * address file is that of another network, and no asset would ever be found.
 */
export async function hasFactory({
  nodes,
  deployment: { factory: address },
}: Pick<Chain, 'nodes' | 'deployment'>): Promise<boolean | undefined> {
  const code = nodes.ask((client) => client.getCode({ address }).then((found) => found ?? '0x'), {
    // a node that lags may not know it yet
    accept: (found) => found !== '0x',
  })
  return code.then(
    (found) => found !== '0x',
    () => undefined,
  )
}

/** Looks in the background for the factories that were not found at the start, as soon as a node of their chain answers. */
export class FactoryWatch {
  private readonly lost = new Set<number>()
  private readonly stopped = new AbortController()

  constructor(
    private readonly chains: Chains,
    private readonly log: Logger,
  ) {}

  /** Whether a chain was found to be without its factory. */
  isMissing(chainId: number): boolean {
    return this.lost.has(chainId)
  }

  start(): void {
    for (const chain of this.chains.values()) if (!chain.factoryFound) void this.watch(chain)
  }

  stop(): void {
    this.stopped.abort()
  }

  /** Returns when the factory was found, or the watch was stopped. */
  private async watch(chain: Chain): Promise<void> {
    const { chainId, deployment } = chain
    const { signal } = this.stopped
    while (!signal.aborted) {
      const found = await hasFactory(chain)
      if (found) return void this.lost.delete(chainId)
      if (found === false && !this.lost.has(chainId)) {
        this.lost.add(chainId)
        this.log.error({ chainId, factory: deployment.factory }, 'chain has no such factory: is this its address file?')
      }
      await sleep(RETRY_AFTER, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
