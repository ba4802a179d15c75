import { PROVIDER_LIMITS } from '../../limits.js'
import { json, named, object } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'

const ANSWER = named(
  'JsonRpcResponse',
  object(
    {
      jsonrpc: { const: '2.0' },
      id: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      result: { type: 'object', additionalProperties: true },
      error: object({ code: { type: 'integer' }, message: { type: 'string' } }),
    },
    ['result', 'error'],
  ),
)

/** The tools of agents, by the Model Context Protocol over streamable HTTP. Stateless: each request has its own server. */
export const mcp: Endpoint = {
  names: [],
  method: 'POST',
  path: '/mcp',
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'callAgentTool',
    summary: 'Tools of agents',
    description:
      'The Model Context Protocol over streamable HTTP, without sessions: one JSON-RPC message a request, answered as JSON. Tools: search_assets, describe_asset, quote, preview, my_orders, download_link. Each request that a tool makes counts as one. Only if the operator has switched it on (MCP).',
    body: {
      contentType: 'application/json',
      schema: { type: 'object', required: ['jsonrpc'], properties: { jsonrpc: { const: '2.0' } } },
      description: 'A JSON-RPC message.',
    },
    token: true,
    responses: {
      200: json('The JSON-RPC response.', ANSWER),
      202: { description: 'A notification was accepted.' },
    },
  },
  register(app, services) {
    const { settings } = services
    if (!settings.MCP) return
    const bodyLimit = Math.min(PROVIDER_LIMITS.mcp.body, settings.MAX_BODY_SIZE)
    app.post(this.path, { bodyLimit }, async (request, reply) => {
      // loaded by the first request: services without agents start without it
      const { handleMcp } = await import('./handle.js')
      return handleMcp(app, services, request, reply)
    })
  },
}
