import { COMMON_LIMITS } from './limits.js'

/** A response as far as its description needs it. The content type and the text are untrusted. */
interface Answer {
  status: number
  contentType: unknown
  text: string
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const PAGE = /^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*>\s*)*<(!doctype\s+html|html|head|body)\b/i
/** A media type without its parameters (RFC 9110), of a length that fits a line. */
const MEDIA_TYPE = /^[a-z][a-z0-9.+-]{0,39}\/[a-z0-9][a-z0-9.+-]{0,59}$/

/**
 * Describes a response that is not as wanted, as a predicate about its server: "answers a web page (text/html) with status
 * 200 instead of JSON". Quotes nothing but the status and the media type. `wanted`: the format that was asked for.
 */
export function describeAnswer({ status, contentType, text }: Answer, wanted: string): string {
  if (REDIRECTS.has(status)) return `redirects (status ${status}), and redirects are not followed`
  const type = mediaType(contentType)
  const start = text.slice(0, COMMON_LIMITS.outbound.start)
  const named = type === undefined ? '' : ` (${type})`
  const page = type === 'text/html' || type === 'application/xhtml+xml' || PAGE.test(start) ? `a web page${named}` : ''
  const withPage = page && ` with ${page}`
  if (status === 401 || status === 403 || status === 407) return `refuses access (status ${status})${withPage}`
  if (status >= 400) return `answered ${status}${withPage}`
  const body = page || (start.trim() === '' ? 'an empty body' : (type ?? 'a body without a content type'))
  return `answers ${body} with status ${status} instead of ${wanted}`
}

function mediaType(contentType: unknown): string | undefined {
  const type = String(Array.isArray(contentType) ? contentType[0] : (contentType ?? '')).slice(0, 200)
  const [media = ''] = type.toLowerCase().split(';')
  return MEDIA_TYPE.test(media.trim()) ? media.trim() : undefined
}

/** Reasons of failed connections, by the codes of Node, OpenSSL and undici. */
const REASONS: [codes: RegExp, reason: string][] = [
  [/^ENOTFOUND$/, 'cannot be reached: its name is not found'],
  [/^EAI_/, 'cannot be reached: its name cannot be looked up now'],
  [/^ECONNREFUSED$/, 'cannot be reached: it refuses connections'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN)$/, 'cannot be reached: there is no route to it'],
  [/^(EACCES|EPERM)$/, 'cannot be reached: this machine forbids the connection'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'cannot be reached: connecting takes too long'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE)$/, 'closes the connection before its answer ends'],
  [/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, 'did not answer in time'],
  [/^TOO_LONG$/, 'answers more than is read'],
  [/^(Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_PADDING)/, 'answers with a broken compression'],
  [
    /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_CERT_|INVALID_CA$|EPROTO$|HOSTNAME_MISMATCH$)/,
    'cannot be reached: TLS fails',
  ],
]

/** Describes a failed exchange with a server, as a predicate about the server without its address. */
export function describeFailedExchange(error: unknown): string {
  const all = causesOf(error)
  if (all.some(({ name }) => name === 'TimeoutError')) return 'did not answer in time'
  if (all.some(({ name }) => name === 'HTTPParserError')) return 'answers something else than HTTP'
  const codes = all.flatMap(({ code }) => (/^[A-Z][A-Z0-9_]{1,63}$/.test(String(code)) ? [String(code)] : []))
  for (const code of codes) {
    const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? []
    if (reason) return `${reason} (${code})`
  }
  return codes[0] === undefined ? 'cannot be reached' : `cannot be reached (${codes[0]})`
}

/** Returns an error and its causes. */
function causesOf(error: unknown): (Error & { code?: unknown })[] {
  const all: Error[] = []
  for (let cause = error; cause instanceof Error && all.length < 10; cause = cause.cause) all.push(cause)
  return all
}
