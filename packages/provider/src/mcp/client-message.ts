import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { z } from 'zod'
import { PROVIDER_LIMITS } from '../limits.js'
import { exactArguments, isRecord } from './exact-arguments.js'

/** The requests whose form the SDK checks late: it would tell a wrong one as an error of the server. */
const FORMS = {
  initialize: InitializeRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
}

/** A message for the SDK, or the refusal to send in its place. */
export type ClientMessage = { message: object } | { refusal: Refusal }

/** An error of JSON-RPC. */
export interface Refusal {
  jsonrpc: '2.0'
  id: string | number | null
  error: { code: ErrorCode; message: string }
}

/**
 * Reads a message as clients write it: members that are null are absent, and the arguments of a tool are made exact.
 * `inputs` has the shape of each tool's arguments.
 */
export function clientMessage(sent: unknown, inputs: ReadonlyMap<string, z.ZodRawShape>): ClientMessage {
  if (Array.isArray(sent)) return refusal(sent, ErrorCode.InvalidRequest, 'Batches are not supported.')
  const message = isRecord(sent) ? exact(sent, inputs) : sent
  if (!JSONRPCMessageSchema.safeParse(message).success)
    return refusal(sent, ErrorCode.InvalidRequest, 'The message is not one of JSON-RPC 2.0.')
  const form = FORMS[(message as { method: keyof typeof FORMS }).method]
  const problem = form?.safeParse(message).error?.issues[0]
  if (problem && 'id' in (message as object))
    return refusal(sent, ErrorCode.InvalidParams, `Invalid params: ${problem.path.join('.')}: ${problem.message}.`)
  return { message: message as object }
}

function refusal(sent: unknown, code: ErrorCode, message: string): { refusal: Refusal } {
  const id = isRecord(sent) && ['string', 'number'].includes(typeof sent.id) ? (sent.id as string | number) : null
  return { refusal: { jsonrpc: '2.0', id, error: { code, message: message.slice(0, PROVIDER_LIMITS.mcp.message) } } }
}

function exact({ params, result, ...rest }: Record<string, unknown>, inputs: ReadonlyMap<string, z.ZodRawShape>) {
  const { params: full, ...answer } = withoutNulls({ params, result })
  if (!isRecord(full)) return { ...rest, ...answer, ...(full === undefined ? {} : { params: full }) }
  const shape = rest.method === 'tools/call' ? inputs.get(String(full.name)) : undefined
  const read = shape ? { ...full, arguments: exactArguments(shape, full.arguments) } : full
  return { ...rest, ...answer, params: read }
}

/** Returns a copy without null members and entries, in any depth. */
function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value), (_name, member) => {
    if (Array.isArray(member)) return member.filter((entry) => entry !== undefined)
    return member === null ? undefined : member
  })
}
