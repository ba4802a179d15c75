import { createKeccak } from 'hash-wasm'

/** WebAssembly: several times faster than a hash in JavaScript, and nothing to build. One is enough, as no two hashes overlap. */
const hasher = await createKeccak(256)

/** The keccak-256 hash, 32 bytes, in a buffer of its own. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}
