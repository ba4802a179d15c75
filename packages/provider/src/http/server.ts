import { randomUUID } from 'node:crypto'
import type { LocalOnly, TickBatch } from '@tidegate/common'
import { PROTOCOL_LIMITS, ProviderError, ValidationError } from '@tidegate/protocol'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { operatorOf } from '../config/operator.js'
import type { Settings } from '../config/schema.js'
import type { Console } from '../console/console.js'
import { PROVIDER_LIMITS } from '../limits.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Tracing } from '../process/tracing.js'
import { rejectMalformedRequest } from './client-errors.js'
import { serveConsole } from './console/serve.js'
import { allowOrigins } from './cors.js'
import { Draining } from './draining.js'
import { registerDocumentation } from './endpoints/documentation.js'
import { registerJsonParser } from './endpoints/json.js'
import { refuseUnstorableParams } from './endpoints/parameter-text.js'
import { sendError } from './errors.js'
import { speakTus } from './files/tus-requests.js'
import { Connections } from './lifetime.js'
import { limitArrival } from './limits/arrival.js'
import { dropFloodingConnections, limitConcurrency } from './limits/concurrency.js'
import { plainForwardedAddresses } from './limits/forwarded.js'
import { type RateLimits, registerPreflightLimit, registerRateLimits } from './limits/rate-limits.js'
import { limitReading, SOCKET_BUFFER, setWriteStallTimeout } from './limits/reading.js'
import { lingerWhenClosing } from './lingering.js'
import { refuseForeignPages } from './local-only.js'
import { traceRequests } from './request-end.js'
import { logRequests } from './request-log.js'
import { ENDPOINTS } from './routes/index.js'
import { rootEndpoint } from './routes/root.js'
import type { Services } from './services.js'
import { rejectUnknownRoutes } from './unknown-routes.js'
import { UnreadablePaths } from './unreadable-paths.js'

/** The root document, and every endpoint that it lists. */
export const ALL_ENDPOINTS = [rootEndpoint(ENDPOINTS), ...ENDPOINTS]

export interface HttpServer {
  app: FastifyInstance
  connections: Connections
  /** Drains the connections for up to `limit` milliseconds, then closes. */
  close(limit: number): Promise<void>
}

export interface ServerOptions {
  services: Services
  log: FastifyBaseLogger
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined
  metrics: Metrics
  /** Batches responses within a tick of the event loop. */
  batch: TickBatch
  rateLimits: RateLimits
  /** Undefined if CONSOLE is off. */
  console: Console | undefined
  /** Undefined if pages of any origin may call the service. */
  localOnly: LocalOnly | undefined
}

/** Creates the HTTP server with every endpoint. It does not listen yet. Hooks run in the order of registration. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const { services, metrics, batch, rateLimits, console, localOnly, tracing } = options
  const { settings, anonymous } = services
  const endpoints = [rootEndpoint(ENDPOINTS, console), ...ENDPOINTS]
  const unreadable = new UnreadablePaths()
  const { app, connections } = createFastify(settings, options.log, unreadable)
  if (tracing) traceRequests(app, tracing)
  registerJsonParser(app)
  const draining = new Draining(app, connections, batch)
  handleErrors(app, metrics)
  logRequests(app, metrics, settings.LOG_REQUESTS)
  anonymous.countRefused(app, endpoints)
  dropFloodingConnections(app, connections)
  if (localOnly) refuseForeignPages(app, localOnly)
  registerPreflightLimit(app, rateLimits)
  await allowOrigins(app, settings)
  limitResponses(app, settings, batch)
  lingerWhenClosing(app)
  limitConcurrency(app, settings, connections)
  anonymous.register(app, endpoints)
  registerRateLimits(app, rateLimits)
  unreadable.register(app)
  rejectUnknownRoutes(app)
  refuseUnstorableParams(app)
  for (const endpoint of endpoints) endpoint.register(app, services)
  serveConsole(app, console)
  registerDocumentation(app, endpoints, operatorOf(services.settings))
  return { app, connections, close: (limit) => draining.close(limit) }
}

/** Creates the framework, with the listeners and hooks that come before all others. */
function createFastify(settings: Settings, log: FastifyBaseLogger, unreadable: UnreadablePaths) {
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // routes for documents raise it
    bodyLimit: Math.min(PROTOCOL_LIMITS.body.json, settings.MAX_BODY_SIZE),
    trustProxy: settings.TRUSTED_PROXIES ?? false,
    keepAliveTimeout: settings.KEEP_ALIVE_TIMEOUT,
    // as the routers of other providers do: clients send `fileInfo`, and `//api` after a base URL with a slash at its end
    routerOptions: {
      maxParamLength: PROVIDER_LIMITS.links.grant,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      caseSensitive: false,
    },
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => unreadable.routeAgain(app, error, request, reply),
    http: {
      maxHeaderSize: PROVIDER_LIMITS.http.headers,
      connectionsCheckingInterval: PROVIDER_LIMITS.http.timeoutCheckInterval,
    },
    clientErrorHandler: (error, socket) => rejectMalformedRequest(error, socket, connections.inFlightOn(socket) > 0),
  })
  // without a listener, Node answers unknown expectations before any hook; they may be ignored (RFC 9110, 10.1.1)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  limitArrival(app)
  if (settings.TRUSTED_PROXIES) plainForwardedAddresses(app)
  if (settings.HOSTING !== 'off') speakTus(app, settings.HOSTING_MAX_FILE)
  const connections = new Connections(app)
  return { app, connections }
}

/** Responds to the errors of hooks and routes, and counts them. */
function handleErrors(app: FastifyInstance, metrics: Metrics): void {
  // without a return value, like the busiest routes: the framework would watch the stream of a returned reply
  app.setErrorHandler((error: Error, request, reply) => void sendError(error, request, reply))
  app.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof ProviderError)) return
    metrics.refusals.inc({ code: error.code })
    if (error instanceof ValidationError && 'nonce' in error.fields) metrics.nonceRefusals.inc()
  })
}

/** Limits the time for reading a response, and batches the responses of a tick. Files have other limits. */
function limitResponses(app: FastifyInstance, settings: Settings, batch: TickBatch): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { length = 0 } = (payload ?? '') as { length?: number }
    setWriteStallTimeout(reply, length, settings.CONSUMER_STALL_TIMEOUT)
    if (length > SOCKET_BUFFER) void limitReading(reply, length)
    batch.addIfShared('responses', () => done(null, payload))
  })
}
