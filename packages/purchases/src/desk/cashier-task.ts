import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@tidegate/common'
import type { Cashier } from '../cashier/cashier.js'
import { PURCHASE_LIMITS } from '../limits.js'

interface CashierTaskOptions {
  chainId: number
  cashier: Cashier
  /** Whether this instance is the one that moves the purchases of the chain. */
  leads(): Promise<boolean>
  log: Logger
}

/** Moves the purchases of a chain until it is stopped, while this instance leads. */
export class CashierTask {
  private readonly stopping = new AbortController()
  private running: Promise<void> | undefined

  constructor(private readonly options: CashierTaskOptions) {}

  start(): void {
    this.running = this.run()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async run(): Promise<void> {
    const { chainId, cashier, leads, log } = this.options
    const { signal } = this.stopping
    let trouble: string | undefined
    while (!signal.aborted) {
      try {
        if (await leads()) await cashier.advance()
        trouble = undefined
      } catch (error) {
        const reason = (error as Error).message
        // each trouble once
        if (reason !== trouble) log.warn({ chainId, reason }, 'purchases cannot go on now, retrying')
        trouble = reason
      }
      const { interval } = PURCHASE_LIMITS.cashier
      await sleep(interval, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
