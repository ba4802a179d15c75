import type { Cancellation } from '@tidegate/common'
import { Agent, type buildConnector } from 'undici'
import { STORAGE_LIMITS } from '../limits.js'
import { busy } from '../storage-failures.js'

export interface PoolLimits {
  /** Maximum requests in flight, including their bodies. Further requests are refused. */
  maxRequests: number
  /** Maximum connections to one host. */
  maxPerHost: number
  /** Whether requests above maxPerHost wait for a connection instead of being refused. */
  queues: boolean
}

interface PoolOptions extends PoolLimits {
  connect: buildConnector.connector
  /** Milliseconds until the response begins, and between two bytes. */
  responseTimeout: number
  stallTimeout: number
}

/** The connections and limits of one budget. Budgets share nothing, so that none can starve another. */
export class ConnectionPool {
  readonly agent: Agent
  private inFlight = 0
  private readonly byHost = new Map<string, number>()
  private waiting = 0
  /** Callbacks that resume waiting requests, by host in FIFO order. */
  private readonly queues = new Map<string, Set<() => void>>()

  constructor(private readonly options: PoolOptions) {
    this.agent = new Agent({
      connect: options.connect,
      headersTimeout: options.responseTimeout,
      bodyTimeout: options.stallTimeout,
      connections: options.maxPerHost,
      pipelining: 1,
      // at the limit of ResponseHeads, which refuses longer heads first
      maxHeaderSize: STORAGE_LIMITS.files.responseHead,
    })
  }

  /** Requests in flight, including waiting ones. */
  get active(): number {
    return this.inFlight + this.waiting
  }

  /** Acquires a slot for a request. Returns an idempotent function that releases it. Throws StorageError STORAGE_BUSY. */
  tryAcquire(host: string): () => void {
    const { maxRequests, maxPerHost } = this.options
    if (this.active >= maxRequests || this.inFlightTo(host) >= maxPerHost) throw busy()
    return this.takeSlot(host)
  }

  /**
   * Like tryAcquire, but waits for a connection to the host if the pool queues. The signal removes a request from the queue. In
   * the agent's own queue it would keep its slot, so that a slow host could block all others.
   */
  async acquire(host: string, signal: Cancellation): Promise<() => void> {
    signal.throwIfAborted()
    const { maxRequests, maxPerHost, queues } = this.options
    if (!queues || this.inFlightTo(host) < maxPerHost || this.active >= maxRequests) return this.tryAcquire(host)
    return this.enqueue(host, signal)
  }

  private enqueue(host: string, signal: Cancellation): Promise<() => void> {
    const queue = this.queues.get(host) ?? new Set()
    this.queues.set(host, queue)
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting -= 1
        queue.delete(resume)
        if (queue.size === 0) this.queues.delete(host)
        signal.removeEventListener('abort', abort)
      }
      const resume = () => {
        leave()
        resolve(this.takeSlot(host))
      }
      const abort = () => {
        leave()
        reject(signal.reason)
      }
      this.waiting += 1
      queue.add(resume)
      signal.addEventListener('abort', abort)
    })
  }

  private inFlightTo(host: string): number {
    return this.byHost.get(host) ?? 0
  }

  private takeSlot(host: string): () => void {
    this.inFlight += 1
    this.byHost.set(host, this.inFlightTo(host) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      this.inFlight -= 1
      const remaining = this.inFlightTo(host) - 1
      if (remaining > 0) this.byHost.set(host, remaining)
      else this.byHost.delete(host)
      const [next] = this.queues.get(host) ?? []
      next?.()
    }
  }
}
