import { brotliCompressSync, constants } from 'node:zlib'
import type { Hex } from 'viem'
import { JsonBoundsError } from '../json.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import { readPublishableDdo } from './ddo.js'
import { INFLATED } from './lzma.js'
import { documentJson, sha256 } from './published-document.js'

/** The unverified signature fields of a request for validation. */
export type SignedBy = Record<'publisherAddress' | 'nonce' | 'signature', unknown>

/**
 * The result of a validation: SHA-256, chain and size in bytes, or problems by field. `signedBy` if the document came in
 * an envelope.
 */
export type Validated = ({ hash: Hex; chainId: number; size: number } | { problems: Record<string, string> }) & {
  signedBy?: SignedBy
}

/**
 * Validates a document before publication, with or without an envelope `{ddo, publisherAddress, nonce, signature}`. The
 * bytes are untrusted, so the service validates in the sandbox. `maxInflation`: as for `decompress`.
 */
export function validateDocument(bytes: Uint8Array, maxInflation = Number.POSITIVE_INFINITY): Validated {
  let json: unknown
  try {
    json = documentJson(bytes).json
  } catch (error) {
    const problem = error instanceof JsonBoundsError ? error.message : 'must be a DDO as JSON text'
    return { problems: { body: `The body ${problem}.` } }
  }
  if (!isEnvelope(json)) return { ...check(json, bytes, maxInflation) }
  const { ddo, publisherAddress, nonce, signature } = json
  const signedBy = { publisherAddress: scalar(publisherAddress), nonce: scalar(nonce), signature: scalar(signature) }
  // the client publishes this text, not that of the envelope
  return { ...check(ddo, Buffer.from(JSON.stringify(ddo)), maxInflation), signedBy }
}

/** No document has a field `ddo`. */
function isEnvelope(json: unknown): json is { ddo: unknown } & Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && Object.hasOwn(json, 'ddo')
}

function check(json: unknown, bytes: Uint8Array, maxInflation: number): Validated {
  const checked = readPublishableDdo(json)
  if ('problems' in checked) return checked
  if (bytes.length > PROTOCOL_LIMITS.document.inflated && inflationOf(bytes) > maxInflation)
    return { problems: { body: `The body ${INFLATED}: published in compressed form it could not be found.` } }
  return { hash: sha256(bytes), chainId: checked.ddo.chainId, size: bytes.length }
}

/** Returns the ratio of plain to compressed size. The compressor differs from LZMA by about a tenth for documents. */
function inflationOf(bytes: Uint8Array): number {
  const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window } = constants
  return bytes.length / brotliCompressSync(bytes, { params: { [quality]: 5, [window]: 22 } }).length
}

/**
 * Returns a value for the check of the caller. Objects and long texts are refused anyway, so they are replaced or cut
 * instead of copied between threads.
 */
function scalar(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, PROTOCOL_LIMITS.document.refused)
  return typeof value === 'object' && value !== null ? {} : value
}
