import { feeRules } from '../fee-rules.js'
import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** Chains: nodes, contracts, the index, orders and fees. */
export const CHAINS = {
  NETWORK_URL: setting({
    parse: parse.perChain(parse.httpUrls),
    default: { byChain: new Map() },
    required: true,
    doc: 'JSON-RPC URLs of the chain to serve, separated by commas and tried in this order, or JSON by chain id for several chains.',
    example: '{"11155111":["https://rpc.example.org","https://other.example.net"]}',
  }),
  RPC_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 10_000,
    doc: 'Timeout of a call to a node in milliseconds, after which the next node is called.',
  }),
  RPC_AGREEMENT: setting({
    parse: parse.integer(1, 10),
    default: 1,
    doc: 'How many nodes of a chain must agree on an order or on the events of the index before they are accepted; NETWORK_URL must name as many. 1 trusts each node.',
  }),
  ADDRESS_FILE: setting({
    parse: parse.text,
    doc: 'Path of an address.json with the contracts of additional networks; it overrides the built-in ones. An entry may have `tokens`, an object of addresses by symbol, for prices.',
    example: '/etc/tidegate/address.json',
  }),
  INDEX_START_BLOCK: setting({
    parse: parse.perChain(parse.integer(0, Number.MAX_SAFE_INTEGER)),
    doc: "First block that the index reads; one number, or JSON by chain id. Default: the network's own from its address entry.",
  }),
  INDEX_BLOCK_RANGE: setting({
    parse: parse.integer(1, 1_000_000),
    default: 10_000,
    doc: 'Largest number of blocks per log request of the index. It begins with 2000 and finds what the nodes give.',
  }),
  INDEX_CONCURRENCY: setting({
    parse: parse.integer(1, 64),
    default: 12,
    doc: 'Most log requests in flight at once while the index of a chain is far behind. They become fewer by themselves where a node refuses some.',
  }),
  INDEX_POLL_INTERVAL: setting({
    parse: parse.integer(50, 3_600_000),
    default: 5000,
    doc: 'Milliseconds between polls of the head of a chain.',
  }),
  READY_MAX_LAG: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 100,
    doc: 'Maximum lag of the index of a chain in blocks while GET /ready reports ready.',
  }),
  READY_MAX_AGE: setting({
    parse: parse.integer(1000, 86_400_000),
    default: 60_000,
    doc: 'Maximum age in milliseconds of the last seen head of a chain while GET /ready reports ready; at least three times INDEX_POLL_INTERVAL. Beyond this or READY_MAX_LAG, assets are read from the chain instead of the index.',
  }),
  INDEX_REORG_DEPTH: setting({
    parse: parse.integer(1, 100_000),
    default: 256,
    doc: 'Depth in blocks of the reorganisations that the index can roll back; orders below that are final.',
  }),
  INDEX_DISK_FLOOR: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 134_217_728,
    doc: 'Free bytes on the disk of STATE_DIR below which the index pauses, so that nonces, tokens and revocations still have room. 0 never pauses it.',
  }),
  ORDERS_FORM: setting({
    parse: parse.oneOf('market', 'enterprise'),
    default: 'market' as const,
    doc: 'The market front end that searches for orders, since each reads another form: market (oceanprotocol/market), or enterprise (OceanProtocolEnterprise/market). See docs/search.md.',
  }),
  METADATA_CACHE_URL: setting({
    parse: parse.baseUrls,
    legacy: 'AQUARIUS_URL',
    doc: 'Metadata caches that are queried for assets missing from the index, separated by commas and tried in this order. Their responses are verified on the chain.',
    example: 'https://cache.example.org',
  }),
  OUTBOUND_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 10_000,
    doc: 'Milliseconds within which metadata caches, the access control server, the policy server, the receiver of proofs and servers of purgatory lists must be connected to, begin to answer, and send each further part. A whole exchange ends after three times as long.',
  }),
  ORDER_CONFIRMATIONS: setting({
    parse: parse.perChain(parse.integer(0, 10_000)),
    doc: 'Confirmations that an order needs, its own block included (0 and 1: mined is enough); one number, or JSON by chain id.',
  }),
  ORDER_WAIT: setting({
    parse: parse.integer(0, 60_000),
    default: 5000,
    doc: 'Milliseconds to wait for the receipt of an order that the node does not know yet.',
  }),
  ORDER_CACHE_SIZE: setting({
    parse: parse.integer(1, 10_000_000),
    default: 100_000,
    doc: 'Verified order transactions cached in memory, so that further downloads need no call to a node.',
  }),
  PROVIDER_FEE_TOKEN: setting({
    parse: parse.perChain(parse.address),
    doc: "Token of the provider fee; one address, or JSON by chain id. Default: the network's Ocean token.",
  }),
  PROVIDER_FEE_AMOUNT: setting({
    parse: parse.perChain(parse.uint256),
    doc: "Provider fee for each access order that no rule of PROVIDER_FEES matches, in the token's smallest unit; one number, or JSON by chain id. Default: 0.",
  }),
  PROVIDER_FEES: setting({
    parse: feeRules,
    default: [],
    doc: 'Rules for the provider fee, as a JSON list; the first that fits an order holds. A rule fits by chain, asset (DID), publisher (first owner of the data NFT) and type of service (access, the default, or compute), and charges flat, perGiB of the files that the order opens and perDay of validUntil, in the smallest unit of its token (default: PROVIDER_FEE_TOKEN). See docs/operations.md.',
    example: '[{"publisher":"0x…","flat":"0"},{"chain":1,"token":"0x…","flat":"1000000","perGiB":"500000"}]',
  }),
} as const
