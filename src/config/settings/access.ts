import * as parse from '../parsers.js'
import { setting } from '../setting.js'

/** Who may have what: nonces, tokens, lists, compute environments, proofs. */
export const ACCESS = {
  NONCE_MAX_AHEAD: setting({
    parse: parse.integer(0, 3_153_600_000),
    default: 86_400,
    doc: 'Seconds that a nonce may run ahead of the time in microseconds since 1970, the largest clock in use.',
  }),
  AUTH_TOKEN_SECRET: setting({
    parse: parse.secretText(32),
    secret: true,
    doc: 'Secret that auth tokens are signed with, at least 32 characters. Default: derived from the provider key of the lowest chain id. Set it where several instances have different keys.',
  }),
  AUTH_TOKEN_LIFETIME: setting({
    parse: parse.integer(1, 3_153_600_000),
    default: 86_400,
    doc: 'Seconds that an auth token lives when the request names no end.',
  }),
  AUTH_TOKEN_MAX_LIFETIME: setting({
    parse: parse.integer(1, 3_153_600_000),
    default: 2_592_000,
    doc: 'Most seconds that the expiration of an auth token may lie ahead.',
  }),
  LEGACY_TOKEN_SECRET: setting({
    parse: parse.text,
    secret: true,
    doc: 'What the legacy service signed auth tokens with: its private key, written exactly as there. Where set, its tokens are good until they end; bring those that were deleted over with tidegate import.',
  }),
  AUTHORIZED_DECRYPTERS: setting({
    parse: parse.addressList,
    doc: 'Addresses that may decrypt asset documents, as a JSON list or separated by commas. Documents that are encrypted on the chain are then given to those alone, by every route. Default: everybody.',
    example: '["0x…"]',
  }),
  COMPUTE_ENVIRONMENTS: setting({
    parse: parse.computeEnvironments,
    default: [],
    doc: 'Compute environments that orders may be quoted for, as a JSON list of objects with id, consumerAddress (the account that fetches files for it), pricePerMinute (smallest unit of the fee token) and, where it serves one chain alone, chainId.',
    example: '[{"id":"small","consumerAddress":"0x…","pricePerMinute":"100000000000000000"}]',
  }),
  RBAC_SERVER_URL: setting({
    parse: (raw) => parse.httpUrl(raw).href,
    doc: 'Access control server that is asked by POST before every encrypt, initialize and download; what it does not answer with true is refused.',
  }),
  USE_HTTP_PROOF: setting({
    parse: (raw) => parse.httpUrl(raw).href,
    doc: 'Receiver that gets a proof of every complete download by POST, signed by provider and consumer.',
  }),
  USE_CHAIN_PROOF: setting({
    parse: parse.boolean,
    default: false,
    doc: "Whether the first complete download of a file for an order is proven to the datatoken by a transaction (orderExecuted) of the provider's account, which pays for it. Parts of a file, and what was fetched with a token, are not.",
  }),
  CHAIN_PROOFS_PER_DAY: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 1000,
    doc: 'Most proofs by transaction on one day (UTC), over all instances; 0 is without limit. Downloads beyond it go on, and a later one is proven in their place.',
  }),
  PURGATORY_ASSETS: setting({
    parse: parse.text,
    doc: 'Path or URL of a JSON list of assets that are not served, as objects with did and reason.',
  }),
  PURGATORY_ACCOUNTS: setting({
    parse: parse.text,
    doc: 'The same for consumer accounts, as objects with address and reason.',
  }),
  PURGATORY_INTERVAL: setting({
    parse: parse.integer(100, 86_400_000),
    default: 60_000,
    doc: 'Milliseconds after which these lists are read again.',
  }),
} as const
