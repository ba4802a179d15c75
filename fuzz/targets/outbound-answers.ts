import fc from 'fast-check'
import { Purgatory } from '../../src/access/purgatory.js'
import { accessControl } from '../../src/access/rbac.js'
import { DocumentReader } from '../../src/assets/documents.js'
import { remoteCacheSource } from '../../src/assets/remote-cache.js'
import { hint } from '../../src/sandbox/worker.js'
import { CACHED, CACHED_5, CHAIN_ID, CONSUMER, KEY, NFT } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { oddText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const LISTS = [
  [{ did: CACHED.id, reason: 'x' }, { did: 'did:op:2' }],
  [{ address: CONSUMER, reason: 'x' }, { address: NFT.toLowerCase() }],
]
const text = fc.oneof(
  { arbitrary: mutatedJson(fc.constantFrom<unknown>(CACHED, CACHED_5, true, ...LISTS)), weight: 9 },
  { arbitrary: oddText(), weight: 1 },
)
const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
/** The one task that is asked for, here: copies are fuzzed by `cached-copies`. */
const sandbox = { run: async (_task: string, input: string) => hint(input) }
const documents = new DocumentReader(sandbox as never, 100_000)
/** A chain on which the NFT is not known: nothing that a cache says is believed. */
const nodes = { ask: async () => undefined }
const chains = new Map([[CHAIN_ID, { chainId: CHAIN_ID, keys: [KEY], nodes }]])

/** Answers of the services that an operator has named: access control, purgatory lists, metadata caches. */
export default target({
  inputs: fc.record({ status: fc.constantFrom(200, 200, 200, 404, 500), said: text }),
  refuses: ({ message }) => /^PURGATORY_\w+: the list /.test(message),
  async read({ status, said }) {
    const answer = { status, json: parsed(said), text: said }
    const outbound = { get: async () => answer, post: async () => answer, text: async () => answer } as never
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
    holds(allowed === (status === 200 && answer.json === true), 'only a plain yes is one')
    const cache = remoteCacheSource({
      url: 'http://cache.example',
      chains: chains as never,
      outbound,
      documents,
      ttl: 1,
      log: LOG as never,
    })
    holds((await cache.find(CACHED.id)) === undefined, 'nothing is believed that the chain does not say')
    const url = 'http://lists.example'
    const purgatory = new Purgatory({ assets: url, accounts: undefined, interval: 60_000, outbound, log: LOG as never })
    await purgatory.start().finally(() => purgatory.stop())
    purgatory.reasonFor('__proto__')
  },
})

function parsed(said: string): unknown {
  try {
    return JSON.parse(said)
  } catch {
    return undefined
  }
}
