import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Context } from '../context.js'
import { RequestError } from '../errors.js'
import { registerDocumentation } from './documentation.js'
import { sendError, sendFixed } from './errors.js'
import { ENDPOINTS } from './routes/index.js'
import { rootEndpoint } from './routes/root.js'

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

/** Milliseconds in which the headers of a request must arrive. */
const HEADERS_TIMEOUT = 60_000

/** The HTTP server with every endpoint, not yet listening. */
export async function createServer(context: Context, log: FastifyBaseLogger): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: context.settings.MAX_BODY_SIZE,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    frameworkErrors: sendError,
    // an idle keep-alive connection must not hold up a stop
    forceCloseConnections: 'idle',
  })
  app.server.headersTimeout = HEADERS_TIMEOUT
  app.setErrorHandler(sendError)
  await app.register(cors, {
    origin: '*',
    exposedHeaders: EXPOSED_HEADERS,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    strictPreflight: false,
  })
  logRequests(app)
  rejectUnknownRoutes(app)
  for (const endpoint of ALL_ENDPOINTS) endpoint.register(app, context)
  await registerDocumentation(app, ALL_ENDPOINTS)
  return app
}

/** One line for each finished request. The route's pattern stands for the URL, whose query holds signatures. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    const fields = { method, route: routeOptions.url ?? 'none', status: reply.statusCode, ms: reply.elapsedTime }
    request.log.info({ ...fields, ms: Math.round(fields.ms * 10) / 10 }, 'request')
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
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return refuse(request, reply)
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
