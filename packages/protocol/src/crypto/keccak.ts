import { createKeccak } from 'hash-wasm'

/**
 * In WebAssembly: several times faster than JavaScript, without a native build. One instance is enough, since hashing is
 * synchronous.
 */
const hasher = await createKeccak(256)

/** Returns the keccak-256 hash: a new buffer of 32 bytes. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}
