import * as parse from '../parsers.js'
import { setting } from '../setting.js'

/** Limits on what comes in. */
export const LIMITS = {
  RATE_LIMIT_REQUESTS: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Requests that one address may send in a minute, over all instances; 0 is without limit.',
  }),
  RATE_LIMIT_BYTES: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Bytes of files that one address is handed in a minute, over all instances (IPv6 by /64); 0 is without limit. They are counted while they are written: further downloads are refused then, those under way wait for the next minute, but for 64 KiB each. Where a storage has to send more than what is handed out, that counts.',
  }),
  ANONYMOUS_REQUESTS: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    doc: 'Requests that need no order (fileinfo, initialize, encrypt, validate, and requests that were refused) that one address may send in a minute to one process; 0 is without limit. IPv6 addresses count by /64. Default: 600, but without limit for private addresses unless TRUSTED_PROXIES is set. Downloads have limits of their own.',
  }),
  ANONYMOUS_BYTES: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    doc: 'Bytes that storages send in a minute for descriptions that one address asks for, checksums above all, after which it gets none that read a file; 0 is without limit. Default: 1 GiB, with the same exception.',
  }),
  MAX_ANONYMOUS: setting({
    parse: parse.integer(1, 10_000_000),
    default: 256,
    doc: 'Such requests in flight in one process above which further ones are answered with 503.',
  }),
  MAX_ANONYMOUS_PER_ADDRESS: setting({
    parse: parse.integer(0, 10_000_000),
    doc: 'The same for one address, answered with 429; 0 is without limit. Default: 32, with the same exception.',
  }),
  MAX_CONNECTIONS: setting({
    parse: parse.integer(1, 10_000_000),
    default: 16_384,
    doc: 'Connections of one process above which requests are answered with 503.',
  }),
  MAX_DOWNLOADS: setting({
    parse: parse.integer(1, 10_000_000),
    default: 4096,
    doc: 'Downloads under way in one process above which further ones are answered with 503.',
  }),
  MAX_DOWNLOADS_PER_ADDRESS: setting({
    parse: parse.integer(0, 10_000_000),
    default: 0,
    doc: 'The same for one address, answered with 429; 0 is without limit.',
  }),
  CONSUMER_STALL_TIMEOUT: setting({
    parse: parse.integer(100, 86_400_000),
    default: 300_000,
    doc: 'Milliseconds in which a client takes nothing of a download, or of another large answer, after which it is ended.',
  }),
  TRUSTED_PROXIES: setting({
    parse: parse.networks,
    doc: 'Addresses and networks of reverse proxies whose X-Forwarded-For is believed, separated by commas. Default: none.',
    example: '10.0.0.0/8,192.0.2.7',
  }),
  MAX_BODY_SIZE: setting({
    parse: parse.integer(1024, 1_073_741_824),
    default: 10_485_760,
    doc: 'Largest body of encrypt, decrypt and validate, in bytes; all other routes take no more than 256 KiB.',
  }),
  MAX_DDO_SIZE: setting({
    parse: parse.integer(1024, 16_777_216),
    default: 1_048_576,
    doc: 'Largest decompressed asset document that the service reads, in bytes.',
  }),
  MAX_CHECKSUM_LENGTH: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 10_485_760,
    doc: 'fileinfo computes a checksum only for files smaller than this many bytes.',
  }),
} as const
