import { CONSOLE_LIMITS } from '../../limits.js'

const { edge: EDGE } = CONSOLE_LIMITS.fields

/**
 * Returns a fingerprint that identifies a file when it is chosen again: its size, and a digest of its beginning and end. In
 * a page without TLS, which has no digests, its modification time replaces the digest.
 */
export async function fingerprintOf(file: Blob & { lastModified?: number }): Promise<string> {
  const { size } = file
  const subtle = globalThis.crypto?.subtle
  if (!subtle) return `${size}/${file.lastModified ?? 0}`
  const edges = new Blob([file.slice(0, EDGE), file.slice(Math.max(EDGE, size - EDGE))])
  const digest = new Uint8Array(await subtle.digest('SHA-256', await edges.arrayBuffer()))
  return `${size}/${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
