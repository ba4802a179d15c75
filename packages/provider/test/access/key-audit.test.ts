import { afterEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { DocumentReader } from '../../../catalog/src/documents.js'
import { CHAIN, nftAt, published } from '../../../catalog/test/sql/published.js'
import type { Chain, Chains } from '../../../chain/src/chains.js'
import { encrypt } from '../../../protocol/src/crypto/ecies.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { countUnknown, KeyAudit } from '../../src/access/key-audit.js'
import { ProviderKeys } from '../../src/access/provider-keys.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import { TaskSandbox } from '../../src/tasks/task-sandbox.js'

const HERE = 'https://provider.example.com'
const [own, former] = [providerKey(`0x${'11'.repeat(32)}`), providerKey(`0x${'22'.repeat(32)}`)]
/** More than one page. */
const ASSETS = 45
const encrypted = (key: typeof own) => `0x${encrypt(key.publicKey, Buffer.from('{}')).toString('hex')}`

/** Returns the changes of the index that publish an asset with these services. */
function assetWith(at: number, services: { files: string; serviceEndpoint?: string }[]) {
  const nftAddress = nftAt(at)
  const common = { type: 'access', datatokenAddress: nftAddress, serviceEndpoint: HERE, timeout: 0 }
  const all = services.map((service, id) => ({ id: `${id}`, ...common, ...service }))
  return published(at, { name: 'tide' }, { version: '4.1.0', chainId: CHAIN, nftAddress, services: all }).changes
}

describe('the count of assets whose files need a missing key', () => {
  const ended: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end()
  })

  /** Counts assets of `files` for each position; from the position `until` on not before `resume` is called. */
  async function counting(filesOf: (at: number) => string, until: number) {
    const store = openSqliteStore(newFolder())
    ended.push(() => store.close())
    await store.milestones.recordFirst(`provider key ${CHAIN} ${former.address}`, 1)
    const changes = Array.from({ length: ASSETS }, (_, at) => assetWith(at + 1, [{ files: filesOf(at) }])).flat()
    await store.index.commit({ chainId: CHAIN, from: undefined, to: { block: 1, hash: '0x1' }, changes })
    const chains = new Map([[CHAIN, { chainId: CHAIN, key: own, keys: [own] }]]) as unknown as Chains
    const keys = await ProviderKeys.open(store.milestones, chains, { publicUrl: HERE, records: true })
    let resume = () => {}
    const resumed = new Promise<void>((resolve) => {
      resume = resolve
    })
    const reader = new DocumentReader({} as never, 1e6)
    let read = 0
    const stored: DocumentReader['stored'] = async (text) => {
      read += 1
      if (read > until) await resumed
      return reader.stored(text)
    }
    const told: object[] = []
    const log = { error: (facts: object) => told.push(facts), info: (facts: object) => told.push(facts) } as never
    const audit = new KeyAudit({
      ...{ index: store.index, documents: { stored }, keys, chains, log },
      ...{ isCurrent: () => true, leads: async () => true },
    })
    ended.push(() => audit.stop(), resume)
    audit.start()
    return { audit, told, resume, read: () => read }
  }
  it('is logged with the first page, and again when it is complete (threat 100)', async () => {
    const { audit, told, resume } = await counting(() => encrypted(former), 25)
    await eventually(() => audit.count(CHAIN) === 20)
    expect(told).toMatchObject([{ chainId: CHAIN, assets: 20, keys: [former.address] }])
    resume()
    await eventually(() => audit.count(CHAIN) === ASSETS)
    expect(told).toHaveLength(2)
  })

  it('is not told before it is complete, while there is none', async () => {
    const { audit, told, resume, read } = await counting((at) => encrypted(at < 40 ? own : former), 25)
    await eventually(() => read() > 25)
    expect(audit.count(CHAIN)).toBeUndefined()
    resume()
    await eventually(() => audit.count(CHAIN) === 5)
    expect(told).toHaveLength(1)
  })

  it('learns the own endpoint beside documents that each name a hundred others (threat 133)', async () => {
    const store = openSqliteStore(newFolder())
    ended.push(() => store.close())
    const files = encrypted(own)
    const others = (at: number) =>
      Array.from({ length: 100 }, (_, one) => ({ files, serviceEndpoint: `https://${at}-${one}.example.org` }))
    const changes = Array.from({ length: 27 }, (_, at) => assetWith(at + 1, at < 7 ? [{ files }] : others(at))).flat()
    await store.index.commit({ chainId: CHAIN, from: undefined, to: { block: 1, hash: '0x1' }, changes })
    const chain = { chainId: CHAIN, key: own, keys: [own] } as unknown as Chain
    const chains = new Map([[CHAIN, chain]])
    const keys = await ProviderKeys.open(store.milestones, chains, { publicUrl: undefined, records: true })
    const sandbox = new TaskSandbox()
    ended.push(() => sandbox.close())
    await countUnknown(chain, { index: store.index, documents: new DocumentReader(sandbox, 1e6), keys })
    await eventually(async () => (await store.milestones.recorded('provider endpoint ')).length > 0)
    expect(await store.milestones.recorded('provider endpoint ')).toMatchObject([{ name: HERE }])
  })
})
