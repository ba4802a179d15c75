import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import { PROTOCOL_LIMITS, ProviderError, RequestError, ValidationError } from '@tidegate/protocol'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { PROVIDER_LIMITS } from '../limits.js'
import type { Tracing } from '../process/tracing.js'
import { rejectMalformedRequest } from './client-errors.js'
import { serveConsole } from './console/serve.js'
import type { Context } from './context.js'
import { Draining } from './draining.js'
import { EarlyRefusals } from './early-refusals.js'
import { registerDocumentation } from './endpoints/documentation.js'
import { registerJsonParser } from './endpoints/json.js'
import { refuseUnstorableParams } from './endpoints/parameter-text.js'
import { sendError, sendFixed } from './errors.js'
import { SOCKET_BUFFER, setWriteStallTimeout } from './files/transfer.js'
import { speakTus } from './files/tus-requests.js'
import { Connections } from './lifetime.js'
import { limitArrival } from './limits/arrival.js'
import { dropFloodingConnections, limitConcurrency } from './limits/concurrency.js'
import { registerPreflightLimit, registerRateLimits } from './limits/rate-limits.js'
import { limitReading } from './limits/reading.js'
import { lingerWhenClosing } from './lingering.js'
import { refuseForeignPages } from './local-only.js'
import { traceRequests } from './request-end.js'
import { logRequests } from './request-log.js'
import { ENDPOINTS } from './routes/index.js'
import { rootEndpoint } from './routes/root.js'

/** The root document and every endpoint that it lists. */
export const ALL_ENDPOINTS = [rootEndpoint(ENDPOINTS), ...ENDPOINTS]

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'Last-Modified',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
  'Location',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Checksum-Algorithm',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Expires',
]

/** Seconds for which browsers may cache the response to a preflight; Chromium allows at most two hours. */
const PREFLIGHT_MAX_AGE = 7200

export interface HttpServer {
  app: FastifyInstance
  connections: Connections
  /** Drains the connections for up to `limit` milliseconds, then closes. */
  close(limit: number): Promise<void>
}

/** Creates the HTTP server with every endpoint, not yet listening. */
export async function createServer(context: Context, log: FastifyBaseLogger, tracing?: Tracing): Promise<HttpServer> {
  const early = new EarlyRefusals()
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // routes that accept documents raise this
    bodyLimit: Math.min(PROTOCOL_LIMITS.body.json, context.settings.MAX_BODY_SIZE),
    trustProxy: context.settings.TRUSTED_PROXIES ?? false,
    // as the routers of other providers do: clients send `fileInfo`, and `//api` behind a URL that ends with a slash
    routerOptions: {
      maxParamLength: PROVIDER_LIMITS.links.grant,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      caseSensitive: false,
    },
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => early.routeAgain(app, error, request, reply),
    http: {
      maxHeaderSize: PROVIDER_LIMITS.http.headers,
      connectionsCheckingInterval: PROVIDER_LIMITS.http.timeoutCheckInterval,
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => rejectMalformedRequest(error, socket, connections.inFlightOn(socket) > 0),
  })
  limitArrival(app)
  speakTus(app, context)
  const connections: Connections = new Connections(app)
  if (tracing) traceRequests(app, tracing)
  registerJsonParser(app)
  const draining = new Draining(app, connections, context.batch)
  // nothing is returned, here and by the busiest routes: of a reply the framework would watch the stream
  app.setErrorHandler((error: Error, request, reply) => void sendError(error, request, reply))
  app.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof ProviderError)) return
    context.metrics.refusals.inc({ code: error.code })
    if (error instanceof ValidationError && 'nonce' in error.fields) context.metrics.nonceRefusals.inc()
  })
  logRequests(app, context.metrics, context.settings.LOG_REQUESTS)
  context.anonymous.countRefused(app, ALL_ENDPOINTS)
  dropFloodingConnections(app, connections)
  if (context.localOnly) refuseForeignPages(app, context.localOnly)
  registerPreflightLimit(app, context)
  await app.register(cors, {
    origin: context.settings.CORS_ORIGINS ?? '*',
    maxAge: PREFLIGHT_MAX_AGE,
    // a list would be joined for each response
    exposedHeaders: EXPOSED_HEADERS.join(', '),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    strictPreflight: false,
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { length = 0 } = (payload ?? '') as { length?: number }
    setWriteStallTimeout(reply, length, context.settings.CONSUMER_STALL_TIMEOUT)
    if (length > SOCKET_BUFFER) void limitReading(reply, length)
    context.batch.addIfShared('responses', () => done(null, payload))
  })
  lingerWhenClosing(app)
  limitConcurrency(app, context.settings, connections)
  context.anonymous.register(app, ALL_ENDPOINTS)
  registerRateLimits(app, context)
  early.register(app)
  rejectUnknownRoutes(app)
  refuseUnstorableParams(app)
  for (const endpoint of ALL_ENDPOINTS) endpoint.register(app, context)
  serveConsole(app, context.console)
  registerDocumentation(app, ALL_ENDPOINTS)
  return { app, connections, close: (limit) => draining.close(limit) }
}

/**
 * Responds with 404 to unknown paths, and with 405 and Allow to known ones. Before the body is read, since no route
 * limits its type and size.
 */
function rejectUnknownRoutes(app: FastifyInstance): void {
  const allowed = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = allowed.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    allowed.set(url, methods)
  })
  app.setNotFoundHandler(refuse)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    refuse(request, reply)
  })

  function refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // as the router reads it
    const path = (request.url.split('?')[0] as string).replace(/\/{2,}/g, '/').toLowerCase()
    const pattern = [...allowed.keys()].find((url) => url !== '*' && matches(url.toLowerCase(), path))
    if (pattern) {
      reply.header('allow', [...(allowed.get(pattern) as Set<string>)].join(', '))
      return sendFixed(reply, 'METHOD')
    }
    return sendError(new RequestError('ROUTE_NOT_FOUND', 'No such path. GET / lists every path.'), request, reply)
  }
}

/** Whether a path matches a route's pattern, where `:name` matches one segment, and `*` at the end any number. */
function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const expected = pattern.split('/')
  const segments = path.replace(/(.)\/$/, '$1').split('/')
  return (
    expected.length === segments.length &&
    expected.every((part, index) => part.startsWith(':') || part === segments[index])
  )
}
