import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorKind, ProviderError, ValidationError } from '../errors.js'

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  denied: 403,
  notFound: 404,
  storage: 502,
  storageTimeout: 504,
  chain: 502,
  unavailable: 503,
}

/** What the framework refuses before a route is reached: its own code to ours, with a fixed message. */
const FRAMEWORK_ERRORS: Record<string, [status: number, code: string, message: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'BODY_TOO_LARGE', 'The request body is larger than this provider accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'BAD_CONTENT_TYPE', 'Unsupported content type: send application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'BAD_BODY', 'The body does not have the length that was announced.'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'BAD_BODY', 'The request body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'BAD_BODY', 'The request body is empty.'],
  FST_ERR_BAD_URL: [400, 'BAD_URL', 'The path is not valid.'],
}

/** Turns whatever a route threw into its one wire form. */
export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ValidationError)
    return reply.code(400).send({ errors: error.fields, message: error.message, success: false })
  if (error instanceof ProviderError)
    return reply.code(STATUS[error.kind]).send({ error: error.message, code: error.code })
  const known = FRAMEWORK_ERRORS[(error as FastifyError).code]
  if (known) return reply.code(known[0]).send({ error: known[2], code: known[1] })
  const status = (error as FastifyError).statusCode
  if (status !== undefined && status >= 400 && status < 500)
    return reply.code(status).send({ error: 'The request cannot be read.', code: 'BAD_REQUEST' })
  // The message of an unforeseen error may quote anything: only its kind and the places it passed are logged.
  request.log.error({ type: error.name, at: frames(error) }, 'unforeseen error')
  return reply.code(500).send({ error: 'Internal error.', code: 'INTERNAL' })
}

function frames(error: Error): string[] {
  const lines = error.stack?.split('\n') ?? []
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim())
}
