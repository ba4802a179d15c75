import { recoverSigner } from '@tidegate/protocol/keys'

/** Bytes of a signature to check (a digest of 32 bytes, r ‖ s ‖ v), and of the address that made it. */
export const ENTRY = 97
export const RESULT = 20

/** The task of the thread that recovers signers: returns the address of each signature, or zeros if it is invalid. */
export function recoverAll(checks: Uint8Array): Uint8Array {
  const results = new Uint8Array((checks.length / ENTRY) * RESULT)
  for (let at = 0, to = 0; at < checks.length; at += ENTRY, to += RESULT) {
    const signer = recoverSigner(checks.subarray(at, at + 32), checks.subarray(at + 32, at + ENTRY))
    if (signer) results.set(signer, to)
  }
  return results
}

/** The last task: there is nothing to close. */
export const end = () => undefined
