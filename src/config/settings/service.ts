import * as parse from '../parsers.js'
import { setting } from '../setting.js'

/** The process: where it listens, what it tells, where its state is. */
export const SERVICE = {
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
  ALLOW_STATE_LOSS: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Start although nonces and revoked tokens of this installation are in another database, or are lost, so that requests that were used up may pass again. For one start: it is noted, and not asked again.',
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
} as const
