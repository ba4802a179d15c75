import { ChainError } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import { PURCHASE_LIMITS } from '../limits.js'
import { type Offered, offerFor, type TermsTools } from './terms.js'

/**
 * The offers that were read in the last seconds. Anybody may ask for a price, and each offer takes dozens of calls to nodes. An order
 * is made by a fresh one.
 */
export class RecentOffers {
  private readonly known: LRUCache<string, Promise<Offered>>

  constructor({ most, age } = PURCHASE_LIMITS.offers) {
    this.known = new LRUCache({ max: most, ttl: age })
  }

  /** Returns the offer of a datatoken. Throws as `offerFor`. */
  of(datatoken: Address, tools: TermsTools): Promise<Offered> {
    const key = `${tools.chain.chainId} ${datatoken}`
    const known = this.known.get(key)
    if (known) return known
    const reading = offerFor(datatoken, tools)
    this.known.set(key, reading)
    // that there is no offer is known as well, but not why a node fails
    reading.catch((error) => error instanceof ChainError && this.known.delete(key))
    return reading
  }
}
