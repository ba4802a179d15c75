import { z } from 'zod'
import { FIRST_NONCE, nonceNumber } from '../../auth/nonce.js'
import { json, object } from '../docs.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { address, described, readParams, whole } from '../params.js'

const params = z.object({
  userAddress: address,
  chainId: described(
    whole,
    'Chain whose nonces count, where the address is a contract wallet: it has some on each chain. Default: the last one that it used on any.',
    8996,
  ).optional(),
})

/** Tells the last nonce that an address used. Writes nothing. */
export const nonce: Endpoint = {
  names: ['nonce'],
  method: 'GET',
  path: `${PREFIX}/nonce`,
  doc: {
    summary: 'Last used nonce',
    description: 'The last nonce that an address used, 1 where it never used one. Nothing is written.',
    params: params.shape,
    responses: { 200: json('The nonce, a decimal number.', object({ nonce: { type: 'number' } }), { nonce: 1 }) },
  },
  register(app, { store }) {
    app.get(this.path, async (request, reply) => {
      const { userAddress, chainId } = readParams(params, request)
      const last = await store.nonces.last(userAddress.address, chainId)
      // written by hand: a nonce may have more digits than a JavaScript number keeps
      const body = `{"nonce":${last === undefined ? FIRST_NONCE : nonceNumber(last)}}`
      return reply.type('application/json; charset=utf-8').send(body)
    })
  },
}
