import type { Address } from 'viem'

/** The checked fields of a sign-in message (EIP-4361). */
export interface SignInMessage {
  /** Scheme of the domain, if the message has one. */
  scheme: string | undefined
  /** Host of the provider, with its port unless it is the default port. */
  domain: string
  /** With the letter case of the message. */
  address: Address
  uri: string
  chainId: number
  nonce: string
  /** Milliseconds since 1970, like the other times. */
  issuedAt: number
  expiresAt: number | undefined
  notBefore: number | undefined
}

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`

/** The grammar of EIP-4361, version 1. Anchored, unlike the parser of viem: a statement must not pose as a field. */
const MESSAGE = new RegExp(
  [
    '^(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*)://)?(?<domain>[!-.0-?A-~]+) wants you to sign in with your Ethereum account:',
    '(?<address>0x[0-9a-fA-F]{40})',
    String.raw`(?:\n[\x20-\x7e]+)?`,
    String.raw`\nURI: (?<uri>[\x21-\x7e]+)`,
    'Version: 1',
    String.raw`Chain ID: (?<chainId>[1-9]\d{0,14})`,
    'Nonce: (?<nonce>[a-zA-Z0-9]{8,})',
    `Issued At: (?<issuedAt>${TIME})(?:\nExpiration Time: (?<expiresAt>${TIME}))?(?:\nNot Before: (?<notBefore>${TIME}))?${String.raw`(?:\nRequest ID: [\x21-\x7e]*)?(?:\nResources:(?:\n- [\x21-\x7e]+)*)?$`}`,
  ].join('\n'),
)

/** Parses a sign-in message. Throws an Error with the problem. */
export function parseSignIn(text: string): SignInMessage {
  const { scheme, domain, address, uri, chainId, nonce, ...times } = MESSAGE.exec(text)?.groups ?? {}
  if (!domain || !address || !uri || !nonce) throw new Error('must be a message of EIP-4361, version 1')
  const [issuedAt, expiresAt, notBefore] = [times.issuedAt, times.expiresAt, times.notBefore].map((time) =>
    time === undefined ? undefined : Date.parse(time),
  )
  if (issuedAt === undefined || [issuedAt, expiresAt, notBefore].some((time) => Number.isNaN(time)))
    throw new Error('must have times that exist')
  return {
    scheme,
    domain: domain.toLowerCase(),
    address: address as Address,
    uri,
    chainId: Number(chainId),
    nonce,
    issuedAt,
    expiresAt,
    notBefore,
  }
}

/**
 * Checks that a message is for `path` of the provider at `base`, and valid at `now` (milliseconds since 1970), with
 * `tolerance` for the signer's clock. Throws an Error with the problem.
 */
export function checkSignIn(
  message: SignInMessage,
  { base, path, now, tolerance }: { base: string; path: string; now: number; tolerance: number },
): void {
  const { protocol, host } = new URL(base)
  const { scheme, domain, uri, issuedAt, expiresAt, notBefore } = message
  if (domain !== host || (scheme !== undefined && `${scheme.toLowerCase()}:` !== protocol))
    throw new Error(`must name this provider: its domain must be ${host}`)
  const resource = base + path
  if (uri !== resource && !(path === '' && uri === `${base}/`)) throw new Error(`must have the URI ${resource}`)
  if (issuedAt > now + tolerance) throw new Error('has an Issued At in the future')
  if (notBefore !== undefined && notBefore > now) throw new Error('has a Not Before in the future')
  if (expiresAt !== undefined && expiresAt <= now) throw new Error('has an Expiration Time in the past')
}
