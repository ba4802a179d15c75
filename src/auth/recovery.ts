import { Worker } from 'node:worker_threads'
import type { Hex } from 'viem'
import { recoverSigner } from '../crypto/keys.js'
import { loaderFor } from '../process/thread-module.js'
import { type Answer, type Checks, ENTRY, RESULT } from './recovery-worker.js'
import { recoveryWorker } from './recovery-worker-url.js'

/** Signatures of one tick from which on the thread takes them: it costs the event loop 12 µs, and each of them 60. */
const MIN_BATCH = 2

/** Signatures that the thread may have before it: 15 ms of work. The event loop checks those beyond. */
const MAX_IN_THREAD = 256

/** Milliseconds without work after which the thread ends; after a failure, until it is used again. */
const IDLE = 30_000

/** Bytes of a signature: r, s and v. */
const SIGNATURE = 65

interface Check {
  digest: Uint8Array
  signature: Uint8Array
  resolve: (signer: Hex | undefined) => void
}

export interface RecoveryOptions {
  /** Whether a core is free for the thread. Without it, all work is done on the event loop. */
  thread: boolean
  /** Whether the last requests came over one connection alone: waiting for more would cost latency and gain nothing. */
  isSingle: () => boolean
  entry?: URL
}

/**
 * Recovers the signers of requests. Those of one tick of the event loop are recovered together by a thread, so that the event
 * loop has their time for other work.
 */
export class SignerRecovery {
  private pending: Check[] = []
  private thread: Worker | undefined
  private isReady = false
  /** The batches that the thread has, in its order. */
  private readonly inThread: Check[][] = []
  private count = 0
  private timer: NodeJS.Timeout | undefined
  private lastUse = Number.NEGATIVE_INFINITY
  private failedAt = Number.NEGATIVE_INFINITY
  private closed = false

  constructor(private readonly options: RecoveryOptions) {}

  /**
   * Resolves with the address, in lower case, that made a signature (r ‖ s ‖ v, 65 bytes) of a 32-byte digest; undefined where it
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
    const batch = all.slice(0, MAX_IN_THREAD - this.count)
    // one that comes alone must not overtake those that the thread has
    const thread = batch.length >= MIN_BATCH || (batch.length > 0 && this.count > 0) ? this.running() : undefined
    if (thread) this.send(thread, batch)
    settle(thread ? all.slice(batch.length) : all)
  }

  private send(thread: Worker, batch: Check[]): void {
    const checks = new Uint8Array(batch.length * ENTRY)
    for (const [at, { digest, signature }] of batch.entries()) {
      checks.set(digest, at * ENTRY)
      checks.set(signature, at * ENTRY + 32)
    }
    if (this.count === 0) thread.ref()
    this.inThread.push(batch)
    this.count += batch.length
    thread.postMessage(checks satisfies Checks, [checks.buffer])
  }

  private running(): Worker | undefined {
    if (!this.thread && !this.closed && performance.now() - this.failedAt >= IDLE) this.start()
    // nobody waits for it to start, which takes a tenth of a second, or more on a busy machine
    return this.isReady ? this.thread : undefined
  }

  private start(): void {
    const entry = this.options.entry ?? recoveryWorker()
    try {
      // the environment holds keys, which the thread does not need
      const thread = new Worker(entry, { env: {}, execArgv: loaderFor(entry) })
      thread.on('message', (answer: Answer) => {
        if (answer !== 'ready') this.finish(thread, answer)
        else if (this.thread === thread) this.isReady = true
      })
      thread.on('error', () => this.fail(thread))
      thread.on('exit', () => this.fail(thread))
      thread.unref()
      this.thread = thread
      this.timer ??= setTimeout(() => this.endIfIdle(), IDLE).unref()
    } catch {
      this.failedAt = performance.now()
    }
  }

  private finish(thread: Worker, results: Uint8Array): void {
    const batch = this.inThread.shift() ?? []
    this.count -= batch.length
    this.lastUse = performance.now()
    if (this.count === 0) thread.unref()
    for (const [at, { resolve }] of batch.entries())
      resolve(addressOf(results.subarray(at * RESULT, (at + 1) * RESULT)))
  }

  /** The thread could not be started, or has ended: its work is done here, and that of the next half minute. */
  private fail(thread: Worker): void {
    if (this.thread !== thread) return
    this.thread = undefined
    this.isReady = false
    this.failedAt = performance.now()
    this.count = 0
    for (const batch of this.inThread.splice(0)) settle(batch)
  }

  private endIfIdle(): void {
    this.timer = undefined
    const left = this.lastUse + IDLE - performance.now()
    if (this.count > 0 || left > 0) this.timer = setTimeout(() => this.endIfIdle(), Math.max(left, 1000)).unref()
    else void this.end()
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const { thread } = this
    if (!thread) return
    this.thread = undefined
    this.isReady = false
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage(undefined satisfies Checks)
    await ended
    // what a thread had that failed meanwhile
    this.count = 0
    for (const batch of this.inThread.splice(0)) settle(batch)
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
