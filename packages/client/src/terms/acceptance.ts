import { type Served, termsOf } from '@tidegate/protocol/asset'
import { addressIn, fieldsOf } from '@tidegate/protocol/values'
import { type Address, type Hex, isAddressEqual } from 'viem'
import type { Moment } from '../chain/moment.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'

/** The first eight bytes of the SHA-256 of "tidegate accepted terms v1". */
const MARKER = 'eb78482634c9ab7f'
/** Hexadecimal digits of an acceptance: the marker and a SHA-256. */
const LENGTH = MARKER.length + 64

/**
 * Returns the SHA-256 of the accepted terms; undefined for an asset without terms. Throws TidegateError
 * `TERMS_NOT_ACCEPTED`, and `TERMS_CHANGED` if other terms were accepted than those of the document.
 */
export function acceptedTerms({ url }: Context, { did, document }: Served, accepted?: string): string | undefined {
  const terms = termsOf(url, document)
  if (terms?.sha256 === accepted?.toLowerCase()) return terms?.sha256
  const now = terms ? `the terms at ${terms.url}, SHA-256 ${terms.sha256}` : 'no terms'
  if (accepted !== undefined)
    throw new TidegateError('TERMS_CHANGED', `The terms of ${did} have changed: it has ${now}. Nothing was paid.`)
  throw new TidegateError('TERMS_NOT_ACCEPTED', `The asset ${did} has ${now}. Its buyer must accept them.`)
}

/** Returns the trailing calldata of an order that proves the acceptance. The contracts ignore it. */
export const acceptanceOf = (sha256: string): Hex => `0x${MARKER}${sha256}`

/**
 * Returns the SHA-256 of the terms that the transaction of an order accepts; undefined if there is none. In a call of the
 * datatoken it ends the calldata. A contract wallet wraps the call: then the calldata must name exactly one SHA-256, which
 * proves less, as others may have written parts of it. Throws TidegateError `CHAIN_UNREACHABLE`.
 */
export async function acceptedIn(moment: Moment, hash: Hex, datatoken: Address): Promise<string | undefined> {
  const { to, input } = fieldsOf(await moment.find('eth_getTransactionByHash', hash))
  if (typeof input !== 'string' || !input.startsWith('0x')) return undefined
  const called = addressIn(to)
  return called && isAddressEqual(called, datatoken) ? atEnd(input) : (atEnd(input) ?? onlyOne(input))
}

function atEnd(input: string): string | undefined {
  return acceptance(input.slice(-LENGTH).toLowerCase())
}

function onlyOne(input: string): string | undefined {
  const text = input.slice(2, 2 + 2 * LIMITS.calldata).toLowerCase()
  const found = new Set<string>()
  for (let at = text.indexOf(MARKER); at >= 0; at = text.indexOf(MARKER, at + 1)) {
    const sha256 = at % 2 === 0 ? acceptance(text.slice(at, at + LENGTH)) : undefined
    if (sha256) found.add(sha256)
  }
  return found.size === 1 ? [...found][0] : undefined
}

function acceptance(text: string): string | undefined {
  return text.startsWith(MARKER) && /^[0-9a-f]{80}$/.test(text) ? text.slice(MARKER.length) : undefined
}
