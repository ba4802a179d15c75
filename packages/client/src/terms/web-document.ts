import type { WebLink } from '@tidegate/protocol/asset'
import { MIB } from '@tidegate/protocol/constants'
import { printable } from '@tidegate/protocol/values'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { boundedBytes } from '../http/body.js'
import { deadline } from '../http/deadline.js'
import { LIMITS } from '../limits.js'

/** A fetched document of the web. */
export interface WebDocument {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
}

/** Most redirects of one document. */
const REDIRECTS = 5

/**
 * Fetches a document of at most 5 MiB within 30 seconds. Sends neither token nor cookies. Follows redirects, but none from
 * https to http. A publisher chooses the URL: a host other than the provider's is asked through `documents` alone.
 * `what` names the document in errors. Throws TidegateError `DOCUMENT_UNREADABLE`, which names the host; the signal's own
 * reason if it is aborted.
 */
export async function fetchDocument(
  { url: provider, documents }: Pick<Context, 'url' | 'documents'>,
  { url, host, isHere }: WebLink,
  what: string,
  signal?: AbortSignal,
): Promise<WebDocument> {
  const unreadable = (why: string) =>
    new TidegateError('DOCUMENT_UNREADABLE', `The ${what} on ${host} cannot be read: ${why}.`)
  const { documentTime: time } = LIMITS
  const limit = deadline(signal, time, unreadable(`no complete answer within ${time / 1000} seconds`))
  const foreign = (at: URL) => {
    if (!documents) throw unreadable(`only files of the provider are read here. Open ${url} yourself`)
    return documents(at, new URL(provider), limit.signal)
  }
  try {
    const response = await followed(new URL(url), { isHere, foreign, unreadable, signal: limit.signal })
    const contentType = printable(response.headers.get('content-type') ?? '', 100)
    return { bytes: await boundedBytes(response, LIMITS.document), contentType }
  } catch (error) {
    limit.signal.throwIfAborted()
    if ((error as { code?: unknown }).code === 'FORBIDDEN_DESTINATION') throw unreadable('it is on the local network')
    if (!(error instanceof TidegateError)) throw unreadable('the server does not answer, or breaks off')
    if (error.code === 'BAD_ANSWER') throw unreadable(`it is larger than ${LIMITS.document / MIB} MiB`)
    throw error
  } finally {
    limit.end()
  }
}

interface Following {
  isHere: boolean
  /** Requests a document of another host. */
  foreign: (at: URL) => Promise<Response>
  unreadable: (why: string) => Error
  signal: AbortSignal
}

async function followed(first: URL, { isHere, foreign, unreadable, signal }: Following): Promise<Response> {
  let at = first
  for (let redirects = 0; redirects <= REDIRECTS; redirects++) {
    const response =
      isHere && redirects === 0
        ? await fetch(at, { redirect: 'manual', credentials: 'omit', cache: 'no-store', signal })
        : await foreign(at)
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
