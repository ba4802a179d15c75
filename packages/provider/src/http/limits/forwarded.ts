import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

const HEADER = 'x-forwarded-for'

/** Addresses that are read, from the nearest on: as many trusted proxies are never in a row. */
const MAX_ADDRESSES = 32

/**
 * Rewrites X-Forwarded-For before the framework reads it, which takes plain addresses only: it would count each port of
 * Azure's `203.0.113.8:40001` as another client, and trust no proxy that is written so.
 */
export function plainForwardedAddresses(app: FastifyInstance): void {
  app.server.prependListener('request', ({ headers }: FastifyRequest['raw']) => {
    const { [HEADER]: forwarded } = headers
    if (typeof forwarded === 'string') headers[HEADER] = plainAddresses(forwarded)
  })
}

/** Returns the last addresses of a header without ports, brackets, quotes and zones; `unknown` for other text. */
export function plainAddresses(header: string): string {
  return header.split(',').slice(-MAX_ADDRESSES).map(plainAddress).join(', ')
}

function plainAddress(text: string): string {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const host = /^\[(.*)\](?::\d*)?$/.exec(bare)?.[1] ?? bare
  // an IPv6 address without brackets has its port only if it is none with it
  const address = [host, host.replace(/:\d{1,5}$/, '')].map((one) => one.replace(/%.*$/, '')).find(isAddress)
  return address === undefined ? 'unknown' : ipaddr.process(address).toString()
}

/** The library also reads `1` and `0x7f.1` as IPv4. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(':') && ipaddr.IPv6.isValid(text))
}
