import type { Logger } from '@tidegate/common'
import { CHAIN_LIMITS } from '../limits.js'

/** Reasons of one failure that are logged. */
const REASONS = 5

/** A failure of a node, for the log. */
interface NodeFailure {
  chainId: number
  node: string
  /** A predicate about the node, without its URL. */
  reason: string
  /** Milliseconds. */
  backoff: number
}

/**
 * Logs when a node begins to fail, with each reason once, when its circuit opens, and when it works again, however many requests fail in
 * between.
 */
export class NodeStateLog {
  private readonly reasons = new Set<string>()
  private isOpen = false
  private failures = 0
  private lastFailure = 0

  failed(log: Logger | undefined, failure: NodeFailure, isOpen: boolean): void {
    this.failures += 1
    this.lastFailure = Date.now()
    const isKnown = this.reasons.has(failure.reason) || this.reasons.size >= REASONS
    if (isKnown && (this.isOpen || !isOpen)) return
    this.reasons.add(failure.reason)
    this.isOpen ||= isOpen
    log?.warn(failure, 'chain node failed')
  }

  works(log: Logger | undefined, chainId: number, node: string): void {
    if (this.failures === 0 || Date.now() - this.lastFailure < CHAIN_LIMITS.nodes.quiet) return
    log?.info({ chainId, node, failures: this.failures }, 'chain node works again')
    this.reasons.clear()
    this.isOpen = false
    this.failures = 0
  }
}
