import fc from 'fast-check'
import { StorageError } from '../../../packages/protocol/src/errors.js'
import { testRegistry } from '../../../test/helpers/storage-tools.js'
import { fakeEgress } from '../lib/fake-egress.js'
import { DESCRIPTORS } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { edgeCaseJson } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const { egress, requests } = fakeEgress(() => {
  throw new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.')
})
const gateways = ['https://gateway.example']
const registry = testRegistry(egress, {
  readContract: async () => '0x',
  gateways: { ipfs: gateways, filecoin: gateways, arweave: gateways },
})
const userdata = fc.constantFrom<Record<string, unknown> | undefined>(
  undefined,
  { day: '12' },
  { day: { a: [1] }, url: 'x', '': null, 'ü&=': 'é&#' },
  JSON.parse('{"__proto__":{"a":1},"day":"\\ud800"}'),
)

/** Storage objects of every kind, up to the requests that they cause. */
export default target({
  inputs: fc.record({
    object: fc.oneof(
      { arbitrary: mutated<unknown>(fc.constantFrom(...DESCRIPTORS)), weight: 9 },
      { arbitrary: edgeCaseJson(), weight: 1 },
    ),
    values: userdata,
  }),
  async read({ object, values }) {
    const file = registry.file(object)
    file.check(values)
    const outline = file.outline()
    holds(outline === undefined || outline.valid, 'an outline is of a valid file')
    requests.length = 0
    const asking = { signal: new AbortController().signal, budget: 'paid', userdata: values } as const
    if (file.type !== 'ftp' && file.type !== 'sql')
      await failsOrResolves(file.open({ ...asking, method: 'GET', headers: {} }))
    await failsOrResolves(file.describe(asking))
    for (const { url, headers } of requests) {
      holds(/^https?:$/.test(new URL(url).protocol), 'a request uses HTTP')
      for (const [name, value] of Object.entries(headers)) holds(new Headers([[name, value]]), 'a header can be sent')
    }
  },
})

/** The fake egress fails every request; any error but StorageError is a fault. */
async function failsOrResolves(pending: Promise<unknown>): Promise<void> {
  await pending.catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error
  })
}
