import { readFileSync } from 'node:fs'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FoundOrder } from '../../packages/catalog/src/search/orders/order-fields.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { createApp } from '../../packages/provider/src/app.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { newFolder } from '../helpers/cleanup.js'
import { mined } from '../helpers/consume.js'
import { ocean } from '../helpers/ocean.js'
import { type PostgresDatabase, startPostgres } from '../helpers/postgres-database.js'
import type { Published } from '../helpers/publish.js'
import { ask, indexed } from '../helpers/requests.js'
import { type Service, startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'
import { filled, type Values } from './recording.js'

/** What a front end asks for on a page. `expects` says what its code reads from the answer. */
interface Call {
  call: string
  expects: string
  requests: { method: string; path: string; body: unknown }[]
}

type Json = Record<string, never>

const callsOf = (name: string): Call[] =>
  JSON.parse(readFileSync(new URL(`front-ends/${name}.json`, import.meta.url), 'utf8'))

/** Replays the requests of three market front ends, recorded from their code, and reads the answers as they do. */
describe('requests of front ends', () => {
  let world: World
  let owner: Wallet
  let owner5: Wallet
  /** Assets of version 4, oldest first: seven about tides, and one about wind. */
  let four: Published[]
  /** DIDs of version 5. */
  let five: string[]
  let values: Values
  beforeAll(async () => {
    world = await World.start()
    ;[owner, owner5] = [await world.somebody(), await world.somebody()]
    four = []
    for (const at of [1, 2, 3, 4, 5, 6, 7, 8])
      four.push(
        await publish(owner, at === 8 ? 'Wind roses' : `Tide tables ${at}`, at === 8 ? ['wind'] : ['tides', 'csv']),
      )
    five = [await publishFive('Tide heights'), await publishFive('Tide currents')]
    const [consumer, second] = [await world.somebody(), four[1] as Published]
    await world.indexed(await world.order(second, consumer))
    const [first] = four as [Published]
    values = {
      ...{ nft: first.nft, did: first.did, datatoken: first.datatoken, digits: first.did.slice('did:op:'.length) },
      ...{ did2: second.did, datatoken2: second.datatoken, did5: five[0] as string, otherDid5: five[1] as string },
      ...{ owner: owner.address, ownerLower: owner.address.toLowerCase(), consumer: consumer.address },
      ...{ owner5Lower: owner5.address.toLowerCase(), consumer5: consumer.address, origin: world.network.providerUrl },
    }
  })
  afterAll(() => world.close())

  const publish = (publisher: Wallet, name: string, tags: string[]) =>
    world.publishUrl(world.storage.file(`/${name.replaceAll(' ', '-')}.csv`, Buffer.from(name)), {
      publisher,
      adjust: ({ metadata }) => Object.assign(metadata, { name, tags, description: 'Heights by the hour' }),
    })

  /** Publishes an asset with a document of version 5. Returns its DID. */
  async function publishFive(name: string): Promise<string> {
    const { chainId, providerUrl } = world.network
    const { ddo, nft } = await publish(owner5, name, ['tides'])
    const { '@context': _, id: _id, version: _version, ...credentialSubject } = ddo
    const id = didOf(nft as `0x${string}`, chainId, 5)
    const document = { '@context': ['https://www.w3.org/ns/credentials/v2'], id, version: '5.0.0', credentialSubject }
    const data = await ocean.ProviderInstance.encrypt(document as never, chainId, providerUrl)
    const hash = `0x${ocean.getHash(JSON.stringify(document))}`
    const contract = new ocean.Nft(owner5, chainId)
    await world.indexed(await mined(contract.setMetadata(nft, owner5.address, 0, '', '', '0x02', data, hash)))
    return id
  }

  /** Sends the request of a call. */
  async function replay(front: string, call: string, origin = world.network.providerUrl): Promise<Json> {
    const [request] = callsOf(front).find((one) => one.call === call)?.requests ?? []
    if (!request) throw new Error(`${front} has no call ${call}.`)
    const body = await filled(JSON.stringify(request.body), values, () => Promise.reject(new Error('unsigned')))
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(origin + request.path, { method: request.method, headers, body })
    expect(answer.status, `${call}: ${answer.text.slice(0, 300)}`).toBe(200)
    return answer.json as Json
  }

  const dids = (documents: { id: string }[] = []) => documents.map(({ id }) => id)
  const newestFirst = () => four.map(({ did }) => did).reverse()
  const tides = () => newestFirst().slice(1)

  /** What the reader of a call gets. */
  type Expected = Record<string, (answer: Json) => void>

  /** The market reads the first element of the answer as its documents. */
  const documents = (answer: Json) => dids((answer as unknown as { id: string }[][])[0])
  const sorted = (list: string[]) => [...list].sort()
  const sameSet = (expected: () => string[]) => (answer: Json) =>
    expect(sorted(documents(answer))).toEqual(sorted(expected()))
  const inOrder = (expected: () => string[]) => (answer: Json) => expect(documents(answer)).toEqual(expected())

  const market: Expected = {
    'home: recently published (queryMetadata)': inOrder(() => newestFirst().slice(0, 6)),
    'home: getTopTags': sameSet(newestFirst),
    'footer: queryStats'(answer) {
      const [found] = answer as unknown as { indexedMetadata: { stats: { orders: number }[] } }[][]
      expect(found?.reduce((sum, { indexedMetadata }) => sum + (indexedMetadata.stats[0]?.orders ?? 0), 0)).toBe(1)
    },
    'home: bookmarks (getAssetsFromDids)': sameSet(() => [values.did, values.did2] as string[]),
    'search: text "tide", by relevance'(answer) {
      const found = documents(answer)
      expect(sorted(found.slice(0, -1))).toEqual(sorted(tides()))
      // its datatoken is called "Access to tide tables", like that of the others
      expect(found.at(-1)).toBe(newestFirst()[0])
    },
    'search: text with special characters': (answer) => expect(answer).toBeInstanceOf(Array),
    'search: a DID': (answer) => expect(documents(answer)[0]).toBe(values.did),
    'search: a tag': inOrder(tides),
    'search: page 2 of 5 ("page" is a text)': inOrder(() => newestFirst().slice(5)),
    'search: by price': sameSet(newestFirst),
    'search: "Sales" sort (indexedMetadata.events.block, no such field)': sameSet(newestFirst),
    'asset: related by tags'(answer) {
      expect(documents(answer)).toHaveLength(4)
      expect(documents(answer)[0]).toBe(values.did2)
      expect(documents(answer)).not.toContain(values.did)
    },
    'profile: getUserSales'(answer) {
      const [found] = answer as unknown as { indexedMetadata: { stats: { orders: number }[] } }[][]
      expect(found?.reduce((sum, { indexedMetadata }) => sum + (indexedMetadata.stats[0]?.orders ?? 0), 0)).toBe(1)
    },
    'profile: getDownloadAssets': sameSet(() => [values.did, values.did2] as string[]),
    'profile: getUserOrders 0xA78d'(answer) {
      const [[order]] = answer as unknown as [[FoundOrder]]
      expect(order).toMatchObject({ consumer: values.consumer, payer: values.consumer, did: values.did2 })
      expect(order).toMatchObject({ datatokenAddress: values.datatoken2, type: 'startOrder', chainId: 8996 })
      expect([order.orderId, order.timestamp]).toEqual([expect.stringMatching(/^0x\w{64}$/), expect.any(Number)])
    },
  }

  interface Page {
    results: { id: string }[]
    totalResults: number
  }
  /** The Enterprise market reads the first element as a page with the number of all results. */
  const page = (found: () => string[], total = () => five.length) => {
    return (answer: Json) => {
      const [{ results, totalResults } = { results: [], totalResults: 0 }] = answer as unknown as Page[]
      expect([sorted(dids(results)), totalResults]).toEqual([sorted(found()), total()])
    }
  }
  const enterprise: Expected = {
    'search: all, by date': page(() => five),
    'search: asset states 0 and 5': page(() => five),
    'search: text "tide"': page(() => five),
    'search: a tag': page(
      () => [],
      () => 0,
    ),
    'search: page 2 of 2': page(() => five),
    'search: by token symbol': page(() => five),
    'bookmarks: getAssetsFromDids': page(() => five),
    'profile: getPublishedAssets': page(() => five),
    'publish: getTagsList': page(() => five),
  }

  interface Hits {
    hits: { total: { value: number }; hits: { _source: { id: string } }[] }
    aggregations: { topPublishers: { buckets: { key: string; totalSales: { value: number } }[] } }
  }
  const hits = (expected: () => string[]) => (answer: Json) => {
    const { hits } = answer as unknown as Hits
    expect(sorted(dids(hits.hits.map(({ _source }) => _source)))).toEqual(sorted(expected()))
  }
  const portal: Expected = {
    'home: recently published'(answer) {
      const { hits } = answer as unknown as Hits
      expect([hits.hits.length, hits.total.value]).toEqual([6, four.length])
      for (const { _source } of hits.hits) expect(newestFirst()).toContain(_source.id)
    },
    'home: getTopAssetsPublishers'(answer) {
      const [first] = (answer as unknown as Hits).aggregations.topPublishers.buckets
      expect(first).toMatchObject({ key: owner.address, totalSales: { value: 1 } })
    },
    'bookmarks: getAssetsFromDids': hits(() => [values.did, values.did2] as string[]),
    'search: all, by date, page of 21': hits(newestFirst),
    'search: text "tide"': hits(newestFirst),
    'search: an owner address': hits(newestFirst),
    'search: saas': hits(() => []),
    'search: a tag': hits(tides),
    'search: by price': hits(newestFirst),
    'asset: getAssetsNames': (answer) => expect(answer).toEqual({ [values.did as string]: 'Tide tables 1' }),
    'asset: related by owner': (answer) => expect((answer as unknown as Hits).hits.hits).toHaveLength(4),
    'profile: getPublishedAssets': hits(newestFirst),
    'profile: getDownloadAssets': hits(() => [values.did, values.did2] as string[]),
  }

  it('oe: profile: getUserOrders, with ORDERS_FORM=enterprise', async () => {
    const app = await createApp(loadSettings(world.beside({ ORDERS_FORM: 'enterprise' })))
    try {
      const origin = await app.listen()
      await indexed(origin)
      const [page] = (await replay('oe', 'profile: getUserOrders', origin)) as unknown as {
        results: FoundOrder[]
        totalResults: number
      }[]
      expect(page).toMatchObject({ results: [{ did: values.did2, consumer: values.consumer }], totalResults: 1 })
    } finally {
      await app.close()
    }
  })

  describe.each(['embedded', 'PostgreSQL'])('on the %s database', (kind) => {
    let service: Service
    let postgres: PostgresDatabase | undefined
    beforeAll(async () => {
      postgres = kind === 'PostgreSQL' ? await startPostgres() : undefined
      const database = postgres ? { DATABASE_URL: postgres.url() } : {}
      service = await startHere(world.beside({ ...database, STATE_DIR: newFolder() }))
      await indexed(service.url)
    })
    afterAll(async () => {
      await service.end()
      await postgres?.close()
    })

    const filter = () => [{ term: { 'indexedMetadata.nft.owner': values.owner5Lower } }]
    const sort = { 'indexedMetadata.event.block': 'desc' }
    const aggs = { totalOrders: { sum: { field: 'indexedMetadata.stats.orders' } } }
    it.each([
      ['alone', {}],
      ['sorted, with sums', { sort, aggs }],
      ['without a count', { track_total_hits: false, sort }],
      ['with a count of one', { track_total_hits: 1, sort }],
    ])('a page of version 5 past the end is the last one: %s', async (_, more) => {
      const pageOf = async (from: number, size: number) => {
        const body = JSON.stringify({
          index: 'op_ddo_v5.0.0',
          from,
          size,
          query: { bool: { filter: filter() } },
          ...more,
        })
        const headers = { 'content-type': 'application/json' }
        const path = '/api/aquarius/assets/metadata/query'
        const { json } = await ask(service.url + path, { method: 'POST', headers, body })
        const [{ results, totalResults }] = json as unknown as [Page]
        return [dids(results), totalResults] as const
      }
      const [whole] = await pageOf(0, 9)
      expect(sorted(whole)).toEqual(sorted(five))
      expect(await pageOf(1, 9)).toEqual([whole, 2])
      expect(await pageOf(1, 1)).toEqual([whole.slice(1), 2])
      expect(await pageOf(7, 1)).toEqual([whole.slice(1), 2])
    })
  })

  for (const [name, expected] of Object.entries({ market, oe: enterprise, mvg: portal }))
    it.each(Object.keys(expected))(`${name}: %s`, async (call) => expected[call]?.(await replay(name, call)))
})
