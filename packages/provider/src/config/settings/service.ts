import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** The process: listening, state, logging, metrics and tracing. */
export const SERVICE = {
  HOST: setting({ parse: parse.text, default: '0.0.0.0', doc: 'Address to listen on.' }),
  PORT: setting({ parse: parse.integer(0, 65535), default: 8030, doc: 'Port to listen on; 0 picks any free port.' }),
  PUBLIC_URL: setting({
    parse: parse.publicUrl,
    doc: 'URL at which consumers reach this service, which download links begin with and EIP-4361 messages name. Default: links begin as the request was addressed (Host, and X-Forwarded-Proto and X-Forwarded-Host from TRUSTED_PROXIES), and EIP-4361 messages are refused, except on loopback.',
    example: 'https://provider.example.org',
  }),
  WORKERS: setting({
    parse: parse.workers,
    default: 1,
    doc: 'Worker processes that share the port and the database: a number, or auto for one per core, as the CPU quota and the memory of the container or unit allow (512 MiB for each). The image sets auto. One worker is the process itself, without a primary process. Maxima of the service are divided among the workers. Limits per address or publisher that are not counted in the database apply to each worker: a client that is served by all of them may reach WORKERS times as many.',
    example: 'auto',
  }),
  METRICS_PORT: setting({
    parse: parse.integer(0, 65535),
    doc: 'Port of GET /metrics for Prometheus, separate from PORT; 0 picks any free port. Default: none.',
  }),
  METRICS_HOST: setting({ parse: parse.text, default: '127.0.0.1', doc: 'Address to serve the metrics on.' }),
  STATE_DIR: setting({
    parse: parse.folder,
    default: './tidegate-state',
    doc: 'Folder of the embedded database with nonces, revoked tokens and the index. Created if missing.',
  }),
  DATABASE_URL: setting({
    parse: parse.postgresUrl,
    secret: true,
    doc: 'PostgreSQL database to use instead of the embedded one, for any number of instances on several machines. Of several hosts, separated by commas, the primary is used.',
    example: 'postgres://tidegate:…@db.example.org/tidegate',
  }),
  ALLOW_STATE_LOSS: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Start although nonces and revoked tokens of this installation are in another database, or are lost, so that earlier requests could be replayed. Needed for one start only: it is recorded.',
  }),
  DATABASE_CONNECTIONS: setting({
    parse: parse.integer(1, 1000),
    default: 10,
    doc: 'Maximum connections of one instance to PostgreSQL, at least two for each worker, in addition to one for the locks of each.',
  }),
  DATABASE_TIMEOUT: setting({
    parse: parse.integer(100, 600_000),
    default: 5000,
    doc: 'Timeout of connecting to PostgreSQL and of each statement, in milliseconds; requests that exceed it get 503.',
  }),
  DELIVERIES_KEEP: setting({
    parse: parse.integer(0, 36_500),
    default: 400,
    doc: 'Days for which deliveries and provider fees are kept for tidegate report; 0 records none.',
  }),
  STOP_TIMEOUT: setting({
    parse: parse.integer(0, 86_400_000),
    default: 30_000,
    doc: 'Milliseconds to drain transfers in flight when the service stops; then they are aborted.',
  }),
  LOG_LEVEL: setting({
    parse: parse.logLevel,
    default: 'info',
    doc: 'Log level: fatal, error, warn, info, debug, trace or silent.',
  }),
  LOG_FORMAT: setting({
    parse: parse.oneOf('json', 'pretty'),
    doc: 'Format of the log on standard error: json (an object in each line) or pretty (text for people). Default: pretty on a terminal, json elsewhere.',
  }),
  LOG_REQUESTS: setting({
    parse: parse.oneOf('all', 'errors'),
    default: 'all' as const,
    doc: 'Which requests get a line in the log: all, or errors (status 400 and above). Deliveries are logged in any case.',
  }),
  LOG_ADDRESSES: setting({
    parse: parse.oneOf('full', 'short', 'none'),
    default: 'short' as const,
    doc: 'How the log writes the address of a client: full, short (its network: 24 bits of IPv4, 48 of IPv6) or none. Limits by address count full addresses in any case.',
  }),
  CORS_ORIGINS: setting({
    parse: parse.origins,
    doc: 'Origins whose pages may call this service from a browser, separated by commas. Default: any.',
    example: 'https://market.example.org',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    parse: (raw) => parse.httpUrl(raw).href.replace(/\/+$/, ''),
    doc: 'Collector that receives spans of requests, of calls to nodes and of requests to storages, by OTLP over HTTP. Needs OpenTelemetry packages, see docs/operations.md.',
    example: 'http://127.0.0.1:4318',
  }),
  OTEL_SERVICE_NAME: setting({ parse: parse.text, default: 'tidegate', doc: 'Service name in these spans.' }),
} as const
