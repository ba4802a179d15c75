import { setTimeout as sleep } from 'node:timers/promises'
import type { SaleStore } from '@tidegate/catalog'
import type { Logger } from '@tidegate/common'
import type { Delivery } from '../deliveries/open-deliveries.js'
import { backoffAfter, RetryQueue } from '../deliveries/retry-queue.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { deliveryEvent, orderEvent } from './event.js'
import { addEvents, type EventStore, type QueuedEvent } from './event-table.js'
import type { WebhookSender } from './webhook-sender.js'

const LIMITS = PROVIDER_LIMITS.webhooks

export interface WebhookOptions {
  sales: SaleStore
  events: EventStore
  sender: WebhookSender
  chains: readonly number[]
  /** Milliseconds between two looks for new orders. */
  interval: number
  /** Counts attempts and events that are given up. */
  count: (outcome: 'sent' | 'failed' | 'given_up', events: number) => void
  log: Logger
}

/** Queues an event for each change of an order and each delivery, and sends them to the receiver, each at least once. */
export class Webhooks {
  private readonly queue: RetryQueue<QueuedEvent>
  private readonly stopping = new AbortController()
  private running: Promise<unknown> | undefined
  private expiry: NodeJS.Timeout | undefined
  /** Whether the last attempt failed: each change is logged once. */
  private isRefused = false

  constructor(private readonly options: WebhookOptions) {
    const { events, log } = options
    this.queue = new RetryQueue({
      claim: events.claim,
      attempt: (event) => this.attempt(event),
      isParallel: true,
      name: 'events',
      log,
    })
  }

  start(): void {
    this.running = Promise.all(this.options.chains.map((chainId) => this.follow(chainId)))
    this.expiry = setInterval(() => this.expire(), LIMITS.expiryInterval).unref()
    this.expire()
    this.queue.start()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    clearInterval(this.expiry)
    await Promise.all([this.running, this.queue.stop()])
  }

  /** Closes the connections to the receiver. */
  close(): Promise<void> {
    return this.options.sender.close()
  }

  /** Queues the events of deliveries. Throws StateError. */
  async addDeliveries(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return
    this.giveUp(await this.options.events.add(deliveries.map(deliveryEvent), Date.now()), 'too many wait')
    this.queue.kick()
  }

  /** Queues the events of the orders of a chain until the service stops. */
  private async follow(chainId: number): Promise<void> {
    const { sales, interval, log } = this.options
    const { signal } = this.stopping
    let hasBegun = false
    while (!signal.aborted) {
      try {
        if (!hasBegun) await sales.begin(chainId, Date.now())
        hasBegun = true
        while (!signal.aborted && (await this.addOrders(chainId)));
      } catch (error) {
        log.warn({ chainId, reason: (error as Error).message }, 'events of orders cannot be queued, retrying')
      }
      await sleep(interval, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  private async addOrders(chainId: number): Promise<boolean> {
    let dropped = 0
    const isMore = await this.options.sales.report(chainId, Date.now() - LIMITS.age, function* (changes) {
      dropped = yield* addEvents(changes.map(orderEvent), Date.now())
    })
    this.giveUp(dropped, 'too many wait')
    this.queue.kick()
    return isMore
  }

  private async attempt({ id, body, attempts }: QueuedEvent): Promise<boolean> {
    const { events, sender, count, log } = this.options
    const reason = await sender.send(body).then(
      () => undefined,
      (error: Error) => error.message,
    )
    count(reason === undefined ? 'sent' : 'failed', 1)
    if (reason === undefined) await events.done(id)
    else await events.retry(id, Date.now() + backoffAfter(attempts))
    const hasChanged = this.isRefused !== (reason !== undefined)
    this.isRefused = reason !== undefined
    if (hasChanged && reason) log.warn({ id, attempts, reason: `the receiver ${reason}` }, 'webhook failed, retrying')
    if (hasChanged && !reason) log.info({ id }, 'webhooks arrive again')
    return reason === undefined
  }

  private expire(): void {
    const { events, log } = this.options
    events.expire(Date.now() - LIMITS.age).then(
      (expired) => this.giveUp(expired, 'the receiver did not take them in time'),
      (error: Error) => log.debug({ reason: error.message }, 'old events cannot be deleted now'),
    )
  }

  private giveUp(events: number, reason: string): void {
    if (events === 0) return
    this.options.count('given_up', events)
    this.options.log.error({ events, reason }, 'webhooks are given up')
  }
}
