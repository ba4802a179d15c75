import { createHash } from 'node:crypto'

/**
 * Returns an id for a token of the legacy service, which assigns none: a hash of the signed part, so that other
 * encodings of the same signature have the same id. Undefined if the text is not a token.
 */
export function legacyTokenId(token: string): string | undefined {
  const signed = /^([\w-]+\.[\w-]+)\.[\w-]+=*$/.exec(token)?.[1]
  return signed && `legacy ${createHash('sha256').update(signed).digest('base64url')}`
}
