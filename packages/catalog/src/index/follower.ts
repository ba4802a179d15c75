import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import { CATALOG_LIMITS } from '../limits.js'
import { type ChainView, commonAncestor, observeChain } from './chain-view.js'
import type { Cursor, Generations, IndexStore } from './index-store.js'
import type { IndexProgress } from './progress.js'
import { Rebuild } from './rebuild.js'
import { NoRoom, RangeSync, type SyncOptions } from './sync.js'

export interface FollowerOptions extends SyncOptions {
  /** Milliseconds between polls of the head. */
  pollInterval: number
  /** Called when this or another instance has changed the index of a chain. */
  onChanged?: (chainId: number) => void
  /** Called after a rollback to a block; -1: all blocks are rolled back. */
  onRollback?: (chainId: number, block: number) => void
}

const { backoff: MAX_BACKOFF, unknown: UNKNOWN_INTERVAL } = CATALOG_LIMITS.index

/**
 * Follows one chain and keeps its index at the head. Commits each range with the cursor in one transaction, so that it resumes after a
 * crash. After a reorganisation it rolls the index back to the newest checkpoint on the chain. If that is deeper than the checkpoints,
 * it builds a new generation beside the live one.
 */
export class ChainFollower {
  private running: Promise<void> | undefined
  private readonly stopping = new AbortController()
  private readonly sync: RangeSync
  private readonly rebuild: Rebuild
  private head: number | null = null
  private seenAt = performance.now()
  private block: number | null = null
  private lastLogged = 0
  private astray = false
  private rereading: number | null = null
  private paused = false
  private seen: Generations['live']

  constructor(
    private readonly chain: Chain,
    private readonly index: IndexStore,
    private readonly options: FollowerOptions,
    private readonly log: Logger,
  ) {
    const syncOptions = { ...options, signal: this.stopping.signal }
    // each document in decoding adds a listener
    setMaxListeners(0, this.stopping.signal)
    this.sync = new RangeSync(chain, index, syncOptions, log)
    this.rebuild = new Rebuild(chain, index, syncOptions, log)
  }

  get progress(): IndexProgress {
    const head = this.head
    const block = this.block
    const next = (block ?? this.chain.deployment.startBlock - 1) + 1
    return {
      chainId: this.chain.chainId,
      block,
      astray: this.astray,
      rereading: this.rereading,
      paused: this.paused,
      head,
      age: head === null ? null : Math.round(this.unseenFor),
      lag: head === null ? null : Math.max(0, head + 1 - next),
    }
  }

  /** Milliseconds since the nodes last knew the last indexed block. */
  private get unseenFor(): number {
    return performance.now() - this.seenAt
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted
  }

  start(): void {
    this.running ??= this.loop()
  }

  /** Stops after the running commit. Abandons a range whose documents are being read. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async loop(): Promise<void> {
    let failures = 0
    while (!this.stopped) {
      try {
        const atHead = await this.step()
        failures = 0
        this.paused = false
        if (atHead) await this.pause(this.options.pollInterval)
      } catch (error) {
        if (this.stopped) return
        failures += 1
        this.paused = error instanceof NoRoom
        const pause = Math.min(MAX_BACKOFF, this.options.pollInterval * 2 ** Math.min(failures, 10))
        this.log.warn(
          { chainId: this.chain.chainId, reason: (error as Error).message, pause },
          'index failed, retrying',
        )
        await this.pause(pause)
      }
    }
  }

  /**
   * Reads ranges until the head, or until the view of the chain is stale. Returns true if nothing is left to read, or nothing can
   * be read now. Throws ChainError, SandboxError, StateError, NoRoom.
   */
  async step(): Promise<boolean> {
    const { chain, index } = this
    const { chainId } = chain
    const generations = await index.generations(chainId)
    const { live, next, old } = generations
    this.rereading = next?.cursor?.block ?? null
    await this.noticeMove(live)
    const view = await observeChain(chain, index, live?.cursor)
    this.recordView(live?.cursor, view)
    if (!(await index.tryLead(chainId))) return true
    if (live && (next ?? live).isOutdated) {
      this.log.warn({ chainId }, 'index was written by an earlier version, rebuilding it')
      await index.begin(chainId, live.isOutdated ?? next?.wanted ?? false)
      return false
    }
    const swept = old && (await index.sweep(chainId))
    // a rollback of a process that has ended
    if (live?.undoing) await this.undoTo(live.cursor)
    let failure: unknown
    const idle = await this.syncLive(generations, view).catch((error) => {
      failure = error
      return true
    })
    // the rebuild continues if the live generation is at the head or fails
    const rebuildIdle = !next || !idle || (await this.rebuild.step(generations, this.unseenFor))
    if (failure && rebuildIdle) throw failure
    return idle && rebuildIdle && !swept
  }

  /** Advances the live generation towards the head. */
  private async syncLive({ live, next }: Generations, view: ChainView): Promise<boolean> {
    const { chain, index, options } = this
    if (live && view.status === 'other') return this.rollBack(live.cursor, next !== undefined)
    // the live generation is on the chain again, so an unrequested rebuild is obsolete
    if (live && view.status === 'same' && next && !next.wanted) await index.abandon(chain.chainId)
    const { idle, cursor, rolledBack } = await this.sync.syncNext(live?.cursor, view, live?.id)
    if (rolledBack) this.noteRollback(rolledBack)
    if (!cursor) return idle
    this.block = cursor.block
    if (this.seen) this.seen = { ...this.seen, cursor }
    options.onChanged?.(chain.chainId)
    return idle
  }

  /** Rolls back to the newest checkpoint on the chain, or begins a rebuild if there is none. */
  private async rollBack(cursor: Cursor, rebuilding: boolean): Promise<boolean> {
    const { chain, index, log } = this
    const { chainId } = chain
    const ancestor = await commonAncestor(chain, await index.checkpoints(chainId))
    if (ancestor === undefined) return true
    if (ancestor === 'gone') {
      if (rebuilding) return true
      log.warn({ chainId, block: cursor.block }, 'chain history changed, rebuilding the index')
      await index.begin(chainId, false)
      return false
    }
    if (ancestor.block === cursor.block) return false
    log.warn({ chainId, from: cursor.block, to: ancestor.block }, 'chain was reorganised, index rolled back')
    await this.undoTo(ancestor)
    return false
  }

  /** Rolls the live generation back to a checkpoint, or continues an interrupted rollback. */
  private async undoTo(ancestor: Cursor): Promise<void> {
    // before and after, since orders of replaced blocks must not be trusted meanwhile
    this.noteRollback(ancestor)
    await this.index.rollback(this.chain.chainId, ancestor)
    this.noteRollback(ancestor)
  }

  private noteRollback(ancestor: Cursor): void {
    const { options } = this
    const { chainId } = this.chain
    this.block = ancestor.block
    if (this.seen) this.seen = { ...this.seen, cursor: ancestor }
    options.onChanged?.(chainId)
    options.onRollback?.(chainId, ancestor.block)
  }

  /** Records the nodes' view. Ignores the head of nodes that do not know the last indexed block. */
  private recordView(cursor: Cursor | undefined, { heads, status }: ChainView): void {
    this.block = cursor?.block ?? null
    this.astray = status === 'other'
    const now = performance.now()
    if (status !== 'unknown') {
      this.head = heads[0] as number
      this.seenAt = now
      return
    }
    if (Math.min(this.unseenFor, now - this.lastLogged) < UNKNOWN_INTERVAL) return
    this.lastLogged = now
    const { chainId } = this.chain
    this.log.warn({ chainId, block: cursor?.block, head: heads[0] }, 'nodes do not know the last indexed block')
  }

  /** Reports the changes that other instances have made since the last call. */
  private async noticeMove(live: Generations['live']): Promise<void> {
    const seen = this.seen
    this.seen = live
    if (seen?.id === live?.id && seen?.cursor.block === live?.cursor.block && seen?.cursor.hash === live?.cursor.hash)
      return
    const { chainId } = this.chain
    this.options.onChanged?.(chainId)
    if (!seen) return
    if (seen.id !== live?.id) return this.options.onRollback?.(chainId, -1)
    const { block: last, hash: known } = seen.cursor
    const checkpoints = await this.index.checkpoints(chainId)
    const isFinal = last < (checkpoints.at(-1)?.block ?? 0)
    if (isFinal || checkpoints.some(({ block, hash }) => block === last && hash === known)) return
    this.options.onRollback?.(chainId, checkpoints.find(({ block }) => block < last)?.block ?? -1)
  }

  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined)
  }
}
