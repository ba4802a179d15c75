import * as parse from '../parsers.js'
import { setting } from '../setting.js'

/** Files: where they may be fetched from, and what is told of them. */
export const STORAGE = {
  EXPOSE_FILENAME: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Whether fileinfo of a published asset tells the file name, which is a part of the location. For a storage object sent by the caller it always does.',
  }),
  ALLOW_UNBOUND_FILES: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Accept, for DDO version 4.0.0 alone, encrypted files in the old plain-list form, which names no NFT and no datatoken.',
  }),
  ALLOW_NON_PUBLIC_IP: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Let files be fetched from loopback, private and other non-public addresses. For local work only.',
  }),
  STORAGE_ALLOWED_HOSTS: setting({
    parse: parse.hostList,
    default: [],
    doc: 'Hosts that files may be fetched from, separated by commas; *.example.org stands for every name below. Default: all. Gateways and redirects count as well.',
  }),
  STORAGE_DENIED_HOSTS: setting({
    parse: parse.hostList,
    default: [],
    doc: 'Hosts that files are never fetched from, in the same form.',
  }),
  STORAGE_DENIED_NETWORKS: setting({
    parse: parse.networks,
    default: [],
    doc: 'Addresses and networks (CIDR) that files are never fetched from, separated by commas, beside all that are not public and the addresses of this machine. They hold with ALLOW_NON_PUBLIC_IP as well.',
    example: '192.0.2.7,2001:db8:1::/48',
  }),
  STORAGE_DNS: setting({
    parse: parse.oneOf('resolver', 'system'),
    default: 'resolver',
    doc: "How names of storages are looked up: resolver asks the system's name servers itself, after the hosts file, with deadlines and bounds; system leaves it to the operating system (mDNS, search domains, NIS), where a few slow name servers hold all other look-ups up.",
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
    doc: 'Most connections to one storage host at once; further requests wait for one.',
  }),
  STORAGE_MAX_REQUESTS: setting({
    parse: parse.integer(1, 1_000_000),
    default: 4096,
    doc: 'Most requests to storages at once in all; further ones are answered with 503.',
  }),
  DESCRIBE_MAX_PER_HOST: setting({
    parse: parse.integer(1, 100_000),
    default: 32,
    doc: 'Most requests to one storage host at once for what needs no order (fileinfo, initialize); further ones are answered with 503. Downloads do not share it.',
  }),
  DESCRIBE_MAX_REQUESTS: setting({
    parse: parse.integer(1, 1_000_000),
    default: 256,
    doc: 'The same for all hosts together.',
  }),
  DESCRIBE_TIMEOUT: setting({
    parse: parse.integer(100, 3_600_000),
    default: 30_000,
    doc: 'Milliseconds in all to describe the files that one request asks about, checksums included; what is not known by then is told as not valid, or without a checksum.',
  }),
  IPFS_GATEWAY: setting({
    parse: parse.gateways,
    default: ['https://trustless-gateway.link', 'https://ipfs.io'],
    doc: 'Trustless gateways for files on IPFS, separated by commas, in the order in which they are tried.',
  }),
  FILECOIN_GATEWAY: setting({
    parse: parse.gateways,
    doc: 'The same for files on Filecoin. Default: those of IPFS_GATEWAY.',
  }),
  ARWEAVE_GATEWAY: setting({
    parse: parse.gateways,
    default: ['https://arweave.net'],
    doc: 'Gateways for files on Arweave, separated by commas, in the order in which they are tried.',
  }),
  SQL_TIMEOUT: setting({
    parse: parse.integer(100, 3_600_000),
    default: 60_000,
    doc: 'Milliseconds that the query of a file of type sql may run.',
  }),
  SQL_MAX_ROWS: setting({
    parse: parse.integer(1, Number.MAX_SAFE_INTEGER),
    default: 10_000_000,
    doc: 'Most rows that such a query may give; one with more ends as broken.',
  }),
  SQL_MAX_BYTES: setting({
    parse: parse.integer(1, Number.MAX_SAFE_INTEGER),
    default: 10_737_418_240,
    doc: 'Most bytes of text that its rows may make.',
  }),
  STORAGE_CONNECT_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 10_000,
    doc: 'Milliseconds to reach a storage.',
  }),
  STORAGE_RESPONSE_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 30_000,
    legacy: 'REQUEST_TIMEOUT',
    legacyFactor: 1000,
    doc: "Milliseconds until a storage's answer begins (in seconds under the legacy name).",
  }),
  STORAGE_STALL_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 120_000,
    doc: 'Milliseconds without a byte from a storage after which the transfer is ended as failed.',
  }),
} as const
