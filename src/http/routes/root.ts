import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.js'
import { packageVersion } from '../../version.js'
import { ENDPOINTS } from './index.js'

/** `GET /`: who this is, which chains it serves with which keys, and where every endpoint is. */
export function registerRoot(app: FastifyInstance, { chains }: Context): void {
  const named = ENDPOINTS.flatMap(({ names, method, path }) => names.map((name) => [name, [method, path]]))
  const document = {
    software: 'Tidegate',
    version: packageVersion(),
    chainIds: [...chains.keys()],
    providerAddresses: Object.fromEntries([...chains].map(([chainId, { key }]) => [chainId, key.address])),
    serviceEndpoints: Object.fromEntries(named) as Record<string, [string, string]>,
  }
  app.get('/', async () => document)
}
