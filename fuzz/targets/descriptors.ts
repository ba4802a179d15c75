import fc from 'fast-check'
import { StorageError } from '../../src/errors.js'
import { testRegistry } from '../../test/helpers/storage-tools.js'
import { fakeEgress } from '../lib/fake-egress.js'
import { DESCRIPTORS } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { oddJson } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const { egress, asked } = fakeEgress(() => {
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

/** Storage objects of every kind, up to the request that is made of them. */
export default target({
  inputs: fc.record({
    object: fc.oneof(
      { arbitrary: mutated<unknown>(fc.constantFrom(...DESCRIPTORS)), weight: 9 },
      { arbitrary: oddJson(), weight: 1 },
    ),
    values: userdata,
  }),
  async read({ object, values }) {
    const file = registry.file(object)
    file.check(values)
    const outline = file.outline()
    holds(outline === undefined || outline.valid, 'an outline is of a file that may be had')
    asked.length = 0
    const asking = { signal: new AbortController().signal, budget: 'paid', userdata: values } as const
    if (file.type !== 'ftp' && file.type !== 'sql') await refused(file.open({ ...asking, method: 'GET', headers: {} }))
    await refused(file.describe(asking))
    for (const { url, headers } of asked) {
      holds(/^https?:$/.test(new URL(url).protocol), 'a request goes to the web')
      for (const [name, value] of Object.entries(headers)) holds(new Headers([[name, value]]), 'a header can be sent')
    }
  },
})

/** There is nobody to answer. */
async function refused(asked: Promise<unknown>): Promise<void> {
  await asked.catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error
  })
}
