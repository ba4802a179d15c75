import { createHash } from 'node:crypto'

/**
 * Returns an id for a legacy token, which has none: a hash of the signed part, so that other encodings of the signature
 * have the same id. Undefined if the text is no token.
 */
export function legacyTokenId(token: string): string | undefined {
  const signed = /^([\w-]+\.[\w-]+)\.[\w-]+=*$/.exec(token)?.[1]
  return signed && `legacy ${createHash('sha256').update(signed).digest('base64url')}`
}
