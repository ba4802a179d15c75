import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { BOUNDS } from '../bounds.js'
import type { Context } from '../context.js'
import { ProviderError, RequestError, ValidationError } from '../errors.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Tracing } from '../tracing.js'
import { withOthers } from '../turn.js'
import { capUse, cutFloods } from './caps.js'
import { refuseUnreadable } from './client-errors.js'
import { registerDocumentation } from './documentation.js'
import { Draining } from './draining.js'
import { sendError, sendFixed } from './errors.js'
import { boundJson } from './json.js'
import { Connections } from './lifetime.js'
import { limitPreflights, limitUsage } from './limits.js'
import { ENDPOINTS } from './routes/index.js'
import { rootEndpoint } from './routes/root.js'
import { endWhenUntaken } from './transfer.js'

/** The root document, and everything that it lists. */
export const ALL_ENDPOINTS = [rootEndpoint(ENDPOINTS), ...ENDPOINTS]

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'Last-Modified',
]

export interface HttpServer {
  app: FastifyInstance
  connections: Connections
  /** Closes when all answers have ended, at the latest after so many milliseconds. */
  close(limit: number): Promise<void>
}

/** The HTTP server with every endpoint, not yet listening. */
export async function createServer(context: Context, log: FastifyBaseLogger, tracing?: Tracing): Promise<HttpServer> {
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // what routes of documents take is more, and said there
    bodyLimit: Math.min(BOUNDS.body.json, context.settings.MAX_BODY_SIZE),
    trustProxy: context.settings.TRUSTED_PROXIES ?? false,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    frameworkErrors: sendError,
    requestTimeout: BOUNDS.http.requestTimeout,
    http: { maxHeaderSize: BOUNDS.http.headers, connectionsCheckingInterval: BOUNDS.http.timeoutCheck },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, connections.carriedBy(socket) > 0),
  })
  app.server.headersTimeout = BOUNDS.http.headersTimeout
  tracing?.register(app)
  boundJson(app)
  const connections: Connections = new Connections(app)
  const draining = new Draining(app, connections)
  app.setErrorHandler(sendError)
  app.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof ProviderError)) return
    context.metrics.refusals.inc({ code: error.code })
    if (error instanceof ValidationError && 'nonce' in error.fields) context.metrics.nonceRefusals.inc()
  })
  cutFloods(app, connections)
  limitPreflights(app, context)
  await app.register(cors, {
    origin: '*',
    exposedHeaders: EXPOSED_HEADERS,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    strictPreflight: false,
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { length = 0 } = (payload ?? '') as { length?: number }
    endWhenUntaken(reply, length, context.settings.CONSUMER_STALL_TIMEOUT)
    withOthers('answers', () => done(null, payload))
  })
  logRequests(app, context.metrics)
  capUse(app, context, connections)
  context.anonymous.register(app, ALL_ENDPOINTS)
  limitUsage(app, context)
  rejectUnknownRoutes(app)
  for (const endpoint of ALL_ENDPOINTS) endpoint.register(app, context)
  await registerDocumentation(app, ALL_ENDPOINTS)
  return { app, connections, close: (limit) => draining.close(limit) }
}

/** One line and one count for each finished request. The route's pattern stands for the URL, whose query holds signatures. */
function logRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const { url: route = 'none' } = routeOptions
    const { statusCode: status, elapsedTime } = reply
    metrics.answered(method, route, status, elapsedTime / 1000)
    request.log.info({ method, route, status, ms: Math.round(elapsedTime * 10) / 10 }, 'request')
    done()
  })
}

/**
 * 404 for unknown paths, 405 with Allow for known ones. Said before a body is read, which may be of any type and size
 * where there is no route for it.
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
    const path = request.url.split('?')[0] as string
    const pattern = [...allowed.keys()].find((url) => url !== '*' && matches(url, path))
    if (pattern) {
      reply.header('allow', [...(allowed.get(pattern) as Set<string>)].join(', '))
      return sendFixed(reply, 'METHOD')
    }
    return sendError(new RequestError('ROUTE_NOT_FOUND', 'No such path. GET / lists every path.'), request, reply)
  }
}

/** Whether a path fits a route's pattern, where `:name` stands for one segment. */
function matches(pattern: string, path: string): boolean {
  const want = pattern.split('/')
  const have = path.replace(/(.)\/$/, '$1').split('/')
  return want.length === have.length && want.every((part, at) => part.startsWith(':') || part === have[at])
}
