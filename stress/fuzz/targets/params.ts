import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ValidationError } from '../../../packages/protocol/src/errors.js'
import { completeUserdata } from '../../../packages/provider/src/access/parameters.js'
import { credentialsOf } from '../../../packages/provider/src/http/endpoints/credentials.js'
import { userdata } from '../../../packages/provider/src/http/endpoints/object-params.js'
import {
  address,
  flag,
  flags,
  hexBytes,
  nonce,
  readParams,
  sentParams,
  text,
  tokenText,
  transactionId,
  whole,
} from '../../../packages/provider/src/http/endpoints/params.js'
import { CONSUMER, PARAMETERS, TX } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const FIELDS = {
  text,
  token: tokenText,
  bytes: hexBytes,
  flags,
  address,
  tx: transactionId,
  whole,
  flag,
  nonce: nonce(60),
  userdata,
}
const HONEST = {
  ...{
    text: 'tide-access',
    token: 'a.b.c',
    bytes: '0x04ff',
    flags: '2',
    address: CONSUMER,
    tx: TX,
    whole: 5,
    flag: true,
  },
  ...{ nonce: '1700000000000', userdata: { day: '1', count: 5, where: 'de' }, signature: '0x00' },
}
const headers = fc.record(
  {
    authtoken: edgeCaseText(),
    authorization: fc.oneof(
      edgeCaseText(),
      edgeCaseText().map((token) => `Bearer ${token}`),
    ),
  },
  { requiredKeys: [] },
)
const part = fc.oneof(
  { arbitrary: mutated<unknown>(fc.constant(HONEST)), weight: 9 },
  { arbitrary: fc.constantFrom(null, undefined), weight: 1 },
)

/** Request parameters of every kind, in the query and in the body. */
export default target({
  inputs: fc.record({ query: part, body: part, headers }),
  read(input) {
    const request = { ...input, body: asSent(input.body), query: asQuery(input.query) } as unknown as FastifyRequest
    sentParams(request)
    credentialsOf(request)
    // one by one, so that the first invalid one does not hide the others
    for (const [name, field] of Object.entries(FIELDS)) {
      const read = acceptedOrRejected(() => readParams(z.object({ [name]: (field as z.ZodType).optional() }), request))
      if (name === 'userdata' && read)
        acceptedOrRejected(() => completeUserdata(PARAMETERS, read.userdata as Record<string, unknown>))
    }
    const all = readParams(z.object(FIELDS), request)
    holds(Number.isSafeInteger(all.whole) && all.whole >= 0, 'a whole number is a safe integer')
    holds(/^0x(?:[0-9a-f]{2})*$/.test(all.bytes) && /^0x[0-9a-f]{2}$/.test(all.flags), 'bytes are hex')
    holds(/^0x[0-9a-f]{64}$/.test(all.tx), 'a transaction id is well-formed')
    holds(Object.getPrototypeOf(all.userdata) === Object.prototype, 'userdata is a plain object')
  },
})

function acceptedOrRejected<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    holds(Object.keys(error.fields).length > 0, 'a refusal names a field')
    return undefined
  }
}

/** The body as the JSON parser returns it. */
function asSent(body: unknown): unknown {
  const sent = JSON.stringify(body)
  return sent === undefined ? undefined : JSON.parse(sent)
}

/** More parameters do not fit into the longest accepted URL. */
const MAX_PARAMETERS = 5000

/** The query as its parser returns it: texts and lists of texts, in an object without a prototype. */
function asQuery(query: unknown): unknown {
  const text = (value: unknown) => (typeof value === 'string' ? value : String(JSON.stringify(value)))
  const entries = typeof query === 'object' ? Object.entries(query ?? {}).slice(0, MAX_PARAMETERS) : []
  return Object.assign(
    Object.create(null),
    Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.map(text) : text(value)])),
  )
}
