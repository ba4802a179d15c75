import * as parse from './parsers.js'

/** One setting: its environment name is the key it has in SETTINGS. */
export interface Setting<T> {
  /** Reads the raw text; throws an Error that says what is expected, without quoting a secret. */
  parse: (raw: string) => T
  default?: T
  /** What it does, with units. The configuration reference is generated from this. */
  doc: string
  example?: string
  /** Never shown in a dump of the configuration. */
  secret?: boolean
  required?: boolean
  /** Other settings, any of which will do where this one is required. */
  alternatives?: string[]
  /** The name that the legacy service had for it; the present name wins. */
  legacy?: string
  /** What a whole number under the legacy name is to be multiplied by. */
  legacyFactor?: number
}

/** Keeps the type of a definition, and whether it always has a value. */
function setting<T>(definition: Setting<T> & { default: T }): Setting<T> & { always: true }
function setting<T>(definition: Setting<T> & { required: true }): Setting<T> & { always: true }
function setting<T>(definition: Setting<T>): Setting<T>
function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}

/** Every setting of the service, once. Names are those of the environment and of the optional settings file. */
export const SETTINGS = {
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
  PROVIDER_PRIVATE_KEY: setting({
    parse: parse.perChain(parse.privateKey),
    default: { byChain: new Map() },
    required: true,
    secret: true,
    alternatives: ['UNIVERSAL_PRIVATE_KEY', 'KEYSTORE'],
    doc: 'The private key (32 bytes of hex) that signs quotes and decrypts files; one for all chains, or JSON by chain id.',
  }),
  UNIVERSAL_PRIVATE_KEY: setting({
    parse: parse.privateKey,
    secret: true,
    doc: 'The private key of every chain that neither PROVIDER_PRIVATE_KEY nor KEYSTORE names.',
  }),
  KEYSTORE: setting({
    parse: parse.perChain(parse.text),
    doc: 'Path of an encrypted JSON file (Web3 Secret Storage version 3) with the private key, in place of PROVIDER_PRIVATE_KEY; one for all chains, or JSON by chain id. tidegate keys makes such files.',
    example: '/etc/tidegate/key.json',
  }),
  KEYSTORE_PASSWORD: setting({
    parse: parse.text,
    secret: true,
    doc: 'Password of the encrypted files; best given as KEYSTORE_PASSWORD_FILE.',
  }),
  PREVIOUS_PRIVATE_KEYS: setting({
    parse: parse.perChain(parse.privateKeys),
    secret: true,
    doc: 'Keys that were in use before, separated by commas, or JSON by chain id: what was encrypted to them can still be opened, and orders quoted with them still hold.',
  }),
  PREVIOUS_KEYSTORES: setting({
    parse: parse.perChain(parse.paths),
    doc: 'Paths of encrypted files with such keys, under the same password, separated by commas, or JSON by chain id.',
  }),
  ADDRESS_FILE: setting({
    parse: parse.text,
    doc: 'Path of an address.json with the contracts of networks that are not built in (and overriding those that are).',
    example: '/etc/tidegate/address.json',
  }),
  HOST: setting({ parse: parse.text, default: '0.0.0.0', doc: 'Address to listen on.' }),
  PORT: setting({ parse: parse.integer(0, 65535), default: 8030, doc: 'Port to listen on; 0 takes any free one.' }),
  WORKERS: setting({
    parse: parse.integer(1, 1024),
    default: 1,
    doc: 'Processes that share the port, each for about one core. They share the database, and limits that are not counted there hold for each.',
  }),
  METRICS_PORT: setting({
    parse: parse.integer(0, 65535),
    doc: 'Port of GET /metrics for Prometheus, at an address of its own; 0 takes any free one. Default: none.',
  }),
  METRICS_HOST: setting({ parse: parse.text, default: '127.0.0.1', doc: 'Address that the metrics are served at.' }),
  STATE_DIR: setting({
    parse: parse.text,
    default: './tidegate-state',
    doc: 'Folder of the embedded database with nonces, revoked tokens and the index. Created when missing.',
  }),
  DATABASE_URL: setting({
    parse: parse.postgresUrl,
    secret: true,
    doc: 'PostgreSQL database in place of the embedded one, for any number of instances on several machines.',
    example: 'postgres://tidegate:…@db.example.org/tidegate',
  }),
  DATABASE_CONNECTIONS: setting({
    parse: parse.integer(1, 1000),
    default: 10,
    doc: 'Most connections of one instance to PostgreSQL, beside one that holds its locks.',
  }),
  DATABASE_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 5000,
    doc: 'Milliseconds to connect to PostgreSQL, and for one statement; what takes longer is answered with 503.',
  }),
  STOP_TIMEOUT: setting({
    parse: parse.integer(0, 86_400_000),
    default: 30_000,
    doc: 'Milliseconds that running transfers may take to end when the service is told to stop; then they are cut.',
  }),
  LOG_LEVEL: setting({
    parse: parse.logLevel,
    default: 'info',
    doc: 'How much is logged: fatal, error, warn, info, debug, trace or silent.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    parse: (raw) => parse.httpUrl(raw).href.replace(/\/+$/, ''),
    doc: 'Collector that spans of requests, of questions to nodes and of requests to storages are sent to, by OTLP over HTTP. Needs packages of OpenTelemetry, see docs/operations.md.',
    example: 'http://127.0.0.1:4318',
  }),
  OTEL_SERVICE_NAME: setting({ parse: parse.text, default: 'tidegate', doc: 'Name of the service in these spans.' }),
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
    doc: 'Addresses that may decrypt asset documents, as a JSON list or separated by commas. Default: everybody.',
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
    doc: "Whether every complete download is proven to the datatoken by a transaction (orderExecuted) of the provider's account, which pays for it.",
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
  RATE_LIMIT_REQUESTS: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Requests that one address may send in a minute, over all instances; 0 is without limit.',
  }),
  RATE_LIMIT_BYTES: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 0,
    doc: 'Bytes of files after which an address begins no further download in the same minute; 0 is without limit.',
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
    doc: 'Milliseconds in which a consumer takes nothing of a download after which it is ended.',
  }),
  TRUSTED_PROXIES: setting({
    parse: parse.networks,
    doc: 'Addresses and networks of reverse proxies whose X-Forwarded-For is believed, separated by commas. Default: none.',
    example: '10.0.0.0/8,192.0.2.7',
  }),
  MAX_BODY_SIZE: setting({
    parse: parse.integer(1024, 1_073_741_824),
    default: 10_485_760,
    doc: 'Largest request body, in bytes.',
  }),
  MAX_DDO_SIZE: setting({
    parse: parse.integer(1024, 1_073_741_824),
    default: 1_048_576,
    doc: 'Largest decompressed asset document that the index accepts, in bytes.',
  }),
  MAX_CHECKSUM_LENGTH: setting({
    parse: parse.integer(0, Number.MAX_SAFE_INTEGER),
    default: 10_485_760,
    doc: 'fileinfo computes a checksum only for files smaller than this many bytes.',
  }),
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

export type SettingName = keyof typeof SETTINGS
type ValueOf<S> = S extends Setting<infer T> ? (S extends { always: true } ? T : T | undefined) : never

/** The values of all settings after validation: those with neither default nor duty may be undefined. */
export type Settings = { [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> }
