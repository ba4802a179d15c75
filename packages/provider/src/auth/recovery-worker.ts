import { recoverSigner } from '@tidegate/protocol/keys'

/** Bytes of a check (32-byte digest, r ‖ s ‖ v) and of the recovered address. */
export const ENTRY = 97
export const RESULT = 20

/** Task of the thread: writes the address of each signature, or zeros for an invalid one. */
export function recoverAll(checks: Uint8Array): Uint8Array {
  const results = new Uint8Array((checks.length / ENTRY) * RESULT)
  for (let at = 0, to = 0; at < checks.length; at += ENTRY, to += RESULT) {
    const signer = recoverSigner(checks.subarray(at, at + 32), checks.subarray(at + 32, at + ENTRY))
    if (signer) results.set(signer, to)
  }
  return results
}

/** OneThread calls `end` last. There is nothing to close. */
export const end = () => undefined
