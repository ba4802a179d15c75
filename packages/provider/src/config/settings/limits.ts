import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** Limits on incoming requests. */
export const LIMITS = {
  RATE_LIMIT_REQUESTS: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Maximum requests per minute from one address, over all instances; 0 is unlimited.',
  }),
  RATE_LIMIT_BYTES: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Maximum bytes of files per minute to one address, over all instances (IPv6 by /64); 0 is unlimited. Bytes are counted while they are written: beyond the limit new downloads are refused, and those in flight get 64 KiB each, then pause until the next minute. If a storage has to send more than the consumer receives, that counts.',
  }),
  CONSUMER_REQUESTS_PER_DAY: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Maximum downloads (GET) in 24 hours by one consumer; an archive counts each file of another storage, and its HEAD counts as one. They count whatever network address they come from, over all instances; 0 is unlimited. Only authenticated requests count, so that nobody can use up the limit of somebody else.',
  }),
  CONSUMER_BYTES_PER_DAY: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Maximum bytes of files in 24 hours to one consumer, over all instances; 0 is unlimited. A download that starts below the limit is completed; it counts with its full length while in flight, and with the bytes sent once it has ended.',
  }),
  ANONYMOUS_REQUESTS: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    doc: 'Maximum requests per minute from one address to one worker that need no order (fileinfo, initialize, encrypt, validate, public files, and refused requests); 0 is unlimited. IPv6 addresses count by /64. Default: 600, but unlimited for private addresses unless TRUSTED_PROXIES is set. Downloads have separate limits.',
  }),
  ANONYMOUS_BYTES: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    doc: 'Maximum bytes per minute that storages send for the descriptions (mainly checksums) of one address, of long answers to its searches, and of public files, in one worker; beyond it, searches, public files and descriptions that read a file are refused. 0 is unlimited. Default: 1 GiB, with the same exception.',
  }),
  MAX_ANONYMOUS: setting({
    parse: parse.integer(1, 10_000_000),
    default: 256,
    doc: 'Maximum anonymous requests in flight at an instance; further ones get 503.',
  }),
  MAX_ANONYMOUS_PER_ADDRESS: setting({
    parse: parse.integer(0, 10_000_000),
    doc: 'Maximum anonymous requests in flight from one address in one worker; further ones get 429. 0 is unlimited. Default: 32, with the same exception.',
  }),
  MAX_CONNECTIONS: setting({
    parse: parse.integer(1, 10_000_000),
    default: 16_384,
    doc: 'Maximum connections of an instance; requests on further ones get 503. Above half of them, no address keeps more than a quarter (IPv6 counts by /64); those of TRUSTED_PROXIES do not count.',
  }),
  KEEP_ALIVE_TIMEOUT: setting({
    parse: parse.integer(1000, 86_400_000),
    default: 80_000,
    doc: 'Milliseconds for which an idle connection stays open. It must be longer than a balancer keeps its own, or some requests get 502: 60 s for AWS and nginx, 600 s for Google Cloud (620000).',
  }),
  MAX_DOWNLOADS: setting({
    parse: parse.integer(1, 10_000_000),
    default: 4096,
    doc: 'Maximum downloads in flight at an instance; further ones get 503.',
  }),
  MAX_DOWNLOADS_PER_ADDRESS: setting({
    parse: parse.integer(0, 10_000_000),
    default: 0,
    doc: 'Maximum downloads in flight to one address in one worker; further ones get 429. 0 is unlimited.',
  }),
  CONSUMER_STALL_TIMEOUT: setting({
    parse: parse.integer(100, 86_400_000),
    default: 300_000,
    doc: 'Milliseconds without progress after which a download, or another large response, is aborted because its client does not read.',
  }),
  TRUSTED_PROXIES: setting({
    parse: parse.proxies,
    doc: 'Addresses and networks of reverse proxies whose X-Forwarded-For is trusted, with or without ports, separated by commas. Default: none.',
    example: '10.0.0.0/8,192.0.2.7',
  }),
  MAX_BODY_SIZE: setting({
    parse: parse.integer(1024, 1_073_741_824),
    default: 10_485_760,
    doc: 'Maximum body of encrypt, decrypt and validate, in bytes. Uploads are limited by HOSTING_MAX_FILE; all other routes accept at most 256 KiB.',
  }),
  MAX_DDO_SIZE: setting({
    parse: parse.integer(1024, 16_777_216),
    default: 1_048_576,
    doc: 'Maximum size of a decompressed asset document, in bytes.',
  }),
  MAX_DDO_INFLATION: setting({
    parse: parse.integer(10, 1_000_000),
    default: 100,
    doc: 'How many times its compressed size an asset document above 128 KiB may have: honest ones have 3 to 60 times, bombs a thousand.',
  }),
  MAX_CHECKSUM_LENGTH: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 10_485_760,
    doc: 'Size in bytes below which fileinfo computes checksums.',
  }),
} as const
