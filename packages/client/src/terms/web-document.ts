import type { WebLink } from '../assets/asset-links.js'
import { TidegateError } from '../errors.js'
import { boundedBytes } from '../http/body.js'
import { deadline } from '../http/deadline.js'
import { LIMITS } from '../limits.js'
import { printable } from '../text.js'

/** A fetched document of the web. */
export interface WebDocument {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
}

/** Most redirects of one document. */
const REDIRECTS = 5

/**
 * Fetches a document of at most 5 MiB within 30 seconds. Sends neither token nor cookies. Follows redirects, but none from
 * https to http, and reads no address of the local network unless the provider is there too: a publisher chooses the URL.
 * `what` names the document in errors. A page reads only files of its provider, as its policy requires.
 * Throws TidegateError `DOCUMENT_UNREADABLE`, which names the host; the signal's own reason if it is aborted.
 */
export async function fetchDocument(
  provider: string,
  { url, host, isHere }: WebLink,
  what: string,
  signal?: AbortSignal,
): Promise<WebDocument> {
  const unreadable = (why: string) =>
    new TidegateError('DOCUMENT_UNREADABLE', `The ${what} on ${host} cannot be read: ${why}.`)
  if (!isHere && 'document' in globalThis)
    throw unreadable(`a page reads only files of its provider. Open ${url} yourself`)
  const { documentTime: time } = LIMITS
  const limit = deadline(signal, time, unreadable(`no complete answer within ${time / 1000} seconds`))
  try {
    const response = await followed(url, { signal: limit.signal, unreadable, isLocalToo: isLocal(new URL(provider)) })
    const contentType = printable(response.headers.get('content-type') ?? '', 100)
    return { bytes: await boundedBytes(response, LIMITS.document), contentType }
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason
    if (!(error instanceof TidegateError)) throw unreadable('the server does not answer, or breaks off')
    if (error.code === 'BAD_ANSWER') throw unreadable(`it is larger than ${LIMITS.document / 1_048_576} MiB`)
    throw error
  } finally {
    limit.end()
  }
}

interface Following {
  signal: AbortSignal
  unreadable: (why: string) => Error
  isLocalToo: boolean
}

async function followed(url: string, { signal, unreadable, isLocalToo }: Following): Promise<Response> {
  let at = new URL(url)
  for (let redirects = 0; redirects <= REDIRECTS; redirects++) {
    if (!isLocalToo && isLocal(at)) throw unreadable('it is on the local network')
    const response = await fetch(at, { redirect: 'manual', credentials: 'omit', cache: 'no-store', signal })
    if (response.ok) return response
    response.body?.cancel().catch(() => undefined)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null)
      throw unreadable(`the server answers ${response.status}`)
    const next = URL.canParse(location, at) ? new URL(location, at) : undefined
    if (next?.protocol !== 'https:' && next?.protocol !== at.protocol)
      throw unreadable('it redirects to another scheme')
    at = next as URL
  }
  throw unreadable('it redirects too often')
}

/** Names and addresses of this machine and of local networks. URLs have every address in one spelling. */
const LOCAL =
  /^(.+\.)?(localhost|local|internal)\.?$|^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168)(\.\d+)+$|^\[(::|f[cd]|fe[89ab])/

const isLocal = ({ hostname }: URL) => LOCAL.test(hostname)
