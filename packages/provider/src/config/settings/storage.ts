import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** Storage of files: allowed locations, and published facts. */
export const STORAGE = {
  EXPOSE_FILENAME: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Whether fileinfo of a published asset returns the file name, which is part of the location unless the storage suggests another one. For a storage object sent by the caller it always does.',
  }),
  ALLOW_UNBOUND_FILES: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Accept encrypted files as a plain list, which is not bound to an NFT and datatoken. Only for DDO version 4.0.0.',
  }),
  ALLOW_NON_PUBLIC_IP: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Allow files to be fetched from loopback, private and other non-public addresses. For local development only.',
  }),
  STORAGE_ALLOWED_HOSTS: setting({
    parse: parse.hostList,
    default: [],
    doc: 'Hosts that files may be fetched from, separated by commas; *.example.org matches all subdomains. Default: all. Applies to gateways and redirects as well.',
  }),
  STORAGE_DENIED_HOSTS: setting({
    parse: parse.hostList,
    default: [],
    doc: 'Hosts that files are never fetched from, in the same format.',
  }),
  STORAGE_DENIED_NETWORKS: setting({
    parse: parse.networks,
    default: [],
    doc: 'Addresses and networks (CIDR) that files are never fetched from, separated by commas, in addition to non-public addresses and those of this machine. Applies with ALLOW_NON_PUBLIC_IP as well.',
    example: '192.0.2.7,2001:db8:1::/48',
  }),
  STORAGE_DNS: setting({
    parse: parse.oneOf('resolver', 'system'),
    default: 'resolver',
    doc: "How names of storages are resolved: resolver queries the system's name servers directly, after the hosts file, with deadlines and bounds; system uses the operating system (mDNS, search domains, NIS), where a few slow name servers block all other look-ups.",
  }),
  STORAGE_PORTS: setting({
    parse: parse.portRanges,
    default: parse.portRanges('80,443,1024-65535'),
    doc: 'Ports that files may be fetched from: numbers and ranges, separated by commas.',
    example: '80,443,8000-8999',
  }),
  STORAGE_MAX_PER_HOST: setting({
    parse: parse.integer(1, 100_000),
    default: 256,
    doc: 'Maximum connections to one storage host; further requests are queued.',
  }),
  STORAGE_MAX_REQUESTS: setting({
    parse: parse.integer(1, 1_000_000),
    default: 4096,
    doc: 'Maximum requests to storages in flight, over all hosts; further ones get 503.',
  }),
  DESCRIBE_MAX_PER_HOST: setting({
    parse: parse.integer(1, 100_000),
    default: 32,
    doc: 'Maximum requests in flight to one storage host for anonymous requests (fileinfo, initialize); further ones get 503. Not shared with downloads.',
  }),
  DESCRIBE_MAX_REQUESTS: setting({
    parse: parse.integer(1, 1_000_000),
    default: 256,
    doc: 'The same over all hosts.',
  }),
  DESCRIBE_TIMEOUT: setting({
    parse: parse.integer(100, 3_600_000),
    default: 30_000,
    doc: 'Deadline in milliseconds for describing all files of one request, checksums included; files not described by then are reported as not valid, or without a checksum.',
  }),
  IPFS_GATEWAY: setting({
    parse: parse.gateways,
    default: ['https://trustless-gateway.link', 'https://ipfs.io'],
    empty: [],
    doc: 'Trustless gateways for files on IPFS, separated by commas, in the order in which they are tried. An empty value turns this kind of storage off.',
  }),
  FILECOIN_GATEWAY: setting({
    parse: parse.gateways,
    empty: [],
    doc: 'The same for files on Filecoin. Default: those of IPFS_GATEWAY.',
  }),
  ARWEAVE_GATEWAY: setting({
    parse: parse.gateways,
    default: ['https://arweave.net'],
    empty: [],
    doc: 'Gateways for files on Arweave, separated by commas, in the order in which they are tried. An empty value turns this kind of storage off.',
  }),
  STORAGE_CACHE_DIR: setting({
    parse: parse.folder,
    doc: 'Folder in which blocks of downloaded files on IPFS and Filecoin are kept, created if missing; on a local disk. It holds the files in plain. Workers share it, instances do not. Default: none are kept.',
  }),
  STORAGE_CACHE_SIZE: setting({
    parse: parse.integer(1_073_741_824, Number.MAX_SAFE_INTEGER),
    default: 10_737_418_240,
    doc: 'Maximum bytes in STORAGE_CACHE_DIR; the least recently used blocks are evicted.',
  }),
  SQL_TIMEOUT: setting({
    parse: parse.integer(100, 3_600_000),
    default: 60_000,
    doc: 'Timeout in milliseconds for the query of a file of type sql.',
  }),
  SQL_MAX_ROWS: setting({
    parse: parse.integer(1, Number.MAX_SAFE_INTEGER),
    default: 10_000_000,
    doc: 'Maximum rows of such a query; a transfer with more is aborted.',
  }),
  SQL_MAX_BYTES: setting({
    parse: parse.integer(1, Number.MAX_SAFE_INTEGER),
    default: 10_737_418_240,
    doc: 'Maximum bytes of its rows as text.',
  }),
  STORAGE_CONNECT_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 10_000,
    doc: 'Timeout of connecting to a storage, in milliseconds.',
  }),
  STORAGE_RESPONSE_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 30_000,
    legacy: 'REQUEST_TIMEOUT',
    legacyFactor: 1000,
    doc: "Timeout in milliseconds until a storage's response begins (in seconds under the legacy name).",
  }),
  STORAGE_STALL_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 120_000,
    doc: 'Milliseconds without a byte from a storage after which the transfer fails.',
  }),
} as const
