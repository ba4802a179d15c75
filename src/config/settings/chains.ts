import * as parse from '../parsers.js'
import { setting } from '../setting.js'

/** Chains: nodes, contracts, the index, and what orders must be. */
export const CHAINS = {
  NETWORK_URL: setting({
    parse: parse.perChain(parse.httpUrls),
    required: true,
    doc: 'JSON-RPC URLs of the chain to serve, separated by commas and asked in this order, or JSON by chain id for several chains.',
    example: '{"11155111":["https://rpc.example.org","https://other.example.net"]}',
  }),
  RPC_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 10_000,
    doc: 'Milliseconds that one node may take for an answer before the next one is asked.',
  }),
  RPC_AGREEMENT: setting({
    parse: parse.integer(1, 10),
    default: 1,
    doc: 'How many nodes of a chain must say the same about an order or about the events of the index before it is believed. 1 trusts each node.',
  }),
  ADDRESS_FILE: setting({
    parse: parse.text,
    doc: 'Path of an address.json with the contracts of networks that are not built in (and overriding those that are).',
    example: '/etc/tidegate/address.json',
  }),
  INDEX_START_BLOCK: setting({
    parse: parse.perChain(parse.integer(0, Number.MAX_SAFE_INTEGER)),
    doc: "First block that the index reads; one number, or JSON by chain id. Default: the network's own from its address entry.",
  }),
  INDEX_BLOCK_RANGE: setting({
    parse: parse.integer(1, 1_000_000),
    default: 2000,
    doc: 'How many blocks the index asks for at once. Nodes limit it.',
  }),
  INDEX_POLL_INTERVAL: setting({
    parse: parse.integer(50, 3_600_000),
    default: 5000,
    doc: 'Milliseconds between two looks at the head of a chain.',
  }),
  READY_MAX_LAG: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 100,
    doc: 'Blocks that the index of a chain may be behind while GET /ready says that the service is ready.',
  }),
  READY_MAX_AGE: setting({
    parse: parse.integer(1000, 86_400_000),
    default: 60_000,
    doc: 'Milliseconds since the head of a chain was last seen up to which GET /ready says that the service is ready; three times INDEX_POLL_INTERVAL where that is more. Beyond one of the two, assets are read from the chain in place of the index.',
  }),
  INDEX_REORG_DEPTH: setting({
    parse: parse.integer(1, 100_000),
    default: 256,
    doc: 'Blocks below the head that a reorganisation may replace; the index can go back that far, and an order is final when it is deeper.',
  }),
  METADATA_CACHE_URL: setting({
    parse: parse.baseUrls,
    legacy: 'AQUARIUS_URL',
    doc: 'Metadata caches that are asked where assets are that the index does not know, separated by commas and asked in this order. What they say is verified on the chain.',
    example: 'https://cache.example.org',
  }),
  OUTBOUND_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 10_000,
    doc: 'Milliseconds that a metadata cache, an access control server or a receiver of proofs may take to answer.',
  }),
  ORDER_CONFIRMATIONS: setting({
    parse: parse.perChain(parse.integer(0, 10_000)),
    doc: 'Blocks that must stand on the chain from the order on, its own included, before it counts (0 and 1: mined is enough); one number, or JSON by chain id.',
  }),
  ORDER_WAIT: setting({
    parse: parse.integer(0, 60_000),
    default: 5000,
    doc: 'Milliseconds to wait for the receipt of an order that the node does not know yet.',
  }),
  ORDER_CACHE_SIZE: setting({
    parse: parse.integer(1, 10_000_000),
    default: 100_000,
    doc: 'How many verified order transactions are kept in memory, so that further downloads on them need no chain call.',
  }),
  PROVIDER_FEE_TOKEN: setting({
    parse: parse.perChain(parse.address),
    doc: "Token of the provider fee; one address, or JSON by chain id. Default: the network's Ocean token.",
  }),
  PROVIDER_FEE_AMOUNT: setting({
    parse: parse.perChain(parse.uint256),
    doc: "Provider fee for each access order, in the token's smallest unit; one number, or JSON by chain id. Default: 0.",
  }),
} as const
