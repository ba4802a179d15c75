/** An incremental SHA-256. */
export interface Hashing {
  add(piece: Uint8Array): void
  hex(): string
}

/**
 * Starts a SHA-256. The browser's own needs the whole file in memory, and a page with TLS; the page's policy forbids
 * WebAssembly. The code loads with the first download.
 */
export async function hashing(): Promise<Hashing> {
  const { sha256 } = await import('@noble/hashes/sha256')
  const hash = sha256.create()
  return {
    add: (piece) => void hash.update(piece),
    hex: () => [...hash.digest()].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
}
