import { createHash, type Hash } from 'node:crypto'
import type { Address, Log } from 'viem'
import type { SeenEvents } from './index-store.js'

type SeenLog = Pick<Log, 'address' | 'topics' | 'data' | 'blockHash' | 'logIndex'>

/** Counts and digests the events of a list of blocks, in order. */
export class EventTally {
  private events = 0
  private readonly hash: Hash = createHash('sha256')

  add({ blockHash, logIndex, address, topics, data }: SeenLog): void {
    this.events += 1
    // nodes differ in the case of hexadecimal digits
    this.hash.update(`${blockHash} ${Number(logIndex)} ${address} ${topics.join(' ')} ${data}\n`.toLowerCase())
  }

  /** Adds an NFT whose events are too large to read. */
  addUnread(address: Address): void {
    this.hash.update(`unread ${address.toLowerCase()}\n`)
  }

  get seen(): SeenEvents {
    return { events: this.events, digest: this.hash.copy().digest('base64url') }
  }
}

/** Tallies the events of a range between consecutive checkpoints. */
export class RangeTally {
  private at = 0

  constructor(
    private readonly range: { logs: readonly Log[]; unread: readonly Address[]; cursor: { block: number } },
  ) {}

  /** Returns the events after the last call's block, up to this one. */
  upTo(block: number): SeenEvents {
    const { logs, unread, cursor } = this.range
    const tally = new EventTally()
    for (let log = logs[this.at]; log && Number(log.blockNumber) <= block; log = logs[++this.at]) tally.add(log)
    if (block === cursor.block) for (const address of unread) tally.addUnread(address)
    return tally.seen
  }
}
