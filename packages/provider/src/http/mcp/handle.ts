import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { ProviderError } from '@tidegate/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientMessage } from '../../mcp/client-message.js'
import { addReadingTools } from '../../mcp/reading-tools.js'
import { createMcpServer } from '../../mcp/server.js'
import { ToolError } from '../../mcp/tool-error.js'
import { mediaRanges, preferred } from '../console/accept.js'
import type { Services } from '../services.js'
import { serviceReader } from './service-reader.js'

/** Headers of a request that the transport reads. The auth token is for the tools alone. */
const READ = ['accept', 'content-type', 'mcp-protocol-version'] as const

/** The Accept header that the transport demands. Every answer is JSON, so that a request need accept no more. */
const BOTH = 'application/json, text/event-stream'

/** Answers one JSON-RPC message with a server of its own. When the client leaves, the tool is aborted. */
export async function handleMcp(
  app: FastifyInstance,
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  const server = createMcpServer()
  addReadingTools(server, serviceReader(app, request, services), (error) => logUnforeseen(request, error))
  const read = clientMessage(request.body, server.inputs)
  if ('refusal' in read)
    return reply.code(read.refusal.error.code === ErrorCode.InvalidParams ? 200 : 400).send(read.refusal)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport as never)
    const handled = transport.handleRequest(transportRequest(request), { parsedBody: read.message })
    const response = await Promise.race([handled, ended(request)])
    return response ? await send(reply, response) : reply
  } finally {
    await server.close()
  }
}

function transportRequest({ headers: sent }: FastifyRequest): Request {
  const acceptsJson = preferred(sent.accept || undefined, ['application/json'], mediaRanges)
  const headers = acceptsJson ? { ...sent, accept: BOTH } : sent
  const read = READ.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as const] : []))
  return new Request('http://localhost/mcp', { method: 'POST', headers: Object.fromEntries(read) })
}

/** Resolves when the client has left: closing the server then aborts the tool. */
function ended({ lifetime }: FastifyRequest): Promise<undefined> {
  return new Promise((resolve) => lifetime.onEnd(() => resolve(undefined)))
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const type = response.headers.get('content-type')
  if (type) reply.type(type)
  return reply.code(response.status).send(await response.text())
}

/** The model sees no details of such errors. */
function logUnforeseen({ log }: FastifyRequest, error: unknown): void {
  if (error instanceof ToolError || error instanceof ProviderError) return
  log.warn({ type: (error as Error).name }, 'a tool failed')
}
