import { Worker } from 'node:worker_threads'
import { loaderFor } from '@tidegate/common'
import { type Answer, type Checks, ENTRY } from './recovery-worker.js'

/** A signature to check, and the callback for its result. */
export interface Check {
  digest: Uint8Array
  signature: Uint8Array
  resolve: (signer: `0x${string}` | undefined) => void
}

export interface RecoveryThreadEvents {
  /** Results of one batch: the addresses one after the other. */
  onResults: (batch: readonly Check[], results: Uint8Array) => void
  /** The thread has ended. It had these batches. */
  onEnd: (batches: readonly Check[][]) => void
}

/**
 * One thread that recovers signers, with the batches that it has. Each answer carries the id of its batch, so neither a late nor
 * a repeated answer, nor the end of this thread, concerns a batch of its successor.
 */
export class RecoveryThread {
  /** Whether it takes batches: nobody waits for its start, which takes a tenth of a second, or more on a busy machine. */
  isReady = false
  /** Signatures that it has. */
  count = 0
  private readonly worker: Worker
  private readonly batches = new Map<number, Check[]>()
  private lastId = 0
  private readonly ended: Promise<void>

  /** Throws if no thread can be started. */
  constructor(
    entry: URL,
    private readonly events: RecoveryThreadEvents,
  ) {
    // the environment holds keys, which the thread does not need
    this.worker = new Worker(entry, { env: {}, execArgv: loaderFor(entry) })
    this.worker.unref()
    this.worker.on('message', (answer: Answer) => {
      if (answer === 'ready') this.isReady = true
      else this.take(answer.id, answer.results)
    })
    this.worker.on('error', () => this.release())
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', () => {
        this.release()
        resolve()
      })
    })
  }

  send(batch: Check[]): void {
    const checks = new Uint8Array(batch.length * ENTRY)
    for (const [at, { digest, signature }] of batch.entries()) {
      checks.set(digest, at * ENTRY)
      checks.set(signature, at * ENTRY + 32)
    }
    const id = ++this.lastId
    if (this.count === 0) this.worker.ref()
    this.batches.set(id, batch)
    this.count += batch.length
    this.worker.postMessage({ id, checks } satisfies Checks, [checks.buffer])
  }

  /** Ends the thread when it has done its work, and resolves then. */
  end(): Promise<void> {
    this.worker.ref()
    this.worker.postMessage(undefined satisfies Checks)
    return this.ended
  }

  private take(id: number, results: Uint8Array): void {
    const batch = this.batches.get(id)
    if (!batch) return
    this.batches.delete(id)
    this.count -= batch.length
    if (this.count === 0) this.worker.unref()
    this.events.onResults(batch, results)
  }

  /** Gives back the batches that nobody will answer. */
  private release(): void {
    const batches = [...this.batches.values()]
    this.batches.clear()
    this.count = 0
    this.isReady = false
    this.events.onEnd(batches)
  }
}
