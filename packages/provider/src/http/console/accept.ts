import type { FastifyReply, FastifyRequest } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'

/**
 * Returns the server's best offer for an Accept or Accept-Encoding header: the first one with the highest quality.
 * Undefined if the header refuses all. `wildcards`: patterns that match an offer, most specific first (RFC 9110, 12.4
 * and 12.5).
 */
export function preferred<T extends string>(
  header: string | undefined,
  offers: readonly T[],
  wildcards: (offer: T) => readonly string[],
): T | undefined {
  if (header === undefined) return offers[0]
  const qualities = qualitiesOf(header)
  let best: { offer: T; quality: number } | undefined
  for (const offer of offers) {
    const named = wildcards(offer).find((pattern) => qualities.has(pattern))
    const quality = named === undefined ? 0 : (qualities.get(named) as number)
    if (quality > (best?.quality ?? 0)) best = { offer, quality }
  }
  return best?.offer
}

function qualitiesOf(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const part of header.slice(0, PROVIDER_LIMITS.console.accept).split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = parameters.find((text) => /^q=/.test(text))?.slice(2) ?? '1'
    if (name !== '') qualities.set(name, /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 0)
  }
  return qualities
}

/** Returns the media ranges that match a type, most specific first. */
export const mediaRanges = (type: string): string[] => [type, `${type.split('/')[0]}/*`, '*/*']

/** Whether a request comes from a browser that shows pages. Programs that accept anything get JSON. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  if (headers.accept === undefined) return false
  return preferred(headers.accept, ['application/json', 'text/html'], mediaRanges) === 'text/html'
}

/** Adds a header to Vary, and keeps the entries of plugins. */
export function varyBy(reply: FastifyReply, header: string): void {
  const before = [reply.getHeader('vary') ?? []].flat().join(', ')
  reply.header('vary', before ? `${before}, ${header}` : header)
}
