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

  constructor(private readonly options: LaneOptions) {
    this.agent = new Agent({
      connect: options.connect,
      headersTimeout: options.responseTimeout,
      bodyTimeout: options.stallTimeout,
      connections: options.maxPerHost,
      pipelining: 1,
    })
  }

  /** Requests in flight. */
  get active(): number {
    return this.inFlight
  }

  /**
   * Takes a place for a request; what it answers gives the place back, once. `queued` is for what the agent itself
   * lets wait. Throws StorageError STORAGE_BUSY.
   */
  enter(host: string, queued: boolean): () => void {
    const { maxRequests, maxPerHost, queues } = this.options
    const own = this.byHost.get(host) ?? 0
    if (this.inFlight >= maxRequests || (own >= maxPerHost && !(queues && queued))) throw busy()
    this.inFlight += 1
    this.byHost.set(host, own + 1)
    let left = false
    return () => {
      if (left) return
      left = true
      this.inFlight -= 1
      const others = (this.byHost.get(host) ?? 1) - 1
      if (others > 0) this.byHost.set(host, others)
      else this.byHost.delete(host)
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
