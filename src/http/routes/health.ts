import { isCurrent } from '../../assets/index/freshness.js'
import { TROUBLES } from '../../state/trouble.js'
import { type JsonSchema, json, object } from '../docs.js'
import type { Endpoint } from '../endpoint.js'

const COUNT: JsonSchema = { type: ['integer', 'null'] }
const CHAIN = object({
  chainId: { type: 'integer' },
  block: { ...COUNT, description: 'Last block that the index has read.' },
  head: { ...COUNT, description: 'Head of the chain when it was last seen with the block that was read last.' },
  age: { ...COUNT, description: 'Milliseconds since then.' },
  lag: { ...COUNT, description: 'Blocks that are left to read.' },
  astray: { type: 'boolean', description: 'Whether the chain has other blocks by now than those that were read.' },
  rereading: { ...COUNT, description: 'Last block that was read anew, where the chain is read again.' },
  ready: { type: 'boolean' },
})
const READINESS = object(
  {
    ready: { type: 'boolean' },
    store: { type: 'boolean', description: 'Whether the database answers and takes what is written.' },
    storeTrouble: { enum: TROUBLES, description: 'What is wrong with the database, where something is.' },
    chains: { type: 'array', items: CHAIN },
  },
  ['storeTrouble'],
)

/** Whether the process answers at all. */
export const live: Endpoint = {
  names: [],
  method: 'GET',
  path: '/live',
  doc: {
    summary: 'Liveness',
    description: 'Answers as long as the process does.',
    responses: { 200: json('It does.', object({ live: { const: true } })) },
  },
  register(app) {
    app.get(this.path, async () => ({ live: true }))
  },
}

/** Whether requests should be sent here: the database answers, and the index of every chain is near a head seen lately. */
export const ready: Endpoint = {
  names: [],
  method: 'GET',
  path: '/ready',
  doc: {
    summary: 'Readiness',
    description:
      'Whether the database answers and the index of every chain is near its head, seen lately, with how far each has come.',
    responses: { 200: json('Ready.', READINESS), 503: json('Not ready yet, or not now.', READINESS) },
  },
  register(app, { store, progress, settings }) {
    app.get(this.path, async (_request, reply) => {
      const chains = progress().map((one) => ({ ...one, ready: isCurrent(one, settings) }))
      const trouble = await store.trouble()
      const all = !trouble && chains.every((one) => one.ready)
      const said = trouble ? { storeTrouble: trouble.kind } : {}
      return reply.code(all ? 200 : 503).send({ ready: all, store: !trouble, ...said, chains })
    })
  },
}
