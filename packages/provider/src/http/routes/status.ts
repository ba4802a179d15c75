import { publicLimits } from '../../console/facts.js'
import { packageVersion } from '../../version.js'
import { type JsonSchema, json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'

const NUMBER: JsonSchema = { type: ['integer', 'null'] }
const CHAIN = named(
  'ChainStatus',
  object({
    chainId: { type: 'integer' },
    ready: {
      type: 'boolean',
      description: 'Whether the index is close to a recently seen head, and the clock agrees with it.',
    },
    head: { ...NUMBER, description: 'Head of the chain when it was last seen.' },
    block: { ...NUMBER, description: 'Last block that the index has read.' },
    lag: { ...NUMBER, description: 'Blocks left to read.' },
    age: { ...NUMBER, description: 'Milliseconds since the head was last seen.' },
  }),
)
const LIMIT: JsonSchema = { type: 'integer' }
const LIMITS = named(
  'Limits',
  object(
    {
      filesPerService: LIMIT,
      documentSize: { ...LIMIT, description: 'Bytes of a document.' },
      linkLifetime: { ...LIMIT, description: 'Seconds for which a download link is valid.' },
      checksumLength: { ...LIMIT, description: 'Bytes up to which checksums are computed.' },
      requestsPerMinute: { ...LIMIT, description: 'Requests of one address.' },
      bytesPerMinute: { ...LIMIT, description: 'Bytes of files for one address.' },
      requestsPerDay: { ...LIMIT, description: 'Downloads of one consumer.' },
      bytesPerDay: { ...LIMIT, description: 'Bytes of files for one consumer.' },
    },
    ['requestsPerMinute', 'bytesPerMinute', 'requestsPerDay', 'bytesPerDay'],
  ),
)

/** Public status. Unlike the readiness probe, it hides nodes, database and disk. */
export const status: Endpoint = {
  names: [],
  method: 'GET',
  path: `${PREFIX}/status`,
  nonce: 'none',
  doc: {
    operationId: 'getStatus',
    summary: 'Status for the public',
    description:
      'Version, progress of the index of every chain, and the limits that consumers and publishers may run into. Always 200: whether the service is ready is a field.',
    responses: {
      200: json(
        'The status.',
        named(
          'Status',
          object({
            version: { type: 'string' },
            ready: { type: 'boolean' },
            chains: { type: 'array', items: CHAIN },
            limits: LIMITS,
          }),
        ),
      ),
    },
  },
  register(app, { health, settings }) {
    const version = packageVersion()
    const limits = publicLimits(settings)
    app.get(this.path, async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return { version, ...(await health.status()), limits }
    })
  },
}
