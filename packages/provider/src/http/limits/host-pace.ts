import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { PROVIDER_LIMITS } from '../../limits.js'

/** Paces the files that archives request of each host, since one download requests many of them. Counts per process. */
export class HostPace {
  /** When the next file of a host is due if none was saved up, in milliseconds. */
  private readonly next = new LRUCache<string, number>({ max: PROVIDER_LIMITS.archives.hosts })

  constructor(
    /** Files at once, and milliseconds per file after that. */
    private readonly burst: number = PROVIDER_LIMITS.archives.burst,
    private readonly interval: number = PROVIDER_LIMITS.archives.interval,
  ) {}

  /** Returns the pace of one file, which waits for its turn at each host that it is requested of. Rejects with the signal's reason. */
  ofFile(signal: AbortSignal): (host: string) => Promise<void> {
    const asked = new Set<string>()
    return async (host) => {
      if (asked.has(host)) return
      asked.add(host)
      const now = performance.now()
      const due =
        Math.max(this.next.get(host) ?? Number.NEGATIVE_INFINITY, now - this.burst * this.interval) + this.interval
      this.next.set(host, due)
      if (due <= now) return
      await sleep(due - now, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
