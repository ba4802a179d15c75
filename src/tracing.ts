import type { Context, Span, Tracer } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from './config/schema.js'
import { StartError } from './errors.js'
import { packageVersion } from './version.js'

/** Runs a piece of work under a span of its own. Attributes never hold a location, a DID, an address or a key. */
export type Trace = <T>(name: string, attributes: Record<string, string | number>, work: () => Promise<T>) => Promise<T>

/** Spans for OpenTelemetry, while they are wanted. */
export interface Tracing {
  trace: Trace
  /** A span for each request, under the one that the caller names in `traceparent`. */
  register(app: FastifyInstance): void
  /** Sends what is left. */
  close(): Promise<void>
}

/** What runs where no tracing is wanted. */
export const untraced: Trace = (_name, _attributes, work) => work()

/**
 * Starts sending spans to `OTEL_EXPORTER_OTLP_ENDPOINT`, or does nothing where that is not set. Its packages are not
 * part of an installation: throws StartError where they are missing. Spans are made by hand and not by
 * instrumentation, which would write the URLs of storages and nodes into them.
 */
export async function startTracing(settings: Settings): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name } = settings
  if (endpoint === undefined) return undefined
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]).catch(() => {
    const packages = 'sdk-trace-node exporter-trace-otlp-http resources'.replace(/\S+/g, '@opentelemetry/$&')
    throw new StartError([`OTEL_EXPORTER_OTLP_ENDPOINT: needs packages: npm install --no-save ${packages}`])
  })
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': name, 'service.version': packageVersion() }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  })
  provider.register()
  return new Spans(api, provider.getTracer('tidegate'), () => provider.shutdown())
}

type Api = typeof import('@opentelemetry/api')

class Spans implements Tracing {
  private readonly spans = new WeakMap<FastifyRequest, Span>()

  constructor(
    private readonly api: Api,
    private readonly tracer: Tracer,
    readonly close: () => Promise<void>,
  ) {}

  readonly trace: Trace = (name, attributes, work) =>
    this.tracer.startActiveSpan(name, { kind: this.api.SpanKind.CLIENT, attributes }, async (span) => {
      try {
        return await work()
      } catch (error) {
        // of the error no more than its kind: its words may be anybody's
        span.setStatus({ code: this.api.SpanStatusCode.ERROR, message: (error as { code?: string }).code ?? '' })
        throw error
      } finally {
        span.end()
      }
    })

  register(app: FastifyInstance): void {
    const { context, propagation, trace, SpanKind, SpanStatusCode } = this.api
    app.addHook('onRequest', (request, _reply, done) => {
      const { method, headers, routeOptions, id } = request
      const route = routeOptions.url ?? 'none'
      const attributes = { 'http.request.method': method, 'http.route': route, 'tidegate.request_id': id }
      const parent: Context = propagation.extract(context.active(), headers)
      const span = this.tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent)
      this.spans.set(request, span)
      context.with(trace.setSpan(parent, span), done)
    })
    app.addHook('onResponse', async (request, { statusCode }) => {
      const span = this.spans.get(request)
      span?.setAttribute('http.response.status_code', statusCode)
      if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    })
  }
}
