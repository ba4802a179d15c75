import fc from 'fast-check'
import Fastify from 'fastify'
import { registerJsonParser } from '../../../packages/provider/src/http/endpoints/json.js'
import { sentParams } from '../../../packages/provider/src/http/endpoints/params.js'
import { sendError } from '../../../packages/provider/src/http/errors.js'
import { DDO_4, DESCRIPTORS } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, SECRET, target } from '../lib/target.js'

const app = Fastify({ bodyLimit: 262_144 })
app.setErrorHandler(sendError as never)
registerJsonParser(app)
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

/** Request bodies, up to their parameters. */
export default target({
  inputs: fc.record({
    body: fc.oneof(
      mutatedJson(fc.constantFrom<unknown>(DDO_4, ...DESCRIPTORS)),
      edgeCaseText(),
      fc.uint8Array({ maxLength: 50 }),
    ),
    type: types,
    query: edgeCaseText(),
  }),
  async read({ body, type, query }) {
    const payload = typeof body === 'string' ? body : Buffer.from(body)
    const url = `/?${encodeURI(query.replace(/[\ud800-\udfff]/g, ''))}`
    const { statusCode, body: response } = await app.inject({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': type },
    })
    holds(statusCode < 500, `no body causes a server error: ${statusCode} ${response.slice(0, 200)}`)
    holds(!response.includes(SECRET), 'no response leaks what was sent')
    JSON.parse(response)
  },
})
