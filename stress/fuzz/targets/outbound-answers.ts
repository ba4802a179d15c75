import fc from 'fast-check'
import { DocumentReader } from '../../../packages/catalog/src/documents.js'
import { remoteCacheSource } from '../../../packages/catalog/src/remote-cache.js'
import { Purgatory } from '../../../packages/provider/src/access/rules/purgatory.js'
import { accessControl } from '../../../packages/provider/src/access/rules/rbac.js'
import { hint } from '../../../packages/provider/src/tasks/worker.js'
import { CACHED, CACHED_5, CHAIN_ID, CONSUMER, KEY, NFT } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const LISTS = [
  [{ did: CACHED.id, reason: 'x' }, { did: 'did:op:2' }],
  [{ address: CONSUMER, reason: 'x' }, { address: NFT.toLowerCase() }],
]
const text = fc.oneof(
  { arbitrary: mutatedJson(fc.constantFrom<unknown>(CACHED, CACHED_5, true, ...LISTS)), weight: 9 },
  { arbitrary: edgeCaseText(), weight: 1 },
)
const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
/** Runs the only task that is needed in this process; copies are fuzzed by `cached-copies`. */
const sandbox = { run: async (_task: string, input: string) => hint(input) }
const documents = new DocumentReader(sandbox as never, 100_000)
/** A chain that does not know the NFT, so that nothing from a cache is trusted. */
const nodes = { ask: async () => undefined }
const chains = new Map([[CHAIN_ID, { chainId: CHAIN_ID, keys: [KEY], nodes }]])

/** Responses of services that the operator configured: access control, purgatory lists, metadata caches. */
export default target({
  inputs: fc.record({ status: fc.constantFrom(200, 200, 200, 404, 500), body: text }),
  isRejection: ({ message }) => /^PURGATORY_\w+: the list /.test(message),
  async read({ status, body }) {
    const response = { status, json: parsed(body), text: body }
    const outbound = { get: async () => response, post: async () => response, text: async () => response } as never
    const allowed = await accessControl(
      'http://rbac.example',
      outbound,
    )({ event: 'access', provider: KEY.address }).then(
      () => true,
      (error: Error) => {
        if (error.name !== 'AccessError') throw error
        return false
      },
    )
    holds(allowed === (status === 200 && response.json === true), 'only a status of 200 with true allows access')
    const cache = remoteCacheSource({
      url: 'http://cache.example',
      chains: chains as never,
      outbound,
      documents,
      maxDocument: 100_000,
      ttl: 1,
      log: LOG as never,
    })
    holds((await cache.find(CACHED.id)) === undefined, 'nothing is trusted without the chain')
    const url = 'http://lists.example'
    const purgatory = new Purgatory({ assets: url, accounts: undefined, interval: 60_000, outbound, log: LOG as never })
    await purgatory.start().finally(() => purgatory.stop())
    purgatory.reasonFor('__proto__')
  },
})

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
