/** A SHA-256 of what comes piece by piece, whatever its size. */
export interface Hashing {
  add(piece: Uint8Array): void
  hex(): string
}

/**
 * Begins a SHA-256. That of browsers wants all of a file in memory, and only pages with TLS have it; the policy of the page
 * forbids WebAssembly. The code is loaded with the first download.
 */
export async function hashing(): Promise<Hashing> {
  const { sha256 } = await import('@noble/hashes/sha256')
  const hash = sha256.create()
  return {
    add: (piece) => void hash.update(piece),
    hex: () => [...hash.digest()].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
}
