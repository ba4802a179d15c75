import type { FileProblem } from '@tidegate/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../metrics/metrics.js'
import { isHealthProbe } from './limits/rate-limits.js'
import { onRequestEnd, type RequestEnd } from './request-end.js'

/** The reason of a refusal: the code for the client, and details for the operator. */
export interface Refusal {
  code: string
  /** The error message, or the names of invalid parameters. */
  reason: string | string[]
  /** The outcome of the request to the storage, and the status of its response. */
  storage?: FileProblem
  upstreamStatus?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if the request was refused or has failed. */
    refusal: Refusal | undefined
    /** Asset, service, consumer and order of the request. Default: those in its parameters. */
    subject: Record<string, string> | undefined
  }
}

/** Response header with the request id. Log lines of the request have the same id. */
const REQUEST_ID = 'x-request-id'

/**
 * Counts each ended request by route pattern, and logs it: health probes at level debug, and with `errors` only statuses
 * from 400 on.
 */
export function logRequests(app: FastifyInstance, metrics: Metrics, which: 'all' | 'errors'): void {
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('subject', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID, request.id)
    onRequestEnd(request, reply, (end) => record(request, reply, end))
    done()
  })

  function record(request: FastifyRequest, { elapsedTime }: FastifyReply, { status, aborted }: RequestEnd): void {
    const { method, routeOptions } = request
    const { url: route = 'none' } = routeOptions
    metrics.countRequest(method, route, status, elapsedTime / 1000)
    if (which === 'errors' && status < 400) return
    const level = isHealthProbe(request) ? 'debug' : status >= 500 ? 'warn' : 'info'
    const ms = Math.round(elapsedTime * 10) / 10
    const { refusal, subject = subjectOf(request), ip: remote } = request
    const left = aborted ? { aborted } : undefined
    request.log[level]({ method, route, status, ...left, ms, ...refusal, ...subject, remote }, 'request')
  }
}

/** Parameters with the subject of a request, and their accepted formats in the log. */
const SUBJECTS = [
  ['did', 'did', /^did:op:[0-9a-f]{64}$/i],
  ['documentId', 'did', /^did:op:[0-9a-f]{64}$/i],
  ['serviceId', 'service', /^[\w.:-]{1,128}$/],
  ['consumerAddress', 'consumer', /^0x[0-9a-f]{40}$/i],
  ['transferTxId', 'order', /^0x[0-9a-f]{64}$/i],
] as const

/**
 * Returns asset, service, consumer and order in the parameters, unverified. Values in other formats are left out: they
 * could be secrets.
 */
function subjectOf({ params, body, query }: FastifyRequest): Record<string, string> {
  const subject: Record<string, string> = {}
  for (const part of [body, query, params] as Record<string, unknown>[]) {
    if (part === null || typeof part !== 'object' || Buffer.isBuffer(part)) continue
    for (const [name, field, form] of SUBJECTS) {
      const value = part[name]
      if (typeof value === 'string' && form.test(value)) subject[field] = value
    }
  }
  return subject
}
