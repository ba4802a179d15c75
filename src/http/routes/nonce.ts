import { z } from 'zod'
import { FIRST_NONCE, nonceNumber } from '../../auth/nonce.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { address, readParams } from '../params.js'

const params = z.object({ userAddress: address })

/** Tells the last nonce that an address used. Writes nothing. */
export const nonce: Endpoint = {
  names: ['nonce'],
  method: 'GET',
  path: `${PREFIX}/nonce`,
  register(app, { store }) {
    app.get(this.path, async (request, reply) => {
      const { userAddress } = readParams(params, request)
      const last = await store.nonces.last(userAddress.address)
      // written by hand: a nonce may have more digits than a JavaScript number keeps
      const body = `{"nonce":${last === undefined ? FIRST_NONCE : nonceNumber(last)}}`
      return reply.type('application/json; charset=utf-8').send(body)
    })
  },
}
