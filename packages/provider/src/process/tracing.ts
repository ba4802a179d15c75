import type { Context, Tracer } from '@opentelemetry/api'
import type { Trace } from '@tidegate/common'
import { StartError } from '@tidegate/protocol'
import type { Settings } from '../config/schema.js'
import { packageVersion } from '../version.js'

/** A request, and the pattern of its route. */
export interface TracedRequest {
  method: string
  route: string
  id: string
  headers: Record<string, unknown>
}

/** OpenTelemetry spans, if tracing is configured. */
export interface Tracing {
  trace: Trace
  /**
   * Handles a request in a span, a child of the span in its `traceparent` header. `end` ends the span with the status of
   * the response.
   */
  request(about: TracedRequest, handle: (end: (status: number) => void) => void): void
  /** Flushes pending spans. */
  close(): Promise<void>
}

/**
 * Exports spans to `OTEL_EXPORTER_OTLP_ENDPOINT`; returns undefined if it is not set. Throws StartError if the optional
 * packages are not installed. Creates spans itself: auto-instrumentation would record URLs of storages and nodes.
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
    // the newest ones exclude each other by their peers
    const packages = 'sdk-trace-node@2.2.0 exporter-trace-otlp-http@0.208.0 resources@2.2.0'.replace(
      /\S+/g,
      '@opentelemetry/$&',
    )
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
        // only the code: the message may quote untrusted input
        span.setStatus({ code: this.api.SpanStatusCode.ERROR, message: (error as { code?: string }).code ?? '' })
        throw error
      } finally {
        span.end()
      }
    })

  request({ method, route, id, headers }: TracedRequest, handle: (end: (status: number) => void) => void): void {
    const { context, propagation, trace, SpanKind, SpanStatusCode } = this.api
    const attributes = { 'http.request.method': method, 'http.route': route, 'tidegate.request_id': id }
    const parent: Context = propagation.extract(context.active(), headers)
    const span = this.tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent)
    const end = (status: number) => {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
    context.with(trace.setSpan(parent, span), () => handle(end))
  }
}
