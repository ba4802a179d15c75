import type { TakedownChange, TakedownStore } from '@tidegate/catalog'
import { type Logger, removeFrom } from '@tidegate/common'
import type { HostedUses } from '@tidegate/hosting'
import { AccessError, didHash, isDid } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Purgatory } from './purgatory.js'

const { kept: MOST, age: AGE, changes: AT_ONCE, users: USERS } = PROVIDER_LIMITS.takedowns

interface WithheldOptions {
  takedowns: Pick<TakedownStore, 'find' | 'among' | 'lastChange' | 'changesAfter'>
  purgatory: Purgatory
  /** How people reach the operator. */
  contact: string | undefined
  log: Logger
}

/**
 * What this provider withholds: assets that its operator has taken down, and assets and accounts in purgatory. Every route
 * asks here. Another process may change takedowns at any time, so look-ups are cached for a second.
 */
export class Withheld {
  /** Takedowns by hash of the DID, and verdicts on public files by id. */
  private readonly takedowns = new LRUCache<string, Promise<string | undefined>>({ max: MOST, ttl: AGE })
  private readonly files = new LRUCache<string, Promise<string | undefined>>({ max: MOST, ttl: AGE })
  /** What running transfers are of: each callback asks again whether its asset is withheld. */
  private readonly running: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined
  private change: number | undefined

  constructor(private readonly options: WithheldOptions) {
    options.purgatory.onRead = () => this.recheck()
  }

  /** Follows the takedowns of all processes: logs them, and ends running transfers of their assets. */
  start(): void {
    this.timer = setTimeout(() => void this.follow(), AGE)
    this.timer.unref()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** Throws AccessError TAKEN_DOWN if an asset is taken down: nothing tells of it. Throws StateError. */
  async assertShown(did: string): Promise<void> {
    const reason = await this.takenDown(did)
    if (reason !== undefined) throw this.refusal(reason)
  }

  /** Throws AccessError also if an asset is in purgatory: it is shown, and nothing of it is sold or delivered. Throws StateError. */
  async assertServed(did: string): Promise<void> {
    await this.assertShown(did)
    if (this.options.purgatory.reasonFor(did) !== undefined) throw inPurgatory('It is')
  }

  /** Throws AccessError if an account is in purgatory. */
  assertAdmitted(consumer: Address): void {
    if (this.options.purgatory.lists(consumer)) throw inPurgatory('The consumer account is')
  }

  /** Throws AccessError if a public file belongs to withheld assets alone. Throws StateError. */
  async assertPublic(id: string, uses: Pick<HostedUses, 'ofPublic'>): Promise<void> {
    const did = await kept(this.files, id, () => this.withheldUser(id, uses))
    if (did !== undefined) await this.assertServed(did)
  }

  /** Returns those of some assets that are shown. Throws StateError. */
  async shown<T extends { did: string }>(assets: readonly T[]): Promise<T[]> {
    const down = await this.options.takedowns.among(assets.map(({ did }) => did))
    return assets.filter(({ did }) => !down.has(did))
  }

  /** Calls back once when `check`, asked at changes, rejects with AccessError. Returns the function that ends this. */
  watch(check: () => Promise<void>, onWithheld: () => void): () => void {
    const recheck = () => {
      check().catch((error: unknown) => {
        if (error instanceof AccessError && removeFrom(this.running, recheck)) onWithheld()
      })
    }
    this.running.push(recheck)
    return () => void removeFrom(this.running, recheck)
  }

  private recheck(): void {
    this.files.clear()
    for (const recheck of this.running) recheck()
  }

  private takenDown(did: string): Promise<string | undefined> {
    if (!isDid(did)) return Promise.resolve(undefined)
    return kept(this.takedowns, didHash(did), async () => (await this.options.takedowns.find(did))?.reason)
  }

  /**
   * Returns a withheld asset that has used a public file, unless one that is served uses it now. The publisher of a withheld asset may
   * have dropped the file from its document.
   */
  private async withheldUser(id: string, uses: Pick<HostedUses, 'ofPublic'>): Promise<string | undefined> {
    const { takedowns, purgatory } = this.options
    const users = await uses.ofPublic(id)
    const down = await takedowns.among(users.map(({ did }) => did))
    const isWithheld = ({ did }: { did: string }) => down.has(did) || purgatory.reasonFor(did) !== undefined
    const first = users.find(isWithheld)
    if (!first) return undefined
    const others = users.filter((user) => !isWithheld(user)).slice(0, USERS)
    for (const { usesNow } of others) if (await usesNow()) return undefined
    return first.did
  }

  private async follow(): Promise<void> {
    // the database logs failures
    await this.readChanges().catch(() => undefined)
    if (this.timer !== undefined) this.start()
  }

  private async readChanges(): Promise<void> {
    const { takedowns, log } = this.options
    if (this.change === undefined) this.change = await takedowns.lastChange()
    let changes: TakedownChange[]
    let isChanged = false
    try {
      do {
        changes = await takedowns.changesAfter(this.change, AT_ONCE)
        for (const { did, reason, hasEnded, change } of changes) {
          this.change = change
          this.takedowns.delete(didHash(did))
          if (hasEnded) log.warn({ did }, 'the takedown of an asset has ended')
          else log.warn({ did, reason }, 'an asset is taken down')
        }
        isChanged ||= changes.length > 0
      } while (changes.length === AT_ONCE)
    } finally {
      // once for all that were read: each asks for every running transfer
      if (isChanged) this.recheck()
    }
  }

  private refusal(reason: string): AccessError {
    const { contact } = this.options
    const about = contact === undefined ? '' : ` Contact of the operator: ${contact}`
    return new AccessError('TAKEN_DOWN', `The operator of this provider has taken the asset down: ${reason}.${about}`)
  }
}

const inPurgatory = (who: string) => new AccessError('PURGATORY', `Asset is not consumable. ${who} in purgatory.`)

/** Returns what is kept under a key, or makes it. Failures are not kept. */
function kept<T>(cache: LRUCache<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = cache.get(key)
  if (known) return known
  const made = make()
  cache.set(key, made)
  made.catch(() => {
    if (cache.peek(key) === made) cache.delete(key)
  })
  return made
}
