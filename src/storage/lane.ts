import { Agent, type buildConnector } from 'undici'
import { StorageError } from '../errors.js'

export interface LaneLimits {
  /** Most requests in flight, until their bodies have ended; further ones are refused. */
  maxRequests: number
  /** Most connections to one host. */
  maxPerHost: number
  /** Whether a request above that waits for a connection to the host, or is refused. */
  queues: boolean
}

interface LaneOptions extends LaneLimits {
  connect: buildConnector.connector
  /** Milliseconds until the answer begins, and without a byte in the middle. */
  responseTimeout: number
  stallTimeout: number
}

/** One budget of the way out: connections and counts of its own, so that it neither holds up nor starves another one. */
export class Lane {
  readonly agent: Agent
  private inFlight = 0
  private readonly byHost = new Map<string, number>()
  private waiting = 0
  /** What lets those go on who wait for a connection to a host, in their order. */
  private readonly queues = new Map<string, Set<() => void>>()

  constructor(private readonly options: LaneOptions) {
    this.agent = new Agent({
      connect: options.connect,
      headersTimeout: options.responseTimeout,
      bodyTimeout: options.stallTimeout,
      connections: options.maxPerHost,
      pipelining: 1,
    })
  }

  /** Requests in flight, with those that wait. */
  get active(): number {
    return this.inFlight + this.waiting
  }

  /** Takes a place for a request; what it answers gives the place back, once. Throws StorageError STORAGE_BUSY. */
  enter(host: string): () => void {
    const { maxRequests, maxPerHost } = this.options
    if (this.active >= maxRequests || this.of(host) >= maxPerHost) throw busy()
    return this.taken(host)
  }

  /**
   * As enter, but waits for a connection to the host where the lane queues. Whoever is told to stop by the signal
   * leaves at once: the agent's own queue would keep him, and a slow host so hold the places of all others.
   */
  async turn(host: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const { maxRequests, maxPerHost, queues } = this.options
    if (!queues || this.of(host) < maxPerHost || this.active >= maxRequests) return this.enter(host)
    return this.queued(host, signal)
  }

  private queued(host: string, signal: AbortSignal): Promise<() => void> {
    const queue = this.queues.get(host) ?? new Set()
    this.queues.set(host, queue)
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting -= 1
        queue.delete(go)
        if (queue.size === 0) this.queues.delete(host)
        signal.removeEventListener('abort', abort)
      }
      const go = () => {
        leave()
        resolve(this.taken(host))
      }
      const abort = () => {
        leave()
        reject(signal.reason)
      }
      this.waiting += 1
      queue.add(go)
      signal.addEventListener('abort', abort)
    })
  }

  private of(host: string): number {
    return this.byHost.get(host) ?? 0
  }

  private taken(host: string): () => void {
    this.inFlight += 1
    this.byHost.set(host, this.of(host) + 1)
    let left = false
    return () => {
      if (left) return
      left = true
      this.inFlight -= 1
      const others = this.of(host) - 1
      if (others > 0) this.byHost.set(host, others)
      else this.byHost.delete(host)
      const [next] = this.queues.get(host) ?? []
      next?.()
    }
  }
}

/** The refusal of a request for which there is no place now. */
export function busy(): StorageError {
  return new StorageError(
    'STORAGE_BUSY',
    'This provider fetches as many files as it can at once. Try again in a moment.',
  )
}
