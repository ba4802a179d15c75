import dns from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import {
  checkedLookup,
  ForbiddenDestination,
  isPublicAddress,
  type Lookup,
  literalAddress,
} from '@tidegate/protocol/addresses'

/** Names that no public name server resolves (RFC 6761, 6762, 8375, and the reservation of `internal`). */
const RESERVED = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/

/**
 * The `documents` option of `createTidegate` for Node: requests a document at any public address, and follows no redirect. A
 * publisher chooses the URL, so it connects to the address that it has checked; local ones are requested only if the provider
 * is on a local network too. Rejects with the code `FORBIDDEN_DESTINATION` before a connection is opened.
 */
export async function webDocuments(url: URL, provider: URL, signal: AbortSignal): Promise<Response> {
  const mayBeLocal = isLocalHost(provider.hostname)
  if (!mayBeLocal && isLocalHost(url.hostname)) throw new ForbiddenDestination('not an allowed address')
  const lookup = checkedLookup(dns.lookup as Lookup, (address) => mayBeLocal || isPublicAddress(address))
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http
    request(url, { agent: false, lookup: lookup as never, rejectUnauthorized: true, signal }, resolve)
      .on('error', reject)
      .end()
  })
  const { statusCode: status = 0 } = message
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as [string, string])
  const body = [204, 205, 304].includes(status) ? null : (Readable.toWeb(message) as unknown as ReadableStream)
  return new Response(body, { status, headers })
}

/** Returns whether a host is on this machine or a local network, as its name alone tells. */
function isLocalHost(hostname: string): boolean {
  const literal = literalAddress(hostname)
  return literal === undefined ? RESERVED.test(hostname) : !isPublicAddress(literal)
}
