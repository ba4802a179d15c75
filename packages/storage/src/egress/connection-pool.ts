import { Agent, type buildConnector } from 'undici'
import { STORAGE_LIMITS } from '../limits.js'
import { busy } from '../storage-failures.js'

export interface PoolLimits {
  /** Maximum number of requests in flight, until their bodies have ended. Further ones are refused. */
  maxRequests: number
  /** Maximum number of connections to one host. */
  maxPerHost: number
  /** Whether a request above maxPerHost waits for a connection, or is refused. */
  queues: boolean
}

interface PoolOptions extends PoolLimits {
  connect: buildConnector.connector
  /** Milliseconds until the response begins, and between two bytes of it. */
  responseTimeout: number
  stallTimeout: number
}

/** The connections and limits of one budget. Budgets share none, so that no budget can starve another. */
export class ConnectionPool {
  readonly agent: Agent
  private inFlight = 0
  private readonly byHost = new Map<string, number>()
  private waiting = 0
  /** By host, in FIFO order: functions that resume a request waiting for a connection. */
  private readonly queues = new Map<string, Set<() => void>>()

  constructor(private readonly options: PoolOptions) {
    this.agent = new Agent({
      connect: options.connect,
      headersTimeout: options.responseTimeout,
      bodyTimeout: options.stallTimeout,
      connections: options.maxPerHost,
      pipelining: 1,
      // heads that are too long are refused before the library counts its parts
      maxHeaderSize: STORAGE_LIMITS.files.responseHead,
    })
  }

  /** Requests in flight, including those that wait. */
  get active(): number {
    return this.inFlight + this.waiting
  }

  /** Acquires a slot for a request. Returns a function that releases it, once. Throws StorageError STORAGE_BUSY. */
  tryAcquire(host: string): () => void {
    const { maxRequests, maxPerHost } = this.options
    if (this.active >= maxRequests || this.inFlightTo(host) >= maxPerHost) throw busy()
    return this.takeSlot(host)
  }

  /**
   * Like tryAcquire, but waits for a connection to the host if the pool queues. An aborted request leaves the queue
   * at once. In the agent's own queue it would hold its slot, so that a slow host could block all others.
   */
  async acquire(host: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const { maxRequests, maxPerHost, queues } = this.options
    if (!queues || this.inFlightTo(host) < maxPerHost || this.active >= maxRequests) return this.tryAcquire(host)
    return this.enqueue(host, signal)
  }

  private enqueue(host: string, signal: AbortSignal): Promise<() => void> {
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
