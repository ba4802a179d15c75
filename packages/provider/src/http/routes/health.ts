import { FAULT_KINDS } from '@tidegate/database'
import { type JsonSchema, json, named, object } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'

const COUNT: JsonSchema = { type: ['integer', 'null'] }
const NODE_LIMITS = named(
  'NodeLimits',
  object({
    node: { type: 'string', description: 'Host of the node.' },
    limits: {
      type: 'array',
      items: { type: 'string' },
      description: 'Each limit in words, and why the node fails if it does.',
    },
  }),
)
const CHAIN = named(
  'ChainReadiness',
  object(
    {
      chainId: { type: 'integer' },
      block: { ...COUNT, description: 'Last block that the index has read.' },
      head: {
        ...COUNT,
        description: 'Head of the chain when it was last seen, at a node that has the last block that the index read.',
      },
      age: { ...COUNT, description: 'Milliseconds since the head was last seen.' },
      lag: { ...COUNT, description: 'Blocks left to read.' },
      astray: { type: 'boolean', description: 'Whether the chain has diverged from the blocks that the index read.' },
      rereading: { ...COUNT, description: 'Last block of the rebuild, while the index is being rebuilt.' },
      paused: {
        type: 'boolean',
        description: 'Whether the index pauses: the disk has less space than INDEX_DISK_FLOOR.',
      },
      nodes: {
        type: 'array',
        items: { type: 'boolean' },
        description: 'Whether each node answered when it was last asked, in the order of NETWORK_URL.',
      },
      factory: { type: 'boolean', description: 'False if no node knows a contract at the address of the factory.' },
      clock: {
        ...COUNT,
        description:
          'Seconds by which the clock of this machine is provably ahead of the chain, negative if it is behind; 0 if nothing proves an error, null while no head was seen.',
      },
      ready: { type: 'boolean' },
      quotes: {
        type: 'boolean',
        description: 'Whether orders are quoted: a download would not fail for a reason of this provider.',
      },
      limits: {
        type: 'array',
        items: NODE_LIMITS,
        description: 'Nodes that fail, or were found not to do something; absent if there is none.',
      },
    },
    ['limits'],
  ),
)
const READINESS = named(
  'Readiness',
  object(
    {
      ready: { type: 'boolean' },
      store: { type: 'boolean', description: 'Whether the database is reachable and accepts writes.' },
      storeTrouble: { enum: FAULT_KINDS, description: 'The fault of the database, if there is one.' },
      lastWrite: { ...COUNT, description: 'Milliseconds since this instance last wrote to the database.' },
      diskLeft: { ...COUNT, description: 'Bytes left on the disk of the embedded database.' },
      chains: { type: 'array', items: CHAIN },
      caller: { type: 'string', description: 'Address of the caller, as the limits by address count it.' },
    },
    ['storeTrouble', 'lastWrite', 'diskLeft'],
  ),
)

/** Liveness probe: succeeds if the process responds. */
export const live: Endpoint = {
  names: [],
  method: 'GET',
  path: '/live',
  nonce: 'none',
  doc: {
    operationId: 'getLiveness',
    summary: 'Liveness',
    description: 'Succeeds as long as the process responds.',
    responses: { 200: json('Live.', named('Liveness', object({ live: { const: true } }))) },
  },
  register(app) {
    app.get(this.path, async () => ({ live: true }))
  },
}

/** Readiness probe: succeeds if the database is healthy and the index of every chain is close to a recent head. */
export const ready: Endpoint = {
  names: [],
  method: 'GET',
  path: '/ready',
  nonce: 'none',
  doc: {
    operationId: 'getReadiness',
    summary: 'Readiness',
    description:
      'Whether the database is healthy and has room, and the index of every chain is close to a recently seen head, with the progress of each.',
    responses: { 200: json('Ready.', READINESS), 503: json('Not ready.', READINESS) },
  },
  register(app, { health }) {
    app.get(this.path, async (request, reply) => {
      const readiness = await health.readiness()
      return reply.code(readiness.ready ? 200 : 503).send({ ...readiness, caller: request.ip })
    })
  },
}
