import { memoized } from '../../memo.js'

/** Returns the file name that a Content-Disposition suggests (RFC 6266; the RFC 8187 form takes precedence). */
export function suggestedName(disposition: string | string[] | undefined): string | undefined {
  if (typeof disposition !== 'string') return undefined
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  if (extended) return uriDecoded(extended)
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition)
  return plain ? (plain[1]?.replace(/\\(.)/g, '$1') ?? plain[2]) : undefined
}

/** Returns the last path segment if it looks like a file name. An opaque one may be a secret and is not disclosed. */
export const lastSegment = memoized((url: URL): string | undefined => {
  const segment = uriDecoded(url.pathname.split('/').at(-1) ?? '')
  return segment && /.\.[A-Za-z0-9]{1,10}$/.test(segment) ? segment : undefined
})

/** Decodes percent-encoded UTF-8; undefined where it is none. */
export function uriDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
