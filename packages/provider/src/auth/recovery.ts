import { OneThread } from '@tidegate/common'
import { recoverSigner } from '@tidegate/protocol/keys'
import type { Hex } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'
import { ENTRY, RESULT } from './recovery-worker.js'
import { recoveryWorker } from './recovery-worker-url.js'

/** Bytes of a signature: r, s and v. */
const SIGNATURE = 65

/** A signature to check, and the callback for its signer. */
interface Check {
  digest: Uint8Array
  signature: Uint8Array
  resolve: (signer: Hex | undefined) => void
}

export interface RecoveryOptions {
  /** Whether a core is free for the thread. Otherwise the event loop does all work. */
  thread: boolean
  /** Whether the last requests came over one connection. Batching would then only add latency. */
  isSingle: () => boolean
  entry?: URL
  /** Milliseconds without work after which the thread ends; after a failure, until it is used again. */
  idle?: number
}

/**
 * Recovers the signers of requests, in batches of one event loop tick, on a thread.
 * Reasons: docs/decisions/2026-11-29-batched-ticks.md.
 */
export class SignerRecovery {
  private readonly thread: OneThread
  private readonly idle: number
  private pending: Check[] = []
  /** Signatures in the thread. */
  private count = 0
  private notBefore = Number.NEGATIVE_INFINITY

  constructor(private readonly options: RecoveryOptions) {
    this.idle = options.idle ?? PROVIDER_LIMITS.signers.idle
    this.thread = new OneThread({ entry: options.entry ?? recoveryWorker(), idle: this.idle })
  }

  /**
   * Resolves with the lower-case address that signed a 32-byte digest (signature r ‖ s ‖ v, 65 bytes); undefined if the
   * signature is invalid. Never rejects.
   */
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Hex | undefined> {
    if (!this.options.thread || this.options.isSingle() || signature.length !== SIGNATURE)
      return Promise.resolve(signerOf(digest, signature))
    return new Promise((resolve) => {
      if (this.pending.push({ digest, signature, resolve }) === 1) setImmediate(() => this.flush())
    })
  }

  /** Ends the thread after its work. The event loop checks later signatures. */
  async close(): Promise<void> {
    this.notBefore = Number.POSITIVE_INFINITY
    await this.thread.end()
  }

  private flush(): void {
    const all = this.pending
    this.pending = []
    const batch = all.slice(0, PROVIDER_LIMITS.signers.inThread - this.count)
    // a single check must not overtake those in the thread
    const isWorthwhile = batch.length >= PROVIDER_LIMITS.signers.minBatch || (batch.length > 0 && this.count > 0)
    const isUsable = isWorthwhile && performance.now() >= this.notBefore
    const forThread = isUsable && this.thread.isReady ? batch : []
    // an empty batch starts the thread in advance
    if (isUsable) void this.ask(forThread)
    settle(all.slice(forThread.length))
  }

  private async ask(batch: readonly Check[]): Promise<void> {
    const checks = new Uint8Array(batch.length * ENTRY)
    for (const [at, { digest, signature }] of batch.entries()) {
      checks.set(digest, at * ENTRY)
      checks.set(signature, at * ENTRY + 32)
    }
    this.count += batch.length
    try {
      const results = (await this.thread.run('recoverAll', checks, [checks.buffer])) as Uint8Array
      for (const [at, { resolve }] of batch.entries())
        resolve(addressOf(results.subarray(at * RESULT, (at + 1) * RESULT)))
    } catch {
      this.notBefore = Math.max(this.notBefore, performance.now() + this.idle)
      settle(batch)
    } finally {
      this.count -= batch.length
    }
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
  // zeros stand for an invalid signature
  return bytes.some((byte) => byte !== 0) ? `0x${Buffer.from(bytes).toString('hex')}` : undefined
}
