/** Bytes of the beginning and of the end that are looked at: of a file of any size in a moment. */
const EDGE = 262_144

/**
 * What tells whether a file that is chosen again is the one of before: its size, and a digest of its beginning and end. In a
 * page without TLS, where browsers make no digest, the time of its last change stands for that.
 */
export async function fingerprintOf(file: Blob & { lastModified?: number }): Promise<string> {
  const { size } = file
  const subtle = globalThis.crypto?.subtle
  if (!subtle) return `${size}/${file.lastModified ?? 0}`
  const edges = new Blob([file.slice(0, EDGE), file.slice(Math.max(EDGE, size - EDGE))])
  const digest = new Uint8Array(await subtle.digest('SHA-256', await edges.arrayBuffer()))
  return `${size}/${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
