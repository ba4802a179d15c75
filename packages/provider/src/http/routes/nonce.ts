import { DEV_CHAIN_ID } from '@tidegate/protocol/networks'
import * as z from 'zod'
import { lastNonce } from '../../auth/auth.js'
import { json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { address, described, readParams, whole } from '../endpoints/params.js'

const params = z.object({
  userAddress: address,
  chainId: described(
    whole,
    'Chain of the nonce, if the address is a contract wallet, which has separate nonces on each chain. Default: the last nonce that it used on any chain.',
    DEV_CHAIN_ID,
  ).optional(),
})

/** Returns the last nonce of an address, and does not consume it. */
export const nonce: Endpoint = {
  names: ['nonce'],
  method: 'GET',
  path: `${PREFIX}/nonce`,
  nonce: 'none',
  doc: {
    summary: 'Last used nonce',
    description:
      'The last nonce that an address used, 1 where it never used one. Where that was a time before the cut-over from a legacy service, the time of the cut-over, so that the next number is good. Nothing is written.',
    params: params.shape,
    responses: {
      200: json('The nonce, a decimal number.', named('Nonce', object({ nonce: { type: 'number' } })), { nonce: 1 }),
    },
  },
  register(app, { auth }) {
    app.get(this.path, async (request, reply) => {
      const { userAddress, chainId } = readParams(params, request)
      // as text: the nonce may have more digits than a JavaScript number
      const body = `{"nonce":${await lastNonce(auth, userAddress.address, chainId)}}`
      reply.type('application/json; charset=utf-8')
      return body
    })
  },
}
