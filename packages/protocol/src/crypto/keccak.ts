import { createKeccak } from 'hash-wasm'

/** WebAssembly: several times faster than JavaScript, without a native build. One instance suffices: hashing is synchronous. */
const hasher = await createKeccak(256)

/** Returns the keccak-256 hash: 32 bytes, in a new buffer. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}
