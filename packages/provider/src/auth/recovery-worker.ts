import { parentPort } from 'node:worker_threads'
import { recoverSigner } from '@tidegate/protocol/keys'

/** Bytes of a signature to check (a digest of 32 bytes, r ‖ s ‖ v), and of the address that made it; zeros where none did. */
export const ENTRY = 97
export const RESULT = 20

/** A batch: its id, and signatures one after the other; undefined: the thread is to end. */
export type Checks = { id: number; checks: Uint8Array } | undefined

/** Recovers the signer of each. */
function recoverAll(checks: Uint8Array): Uint8Array {
  const results = new Uint8Array((checks.length / ENTRY) * RESULT)
  for (let at = 0, to = 0; at < checks.length; at += ENTRY, to += RESULT) {
    const signer = recoverSigner(checks.subarray(at, at + 32), checks.subarray(at + 32, at + ENTRY))
    if (signer) results.set(signer, to)
  }
  return results
}

/** A message of the thread: first that it is ready, then the results of each batch, with its id. */
export type Answer = 'ready' | { id: number; results: Uint8Array }

/**
 * The module of the thread that recovers signers. It ends by itself, since a thread that is terminated within native code aborts
 * the process.
 */
parentPort?.on('message', (batch: Checks) => {
  if (!batch) return parentPort?.close()
  const results = recoverAll(batch.checks)
  parentPort?.postMessage({ id: batch.id, results } satisfies Answer, [results.buffer as ArrayBuffer])
})
parentPort?.postMessage('ready' satisfies Answer)
