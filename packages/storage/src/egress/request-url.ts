import { trimmedOf } from './blanks.js'

/** A parsed URL, and its request target as the author wrote it. */
export interface RequestUrl {
  /** The only source of scheme, host and port. */
  url: URL
  /** Path and query (RFC 9112, origin-form). Not normalised, since signatures may cover every byte. */
  target: string
}

/** Parses the http(s) URL of a publisher. Returns undefined if it is not a URL. */
export function requestUrl(text: string): RequestUrl | undefined {
  const url = parsed(text)
  if (!url) return undefined
  // the authority ends at the same character as for the URL parser
  const [, target = ''] = /^[^:]*:[/\\]*[^/\\?#]*([^#]*)/.exec(stripped(text)) ?? []
  return { url, target: asTarget(encoded(target, 'utf8')) }
}

/**
 * Resolves a Location (RFC 9110, 10.2.2) against the URL of its response. Percent-encodes spaces and non-ASCII bytes, like
 * browsers. Returns undefined if the result is not a URL.
 */
export function redirectUrl(location: string, base: RequestUrl): RequestUrl | undefined {
  const text = encoded(stripped(location), 'latin1')
  const url = parsed(text, base.url.href)
  if (!url) return undefined
  const [, reference = '', query] = /^([^?#]*)(\?[^#]*)?/.exec(text) ?? []
  const [, path = '', ownQuery = ''] = /^([^?]*)(.*)$/.exec(base.target) ?? []
  if (reference === '') return { url, target: path + (query ?? ownQuery) }
  return { url, target: asTarget((resolvedPath(reference, path) ?? url.pathname) + (query ?? '')) }
}

/** Resolves a reference without query. Returns undefined for forms that only browsers accept. */
function resolvedPath(reference: string, base: string): string | undefined {
  if (reference.includes('\\')) return undefined
  const [absolute, rooted = '/'] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/+[^/]*(\/.*)?$/i.exec(reference) ?? []
  if (absolute !== undefined) return withoutDotSegments(rooted)
  if (/^[a-z][a-z0-9+.-]*:/i.test(reference)) return undefined
  if (reference.startsWith('/')) return withoutDotSegments(reference)
  return withoutDotSegments(base.slice(0, base.lastIndexOf('/') + 1) + reference)
}

/** Removes dot segments (RFC 3986, 5.2.4). */
function withoutDotSegments(path: string): string {
  const kept: string[] = []
  const segments = path.split('/').slice(1)
  for (const [index, segment] of segments.entries()) {
    if (segment === '..') kept.pop()
    if (segment !== '.' && segment !== '..') kept.push(segment)
    else if (index === segments.length - 1) kept.push('')
  }
  return `/${kept.join('/')}`
}

function parsed(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined
}

/** Removes the characters that the URL parser ignores. */
export function stripped(text: string): string {
  return trimmedOf(text, (code) => code <= 0x20).replace(/[\t\n\r]+/g, '')
}

/** Percent-encodes the bytes that a request line cannot hold. */
function encoded(text: string, encoding: 'utf8' | 'latin1'): string {
  return text.replace(/[^\x21-\x7e]+/g, (characters) =>
    Buffer.from(characters, encoding).toString('hex').toUpperCase().replace(/../g, '%$&'),
  )
}

function asTarget(text: string): string {
  return text.startsWith('/') ? text : `/${text.replace(/^\\/, '')}`
}
