import { OneThread } from '@tidegate/common'
import { recoverSigner } from '@tidegate/protocol/keys'
import type { Hex } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'
import { ENTRY, RESULT } from './recovery-worker.js'
import { recoveryWorker } from './recovery-worker-url.js'

/** Bytes of a signature: r, s and v. */
const SIGNATURE = 65

/** A signature to check, and the callback for its result. */
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
  /** Milliseconds without work after which the thread ends; after a failure, until it is used again. */
  idle?: number
}

/** Recovers the signers of requests: those of one tick of the event loop together, on a thread. */
export class SignerRecovery {
  private readonly thread: OneThread
  private readonly idle: number
  private pending: Check[] = []
  /** Signatures that the thread has. */
  private count = 0
  private notBefore = Number.NEGATIVE_INFINITY

  constructor(private readonly options: RecoveryOptions) {
    this.idle = options.idle ?? PROVIDER_LIMITS.signers.idle
    this.thread = new OneThread({ entry: options.entry ?? recoveryWorker(), idle: this.idle })
  }

  /**
   * Resolves with the address, in lower case, that made a signature (r ‖ s ‖ v, 65 bytes) of a 32-byte digest; undefined if it is
   * invalid. Never rejects.
   */
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Hex | undefined> {
    if (!this.options.thread || this.options.isSingle() || signature.length !== SIGNATURE)
      return Promise.resolve(signerOf(digest, signature))
    return new Promise((resolve) => {
      if (this.pending.push({ digest, signature, resolve }) === 1) setImmediate(() => this.flush())
    })
  }

  /** Ends the thread after its work. Later signatures are checked on the event loop. */
  async close(): Promise<void> {
    this.notBefore = Number.POSITIVE_INFINITY
    await this.thread.end()
  }

  private flush(): void {
    const all = this.pending
    this.pending = []
    const batch = all.slice(0, PROVIDER_LIMITS.signers.inThread - this.count)
    // a single check must not overtake those that the thread has
    const isWorthwhile = batch.length >= PROVIDER_LIMITS.signers.minBatch || (batch.length > 0 && this.count > 0)
    const isUsable = isWorthwhile && performance.now() >= this.notBefore
    const forThread = isUsable && this.thread.isReady ? batch : []
    // an empty batch starts the thread: nobody waits for that
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
  // nobody has the key of the zero address
  return bytes.some((byte) => byte !== 0) ? `0x${Buffer.from(bytes).toString('hex')}` : undefined
}
