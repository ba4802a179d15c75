import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Chain, Chains } from '../../chain/chains.js'
import { encrypt as encryptTo } from '../../crypto/ecies.js'
import { RequestError } from '../../errors.js'
import { type Endpoint, PREFIX, withRawBody } from '../endpoint.js'
import { readParams, sentParams, whole } from '../params.js'

const params = z.object({ chainId: whole })

/** Encrypts the body, as it is, to the provider key of a chain. */
export const encrypt: Endpoint = {
  names: ['encrypt'],
  method: 'POST',
  path: `${PREFIX}/encrypt`,
  register(app, { chains }) {
    withRawBody(app, (scope) => {
      scope.post(this.path, async (request, reply) => {
        const { key } = chainOf(request, chains)
        const body = octets(request)
        return reply
          .code(201)
          .type('text/plain; charset=utf-8')
          .send(`0x${encryptTo(key.publicKey, body).toString('hex')}`)
      })
    })
  },
}

function chainOf({ query }: FastifyRequest, chains: Chains): Chain {
  const request = { query, body: undefined } as FastifyRequest
  if (sentParams(request).chainId === undefined)
    throw new RequestError('UNKNOWN_CHAIN', 'Missing chainId query parameter.')
  const chain = chains.get(readParams(params, request).chainId)
  if (!chain) throw new RequestError('UNKNOWN_CHAIN', 'This provider does not serve the chain that chainId names.')
  return chain
}

function octets({ headers, body }: FastifyRequest): Buffer {
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/octet-stream')
    throw new RequestError('BAD_CONTENT_TYPE', 'Invalid request content type: should be application/octet-stream')
  if (!Buffer.isBuffer(body) || body.length === 0) throw new RequestError('EMPTY_BODY', 'The request body is empty.')
  return body
}
