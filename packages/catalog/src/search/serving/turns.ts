import { abortable, withDeadline } from '@tidegate/common'
import { SearchError } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import { type Caller, Places } from './places.js'

/** A search has reached its deadline. */
export class SlowSearch extends SearchError {}

export function tooSlow(): SlowSearch {
  return new SlowSearch('SEARCH_UNAVAILABLE', 'The search took too long. Ask for less: rarer words, more filters.')
}

function tooMany(): SearchError {
  return new SearchError('SEARCH_UNAVAILABLE', 'Too many searches are under way. Try again in a moment.')
}

export interface TurnOptions extends Caller {
  /** When the caller began to wait, by performance.now(). Default: now. */
  begun?: number
  /** Milliseconds for this search, including the queue. */
  deadline?: number
}

/** Limits the number of concurrent searches, each with a deadline. */
export class Turns {
  private readonly places: Places
  private readonly running = new Set<Promise<unknown>>()

  /** `deadline`: milliseconds for a search, including the queue. */
  constructor(
    places: number,
    private readonly deadline: number,
  ) {
    this.places = new Places(places, CATALOG_LIMITS.search.queue, tooMany)
  }

  /**
   * Runs a search in its turn. `end`: its deadline by performance.now(). The caller stops waiting at the deadline, but the slot is released
   * when the search has ended. Rejects with SearchError, or with the reason of the signal.
   */
  async run<T>(search: (end: number) => Promise<T>, options: TurnOptions = {}): Promise<T> {
    const { begun = performance.now(), deadline = this.deadline, signal: parent, client } = options
    const end = begun + deadline
    const left = Math.ceil(end - performance.now())
    if (left <= 0) throw tooSlow()
    return withDeadline({ milliseconds: left, parent, reason: tooSlow }, async (signal) => {
      await this.places.take({ client, signal })
      const running = search(end).finally(() => {
        this.places.release(client)
        this.running.delete(running)
      })
      this.running.add(running)
      return abortable(running, signal)
    })
  }

  /** Refuses further searches and waits for running ones. */
  async close(): Promise<void> {
    this.places.close()
    await Promise.allSettled(this.running)
  }
}
