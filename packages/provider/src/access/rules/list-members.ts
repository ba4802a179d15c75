import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain, Chains } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../../limits.js'
import { type ListRead, readList } from './list-reader.js'

const NOBODY: ReadonlySet<Address> = new Set()

export interface ListMembersOptions {
  /** Milliseconds between looks at the lists. */
  interval: number
  /** Called when members of a list on the chain have come or gone. */
  onChanged(chainId: number): void
  log: Logger
}

/** The members of access lists, kept in memory and followed. */
export class ListMembers {
  private readonly read = new Map<string, ListRead>()
  /** The members of all lists of a chain. */
  private readonly merged = new Map<number, ReadonlySet<Address>>()
  private readonly reported = new Map<string, string | undefined>()
  private readonly stopping = new AbortController()

  constructor(
    private readonly chains: Chains,
    private readonly lists: ReadonlyMap<number, readonly Address[]>,
    private readonly options: ListMembersOptions,
  ) {}

  /** Returns the members of the lists of a chain; undefined until each list has been read once. */
  of(chainId: number): ReadonlySet<Address> | undefined {
    return this.merged.get(chainId) ?? (this.lists.has(chainId) ? undefined : NOBODY)
  }

  start(): void {
    for (const [chainId, lists] of this.lists) {
      const chain = this.chains.get(chainId)
      if (chain) for (const list of lists) void this.follow(chain, list)
    }
  }

  stop(): void {
    this.stopping.abort()
  }

  private async follow(chain: Chain, list: Address): Promise<void> {
    const { interval, log } = this.options
    const { signal } = this.stopping
    const { chainId } = chain
    const key = `${chainId} ${list}`
    while (!signal.aborted) {
      const known = this.read.get(key)
      // the members that were read last stay in force if this fails
      const read = await readList(chain, list, known, this.room(known)).catch((error: Error) => error.message)
      const reason = typeof read === 'string' ? read : undefined
      if (reason !== undefined && this.reported.get(key) !== reason)
        log.warn({ chainId, list, reason }, 'access list of publishers cannot be read')
      this.reported.set(key, reason)
      if (typeof read === 'object' && read !== known) this.keep(chainId, key, read)
      await sleep(interval, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** Returns how many members a list may have beside those of the others. */
  private room(known: ListRead | undefined): number {
    const sizes = [...this.read.values()].map((one) => (one === known ? 0 : one.members.size))
    return PROVIDER_LIMITS.accessLists.members - sizes.reduce((sum, size) => sum + size, 0)
  }

  private keep(chainId: number, key: string, read: ListRead): void {
    const known = this.read.get(key)
    this.read.set(key, read)
    if (!known || !sameMembers(known.members, read.members)) this.merge(chainId)
  }

  private merge(chainId: number): void {
    const lists = (this.lists.get(chainId) ?? []).map((list) => this.read.get(`${chainId} ${list}`))
    if (lists.includes(undefined)) return
    this.merged.set(chainId, new Set(lists.flatMap((list) => [...(list as ListRead).members])))
    this.options.onChanged(chainId)
  }
}

const sameMembers = (one: ReadonlySet<Address>, other: ReadonlySet<Address>) =>
  one.size === other.size && [...one].every((member) => other.has(member))
