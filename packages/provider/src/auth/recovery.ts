import { recoverSigner } from '@tidegate/protocol/keys'
import type { Hex } from 'viem'
import { type Check, RecoveryThread } from './recovery-thread.js'
import { RESULT } from './recovery-worker.js'
import { recoveryWorker } from './recovery-worker-url.js'

/** Signatures of one tick from which on the thread takes them: it costs the event loop 12 µs, and each of them 60. */
const MIN_BATCH = 2

/** Signatures that the thread may have before it: 15 ms of work. The event loop checks those beyond. */
const MAX_IN_THREAD = 256

/** The default of RecoveryOptions.idle. */
const IDLE = 30_000

/** Bytes of a signature: r, s and v. */
const SIGNATURE = 65

export interface RecoveryOptions {
  /** Whether a core is free for the thread. Without it, all work is done on the event loop. */
  thread: boolean
  /** Whether the last requests came over one connection alone: waiting for more would cost latency and gain nothing. */
  isSingle: () => boolean
  entry?: URL
  /** Milliseconds without work after which the thread ends; after a failure, until it is used again. */
  idle?: number
}

/**
 * Recovers the signers of requests. Those of one tick of the event loop are recovered together by a thread, so that the event
 * loop has their time for other work.
 */
export class SignerRecovery {
  private pending: Check[] = []
  private thread: RecoveryThread | undefined
  private timer: NodeJS.Timeout | undefined
  private lastUse = Number.NEGATIVE_INFINITY
  private failedAt = Number.NEGATIVE_INFINITY
  private closed = false

  private readonly idle: number

  constructor(private readonly options: RecoveryOptions) {
    this.idle = options.idle ?? IDLE
  }

  /**
   * Resolves with the address, in lower case, that made a signature (r ‖ s ‖ v, 65 bytes) of a 32-byte digest; undefined if it
   * is not a valid one. Never rejects.
   */
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Hex | undefined> {
    if (!this.options.thread || this.options.isSingle() || signature.length !== SIGNATURE)
      return Promise.resolve(signerOf(digest, signature))
    return new Promise((resolve) => {
      this.pending.push({ digest, signature, resolve })
      if (this.pending.length === 1) setImmediate(() => this.flush())
    })
  }

  /** Ends the thread, once it has done what it has. Later signatures are checked on the event loop. */
  async close(): Promise<void> {
    this.closed = true
    await this.end()
  }

  private flush(): void {
    const all = this.pending
    this.pending = []
    const count = this.thread?.count ?? 0
    const batch = all.slice(0, MAX_IN_THREAD - count)
    // one that comes alone must not overtake those that the thread has
    const thread = batch.length >= MIN_BATCH || (batch.length > 0 && count > 0) ? this.running() : undefined
    thread?.send(batch)
    settle(thread ? all.slice(batch.length) : all)
  }

  private running(): RecoveryThread | undefined {
    if (!this.thread && !this.closed && performance.now() - this.failedAt >= this.idle) this.start()
    return this.thread?.isReady ? this.thread : undefined
  }

  private start(): void {
    try {
      const thread = new RecoveryThread(this.options.entry ?? recoveryWorker(), {
        onResults: (batch, results) => {
          this.lastUse = performance.now()
          for (const [at, { resolve }] of batch.entries())
            resolve(addressOf(results.subarray(at * RESULT, (at + 1) * RESULT)))
        },
        onEnd: (batches) => {
          if (this.thread === thread) this.fail()
          for (const batch of batches) settle(batch)
        },
      })
      this.thread = thread
      this.timer ??= setTimeout(() => this.endIfIdle(), this.idle).unref()
    } catch {
      this.failedAt = performance.now()
    }
  }

  /** The thread could not be started, or has ended by itself: the event loop does without it for a while. */
  private fail(): void {
    this.thread = undefined
    this.failedAt = performance.now()
  }

  private endIfIdle(): void {
    this.timer = undefined
    const isBusy = this.thread !== undefined && this.thread.count > 0
    const left = isBusy ? this.idle : this.lastUse + this.idle - performance.now()
    if (left > 0) this.timer = setTimeout(() => this.endIfIdle(), left).unref()
    else void this.end()
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const { thread } = this
    this.thread = undefined
    await thread?.end()
  }
}

function settle(batch: readonly Check[]): void {
  for (const { digest, signature, resolve } of batch) resolve(signerOf(digest, signature))
}

function signerOf(digest: Uint8Array, signature: Uint8Array): Hex | undefined {
  const signer = recoverSigner(digest, signature)
  return signer && addressOf(signer)
}

function addressOf(bytes: Uint8Array): Hex | undefined {
  // nobody has the key of the zero address
  return bytes.some((byte) => byte !== 0) ? `0x${Buffer.from(bytes).toString('hex')}` : undefined
}
