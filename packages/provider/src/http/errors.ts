import { type ErrorKind, LimitError, ProviderError, StorageError, ValidationError } from '@tidegate/protocol'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from './request-log.js'

/** The HTTP status of each kind of error. */
export const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  denied: 403,
  withheld: 451,
  notFound: 404,
  gone: 410,
  conflict: 409,
  locked: 423,
  tooLarge: 413,
  version: 412,
  mediaType: 415,
  checksum: 460,
  full: 507,
  storage: 502,
  storageTimeout: 504,
  chain: 502,
  unavailable: 503,
  limited: 429,
}

/** Maximum number of parameter names in a log line. */
const MAX_LOGGED_FIELDS = 10

type FrameworkError = [status: number, code: string, message: string, remedy: string]

/** Errors outside of the routes, with fixed texts. FST_ keys are codes of Fastify. */
export const FRAMEWORK_ERRORS = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    413,
    'BODY_TOO_LARGE',
    'The request body is larger than this provider accepts.',
    'Send less; for encrypt, decrypt and validate the operator sets the limit with MAX_BODY_SIZE.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    415,
    'BAD_CONTENT_TYPE',
    'Unsupported content type: send application/json.',
    'Send the content type that the route takes.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    'BAD_BODY',
    'The body does not have the length that was announced.',
    'Send a complete body.',
  ],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'BAD_BODY', 'The request body is not valid JSON.', 'Send a JSON object.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'BAD_BODY', 'The request body is empty.', 'Send a JSON object.'],
  FST_ERR_BAD_URL: [400, 'BAD_URL', 'The path is not valid.', 'Encode the path correctly.'],
  HEADERS: [
    431,
    'HEADERS_TOO_LARGE',
    'The request line and headers are larger than this provider accepts.',
    'Send parameters of that size in a JSON body, and fewer headers.',
  ],
  TIMEOUT: [408, 'REQUEST_TIMEOUT', 'The request did not arrive in time.', 'Send the whole request without pauses.'],
  METHOD: [405, 'METHOD_NOT_ALLOWED', 'Method not allowed.', 'Use a method that the Allow header names.'],
  RANGE: [
    416,
    'RANGE_NOT_SATISFIABLE',
    'The range lies outside of the file.',
    'Request a range within the length that Content-Range states.',
  ],
  OTHER: [400, 'BAD_REQUEST', 'The request cannot be read.', 'Send a well-formed HTTP request.'],
  UNFORESEEN: [500, 'INTERNAL', 'Internal error.', 'Report it to the operator, with the X-Request-Id of the answer.'],
} as const satisfies Record<string, FrameworkError>

/** Sends one of the fixed errors. */
export function sendFixed(reply: FastifyReply, which: keyof typeof FRAMEWORK_ERRORS): FastifyReply {
  const [status, code, error] = FRAMEWORK_ERRORS[which]
  reply.request.refusal = { code, reason: error }
  return reply.code(status).type('application/json; charset=utf-8').send({ error, code })
}

/** Sends the response for an error of a route. Details of unexpected errors stay in the log. */
export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ValidationError) {
    request.refusal = { code: error.code, reason: Object.keys(error.fields).slice(0, MAX_LOGGED_FIELDS) }
    return reply.code(400).send({ errors: error.fields, message: error.message, success: false })
  }
  if (error instanceof ProviderError) {
    request.refusal = { code: error.code, reason: error.message, ...storageOutcome(error) }
    if (error instanceof LimitError) reply.header('retry-after', error.seconds)
    // a retry may succeed
    if (error.kind === 'unavailable' && !reply.hasHeader('retry-after')) reply.header('retry-after', '1')
    return reply.code(STATUS[error.kind]).send({ error: error.message, code: error.code })
  }
  const code = (error as FastifyError).code
  if (code in FRAMEWORK_ERRORS) return sendFixed(reply, code as keyof typeof FRAMEWORK_ERRORS)
  const status = (error as FastifyError).statusCode
  if (status !== undefined && status >= 400 && status < 500) return sendFixed(reply, 'OTHER')
  // the client has left, and the error is the abort of its request
  if (request.lifetime?.ended) return sendFixed(reply, 'OTHER')
  // the message may quote secrets: only type and stack frames are logged
  request.log.error({ type: error.name, at: frames(error) }, 'unexpected error')
  return sendFixed(reply, 'UNFORESEEN')
}

/** Returns the outcome of the storage request; empty for other errors. */
function storageOutcome(error: ProviderError): Partial<Refusal> {
  if (!(error instanceof StorageError)) return {}
  const { reason: storage, upstreamStatus } = error
  return { storage, ...(upstreamStatus === undefined ? {} : { upstreamStatus }) }
}

function frames(error: Error): string[] {
  const lines = error.stack?.split('\n') ?? []
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim())
}
