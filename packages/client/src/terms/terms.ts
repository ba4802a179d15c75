import { ASSET_LIMITS, linkName, termsFields, termsOf, webLink } from '@tidegate/protocol/asset'
import { textOf } from '@tidegate/protocol/values'
import { sha256 } from 'viem'
import type { AssetOptions } from '../assets/asset.js'
import { servedDocument } from '../chain/document.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { PublicBytes, TermsDocument, TermsText } from './types.js'
import { fetchDocument } from './web-document.js'

/**
 * Reads the terms of an asset, and compares them with the SHA-256 of its document. Throws TidegateError `NO_TERMS`,
 * `TERMS_CHANGED`, and `DOCUMENT_UNREADABLE` with the host: without `documents`, only terms that this provider hosts can be read (`isHere`).
 *
 * @example
 * const { text, sha256 } = await tidegate.terms('did:op:…')
 * await tidegate.buy('did:op:…', { acceptTerms: sha256 })
 */
export async function terms(context: Context, did: string, { signal }: AssetOptions = {}): Promise<TermsText> {
  const described = termsOf(context.url, (await servedDocument(context, did)).document)
  if (!described) throw new TidegateError('NO_TERMS', `The asset ${did} has no terms.`)
  const { bytes, contentType } = await fetchDocument(context, described, 'terms', signal)
  if (hashOf(bytes) !== described.sha256)
    throw new TidegateError(
      'TERMS_CHANGED',
      `The terms of ${did} are not those that its publisher described: ${described.url} has another SHA-256.`,
    )
  const text = readable(bytes)
  return { ...described, contentType: described.contentType || contentType, bytes, ...(text ? { text } : {}) }
}

/**
 * Fetches terms at a URL once, and returns their description for `publish` and `update`. Throws TidegateError
 * `BAD_REQUEST`, `DOCUMENT_UNREADABLE`.
 */
export async function termsAt(context: Context, url: string, { signal }: AssetOptions = {}): Promise<TermsDocument> {
  const link = webLink(context.url, url)
  if (!link)
    throw new TidegateError('BAD_REQUEST', `terms must be an http(s) URL of at most ${ASSET_LIMITS.url} characters.`)
  const { bytes, contentType } = await fetchDocument(context, link, 'terms', signal)
  if (bytes.length === 0) throw new TidegateError('BAD_REQUEST', `terms are empty: ${link.url}.`)
  return termsFields({ url: link.url, sha256: hashOf(bytes), name: linkName(link, ''), contentType })
}

/**
 * Reads a sample: a public file of this provider, at most 5 MiB. Throws TidegateError `NOT_ON_PROVIDER` for any other URL,
 * `DOCUMENT_UNREADABLE`.
 */
export async function sample(context: Context, url: string, { signal }: AssetOptions = {}): Promise<PublicBytes> {
  const link = webLink(context.url, url)
  if (!link?.isHere) {
    const where = link ? `on ${link.host}, not on this provider. Open ${link.url} yourself` : 'no file of this provider'
    throw new TidegateError('NOT_ON_PROVIDER', `The sample is ${where}.`)
  }
  return { ...(await fetchDocument(context, link, 'sample', signal)), name: linkName(link, '') }
}

/** Returns a SHA-256 as hex. A page without TLS has no SHA-256 of its own. */
export const hashOf = (bytes: Uint8Array): string => sha256(bytes).slice(2)

/** Returns text in UTF-8; undefined for other bytes, such as PDF. */
function readable(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.startsWith('%PDF-') ? undefined : textOf(text, LIMITS.document)
  } catch {
    return undefined
  }
}
