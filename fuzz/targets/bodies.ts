import fc from 'fast-check'
import Fastify from 'fastify'
import { sendError } from '../../src/http/errors.js'
import { boundJson } from '../../src/http/json.js'
import { sentParams } from '../../src/http/params.js'
import { DDO_4, DESCRIPTORS } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { oddText } from '../lib/odd.js'
import { holds, SECRET, target } from '../lib/target.js'

const app = Fastify({ bodyLimit: 262_144 })
app.setErrorHandler(sendError as never)
boundJson(app)
app.post('/', async (request) => Object.keys(sentParams(request)).length)
await app.ready()

const types = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/JSON',
  'x/\u00e9',
  '',
)

/** Bodies of requests, up to the parameters in them. */
export default target({
  inputs: fc.record({
    body: fc.oneof(
      mutatedJson(fc.constantFrom<unknown>(DDO_4, ...DESCRIPTORS)),
      oddText(),
      fc.uint8Array({ maxLength: 50 }),
    ),
    type: types,
    query: oddText(),
  }),
  async read({ body, type, query }) {
    const payload = typeof body === 'string' ? body : Buffer.from(body)
    const url = `/?${encodeURI(query.replace(/[\ud800-\udfff]/g, ''))}`
    const { statusCode, body: said } = await app.inject({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': type },
    })
    holds(statusCode < 500, `no body is the service's fault: ${statusCode} ${said.slice(0, 200)}`)
    holds(!said.includes(SECRET), 'no answer tells what was sent')
    JSON.parse(said)
  },
})
