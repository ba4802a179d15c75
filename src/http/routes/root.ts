import type { Context } from '../../context.js'
import { packageVersion } from '../../version.js'
import { json, object } from '../docs.js'
import type { Endpoint } from '../endpoint.js'

/** `GET /`: who this is, which chains it serves with which keys, and where every endpoint is. */
export function rootEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  return {
    names: [],
    method: 'GET',
    path: '/',
    doc: {
      summary: 'Root document',
      description: 'Who this is, which chains it serves with which provider addresses, and where every endpoint is.',
      responses: {
        200: json(
          'The root document.',
          object({
            software: { const: 'Tidegate' },
            version: { type: 'string' },
            chainIds: { type: 'array', items: { type: 'integer' } },
            providerAddresses: { type: 'object', additionalProperties: { type: 'string' } },
            serviceEndpoints: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
          }),
        ),
      },
    },
    register(app, context) {
      const document = rootDocument(endpoints, context)
      app.get(this.path, async () => document)
    },
  }
}

function rootDocument(endpoints: readonly Endpoint[], { chains }: Context) {
  const named = endpoints.flatMap(({ names, method, path }) => names.map((name) => [name, [method, path]]))
  return {
    software: 'Tidegate',
    version: packageVersion(),
    chainIds: [...chains.keys()],
    providerAddresses: Object.fromEntries([...chains].map(([chainId, { key }]) => [chainId, key.address])),
    serviceEndpoints: Object.fromEntries(named) as Record<string, [string, string]>,
  }
}
