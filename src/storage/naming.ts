/** The file name that the storage proposes (RFC 6266, the RFC 8187 form first). */
export function suggestedName(disposition: string | string[] | undefined): string | undefined {
  if (typeof disposition !== 'string') return undefined
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  if (extended) return decoded(extended)
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition)
  return plain ? (plain[1]?.replace(/\\(.)/g, '$1') ?? plain[2]) : undefined
}

/** The last path segment where it looks like a file name; an opaque one may be a secret and is not told. */
export function lastSegment(url: URL): string | undefined {
  if (!SEGMENTS.has(url)) SEGMENTS.set(url, fileSegment(url))
  return SEGMENTS.get(url)
}

/** Those of URLs that are asked for again and again. */
const SEGMENTS = new WeakMap<URL, string | undefined>()

function fileSegment(url: URL): string | undefined {
  const segment = decoded(url.pathname.split('/').at(-1) ?? '')
  return segment && /.\.[A-Za-z0-9]{1,10}$/.test(segment) ? segment : undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
