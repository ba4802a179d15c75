import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@tidegate/common'
import type { Address } from 'viem'
import type { Chain, Chains } from './chains.js'
import { CHAIN_LIMITS } from './limits.js'

const RETRY_AFTER = CHAIN_LIMITS.factory.retry

/** Returns whether an address of a chain has code; undefined if no node answers. */
export async function hasCode({ nodes }: Pick<Chain, 'nodes'>, address: Address): Promise<boolean | undefined> {
  const code = nodes.ask((client) => client.getCode({ address }).then((found) => found ?? '0x'), {
    // a lagging node may not know the contract yet
    accept: (found) => found !== '0x',
  })
  return code.then(
    (found) => found !== '0x',
    () => undefined,
  )
}

/** Returns whether the factory of a chain has code; undefined if no node answers. No code: wrong address file. */
export function hasFactory(chain: Pick<Chain, 'nodes' | 'deployment'>): Promise<boolean | undefined> {
  return hasCode(chain, chain.deployment.factory)
}

/** Looks in the background for factories that were not found at start-up. */
export class FactoryWatch {
  private readonly lost = new Set<number>()
  private readonly stopped = new AbortController()

  constructor(
    private readonly chains: Chains,
    private readonly log: Logger,
  ) {
    // the pauses of every chain listen for it
    setMaxListeners(0, this.stopped.signal)
  }

  /** Whether a node has answered that the factory does not exist. */
  isMissing(chainId: number): boolean {
    return this.lost.has(chainId)
  }

  start(): void {
    for (const chain of this.chains.values()) if (!chain.factoryFound) void this.watch(chain)
  }

  stop(): void {
    this.stopped.abort()
  }

  /** Resolves when the factory is found or the watch is stopped. */
  private async watch(chain: Chain): Promise<void> {
    const { chainId, deployment } = chain
    const { signal } = this.stopped
    while (!signal.aborted) {
      const found = await hasFactory(chain)
      if (found) return void this.lost.delete(chainId)
      if (found === false && !this.lost.has(chainId)) {
        this.lost.add(chainId)
        this.log.error(
          { chainId, factory: deployment.factory },
          'chain has no contract at the factory address: check the address file',
        )
      }
      await sleep(RETRY_AFTER, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
