import { PROVIDER_LIMITS } from '../../limits.js'
import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** Access: nonces, auth tokens, decrypters, compute environments, proofs of delivery, webhooks, purgatory. */
export const ACCESS = {
  NONCE_MAX_AHEAD: setting({
    parse: parse.integer(0, 3_153_600_000),
    default: 86_400,
    doc: 'Maximum seconds by which a nonce may exceed the current time in microseconds since 1970, the finest clock in use.',
  }),
  AUTH_TOKEN_SECRET: setting({
    parse: parse.secretText(32),
    secret: true,
    doc: 'Secret that auth tokens are signed and download links sealed with, at least 32 characters. Default: derived from the provider key of the lowest chain id. Set it if several instances have different keys.',
  }),
  AUTH_TOKEN_LIFETIME: setting({
    parse: parse.integer(1, 3_153_600_000),
    default: 86_400,
    doc: 'Lifetime of an auth token in seconds, if the request names no expiry.',
  }),
  AUTH_TOKEN_MAX_LIFETIME: setting({
    parse: parse.integer(1, 3_153_600_000),
    default: 2_592_000,
    doc: 'Maximum lifetime of an auth token in seconds.',
  }),
  REQUIRE_DOMAIN_SIGNATURES: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Accept only signatures over texts that name this provider: auth tokens are then created by EIP-4361 messages alone, and replace every other signature. Needs PUBLIC_URL. Most published clients sign older texts, and are refused.',
  }),
  DOWNLOAD_LINK_LIFETIME: setting({
    parse: parse.integer(1, 2_592_000),
    default: 3600,
    doc: 'Lifetime of a download link in seconds, if the request names none. A link ends no later than the auth token that it is created with.',
  }),
  DOWNLOAD_LINK_LIFETIME_MAX: setting({
    parse: parse.integer(1, 31_536_000),
    doc: 'Maximum lifetime of a download link in seconds that a request may name. Default: a week, or DOWNLOAD_LINK_LIFETIME if that is longer.',
  }),
  LEGACY_TOKEN_SECRET: setting({
    parse: parse.text,
    secret: true,
    doc: 'The secret that the legacy service signed auth tokens with: its UNIVERSAL_PRIVATE_KEY if that was set, else its PROVIDER_PRIVATE_KEY, spelled exactly as there. Its tokens then remain valid until they expire; import deleted ones with tidegate import.',
  }),
  AUTHORIZED_DECRYPTERS: setting({
    parse: parse.addressList,
    doc: 'Addresses that may decrypt asset documents, as a JSON list or separated by commas. Documents that are encrypted on the chain are then returned to those addresses only, on every route. Default: anyone.',
    example: '["0x…"]',
  }),
  AUTHORIZED_DECRYPTERS_LIST: setting({
    parse: parse.addressesByChain,
    doc: 'Access lists whose members may decrypt the asset documents of a chain, as well as AUTHORIZED_DECRYPTERS: a JSON object from chain id to a list of contracts on that chain.',
    example: '{"1":["0x…"]}',
  }),
  AUTHORIZED_PUBLISHERS: setting({
    parse: parse.addressList,
    doc: 'Addresses whose assets are found and served, as a JSON list or separated by commas. An asset is of the account that has sent its newest metadata: anybody can deploy a data NFT for another owner. Default: the assets of everybody.',
    example: '["0x…"]',
  }),
  AUTHORIZED_PUBLISHERS_LIST: setting({
    parse: parse.addressesByChain,
    doc: 'Access lists whose members are publishers on a chain, as well as AUTHORIZED_PUBLISHERS: a JSON object from chain id to a list of contracts on that chain. Changes of a list take effect within seconds, transfers of its tokens within a minute. On chains without a list only AUTHORIZED_PUBLISHERS counts.',
    example: '{"1":["0x…"]}',
  }),
  COMPUTE_ENVIRONMENTS: setting({
    parse: parse.computeEnvironments,
    default: [],
    doc: 'Compute environments that orders may be quoted for, as a JSON list of objects with id, consumerAddress (the account that fetches files for it), pricePerMinute (smallest unit of the fee token) and, if it serves only one chain, chainId.',
    example: '[{"id":"small","consumerAddress":"0x…","pricePerMinute":"100000000000000000"}]',
  }),
  RBAC_SERVER_URL: setting({
    parse: (raw) => parse.httpUrl(raw).href,
    doc: 'Access control server that receives a POST before every encrypt, initialize and download; a request is refused unless it responds with true.',
  }),
  POLICY_SERVER_URL: setting({
    parse: (raw) => parse.httpUrl(raw).href,
    doc: 'Policy server that decides about credentials which are neither addresses nor access lists, such as SSIpolicy; see docs/data-spaces.md. Default: such credentials admit nobody.',
    example: 'http://policy.example.org:3000/',
  }),
  POLICY_SERVER_API_KEY: setting({
    parse: parse.text,
    secret: true,
    doc: 'Key that the policy server gets as X-API-Key.',
  }),
  POLICY_SERVER_PROOF: setting({
    parse: parse.oneOf('optional', 'required'),
    default: 'optional',
    doc: 'Whether initializePSVerification needs a signature or an auth token. optional: the address of a request without one is passed on as it is, since market front ends send none.',
  }),
  POLICY_CACHE: setting({
    parse: parse.integer(0, 86_400),
    default: 60,
    doc: 'Seconds for which the policy server is not asked again whether the same consumer may have the same service in the same session. Refusals are not kept.',
  }),
  USE_HTTP_PROOF: setting({
    parse: (raw) => parse.httpUrl(raw).href,
    doc: 'Receiver of a proof of every complete download by POST, signed by provider and consumer.',
  }),
  USE_CHAIN_PROOF: setting({
    parse: parse.boolean,
    default: false,
    doc: "Whether the first complete download of a file for an order is proven to the datatoken by a transaction (orderExecuted) from the provider's account, which pays for it. Ranges and downloads with a token are not proven.",
  }),
  CHAIN_PROOFS_PER_DAY: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 1000,
    doc: 'Maximum proofs by transaction per day (UTC), over all instances; 0 is unlimited. Further downloads still succeed, and a later one is proven instead.',
  }),
  WEBHOOK_URL: setting({
    parse: (raw) => parse.httpUrl(raw).href,
    secret: true,
    doc: 'Receiver of a signed POST for each order and each delivery, see docs/webhooks.md. Default: none.',
    example: 'https://shop.example.org/tidegate',
  }),
  WEBHOOK_SECRET: setting({
    parse: parse.secretTexts(PROVIDER_LIMITS.webhooks.secret),
    secret: true,
    doc: 'Secret that these requests are signed with, of at least 32 characters. Two, separated by a comma, while it is replaced: then both sign.',
  }),
  PURGATORY_ASSETS: setting({
    parse: parse.text,
    doc: 'Path or URL of a JSON list of assets that are not served, as objects with did and reason.',
  }),
  PURGATORY_ACCOUNTS: setting({
    parse: parse.text,
    doc: 'Path or URL of a JSON list of consumer accounts that are not served, as objects with address and reason.',
  }),
  PURGATORY_INTERVAL: setting({
    parse: parse.integer(100, 86_400_000),
    default: 60_000,
    doc: 'Milliseconds between reloads of these lists.',
  }),
} as const
