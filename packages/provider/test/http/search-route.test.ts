import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers, type Wallet } from 'ethers'
import Database from 'libsql'
import { beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { readSearch } from '../../../catalog/src/search/request/request.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

interface Answer {
  hits: {
    total: { value: number; relation: string }
    max_score: number | null
    hits: { _id: string; _score: number | null; _source: Record<string, never> }[]
  }
  aggregations?: Record<string, { value?: number; buckets?: { key: string; doc_count: number }[] }>
  _shards: object
}

describe('search, end to end', () => {
  let world: World
  let publisher: Wallet
  beforeAll(async () => {
    world = await World.start()
    publisher = await world.somebody()
  })

  const post = (body: unknown, path = 'query', base = world.network.providerUrl) =>
    ask(`${base}/api/aquarius/assets/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  async function search(body: unknown, base?: string): Promise<Answer> {
    const { status, json, text } = await post(body, 'query', base)
    expect(status, text).toBe(200)
    return json as unknown as Answer
  }
  const found = async (words: string, base?: string) =>
    (await search({ query: { match: { 'metadata.name': words } } }, base)).hits.hits.map(({ _id }) => _id)
  const publish = (name: string, tags: string[] = []) =>
    world.publishUrl(world.storage.file(`/${name}.csv`, Buffer.from(name)), {
      publisher,
      adjust: (ddo) => Object.assign(ddo.metadata, { name, tags }),
    })
  /** Republishes the document with another name. */
  async function rename(asset: Published, name: string): Promise<string> {
    const { chainId, providerUrl } = world.network
    const ddo = { ...asset.ddo, metadata: { ...asset.ddo.metadata, name } }
    const data = await ocean.ProviderInstance.encrypt(ddo as never, chainId, providerUrl)
    const hash = `0x${ocean.getHash(JSON.stringify(ddo))}`
    const nft = new ocean.Nft(publisher, chainId)
    const txId = await mined(nft.setMetadata(asset.nft, publisher.address, 0, '', '', '0x02', data, hash))
    await world.indexed(txId)
    return txId
  }

  it('finds published assets, by their new words after an update, and no revoked ones', async () => {
    const asset = await publish('heron', ['wading'])
    expect(await found('heron')).toEqual([asset.did])
    await rename(asset, 'egret')
    expect(await found('heron')).toEqual([])
    expect(await found('egret')).toEqual([asset.did])
    // documents of the library are served without being parsed
    const scope = { chains: [world.network.chainId], encrypted: true, purgatory: [] }
    const every = readSearch({ query: { ids: { values: [asset.did] } } })
    const { assets } = await world.local.app.context.store.search.find(every, scope)
    const [service] = asset.ddo.services
    expect(assets.get(asset.did)?.services).toBe(JSON.stringify([[service?.id, service?.datatokenAddress]]))
    const { hits } = await search({
      query: { term: { 'metadata.tags': 'wading' } },
      _source: ['id', 'nft.owner', 'services.files'],
    })
    expect(hits).toMatchObject({ total: { value: 1, relation: 'eq' }, max_score: 1 })
    const counting = async (most: unknown) =>
      (await search({ query: { match_all: {} }, track_total_hits: most })).hits.total as unknown
    expect(await counting(true)).toMatchObject({ relation: 'eq' })
    expect(await counting(0)).toEqual({ value: 0, relation: 'gte' })
    expect(await counting(false)).toBeUndefined()
    expect(hits.hits[0]?._source).toMatchObject({ id: asset.did, nft: { owner: publisher.address } })
    const whole = (await search({ query: { ids: { values: [asset.did] } } })).hits.hits[0]?._source
    expect(whole).toEqual((await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)).json)
    const listed = await post({ query: { match: { 'metadata.name': 'egret' } } }, 'metadata/query')
    expect(listed.json).toEqual([whole])
    const odd = await post({ track_total_hits: 'many' }, 'metadata/query')
    expect([odd.status, JSON.stringify(odd.json)]).toEqual([400, expect.stringContaining('track_total_hits')])
    const nft = new ethers.Contract(asset.nft, ['function setMetaDataState(uint8)'], publisher)
    for (const [state, dids] of [
      [5, [asset.did]],
      [3, []],
      [4, []],
      [0, [asset.did]],
    ] as const) {
      const transactionHash = await mined(nft.setMetaDataState?.(state) as never)
      await world.indexed(transactionHash)
      expect(await found('egret'), `state ${state}`).toEqual(dids)
    }
  })

  it('finds nothing by file, nor by a field that does not exist', async () => {
    const asset = await publish('secretary')
    const [service] = asset.ddo.services as unknown as { files: string }[]
    for (const query of [
      { term: { 'services.files': service?.files.slice(0, 200) } },
      { exists: { field: 'services.files' } },
      { query_string: { query: 'services.files:0x*' } },
      { match: { 'services.files': service?.files.slice(0, 200) } },
      { query_string: { query: '"secretary.csv"' } },
    ])
      expect((await search({ query })).hits.total.value, JSON.stringify(query).slice(0, 100)).toBe(0)
  })

  it('sorts by orders and sums them, and aggregates the values of fields', async () => {
    const [few, many] = [await publish('curlew', ['shore']), await publish('curlew two', ['shore', 'rare'])]
    for (const asset of [many, many, few]) {
      const buyer = await world.somebody()
      await world.indexed(await world.order(asset, buyer))
    }
    const body = {
      query: { match: { 'metadata.name': 'curlew' } },
      sort: { 'stats.orders': 'desc' },
      aggs: { orders: { sum: { field: 'stats.orders' } }, tags: { terms: { field: 'metadata.tags.keyword' } } },
    }
    const { hits, aggregations } = await search(body)
    expect(hits.hits.map(({ _id, _score }) => [_id, _score])).toEqual([
      [many.did, null],
      [few.did, null],
    ])
    expect(aggregations?.orders).toEqual({ value: 3 })
    expect(aggregations?.tags?.buckets).toEqual([
      { key: 'shore', doc_count: 2 },
      { key: 'rare', doc_count: 1 },
    ])
    const byOrders = await search({
      query: { bool: { filter: [body.query, { range: { 'stats.orders': { gte: 2 } } }] } },
    })
    expect(byOrders.hits.hits.map(({ _id }) => _id)).toEqual([many.did])
  })

  it('rolls back what a reorganisation drops (threat 33)', async () => {
    const asset = await publish('plover')
    const txId = await rename(asset, 'lapwing')
    const later = await publish('dotterel')
    expect([await found('plover'), await found('lapwing'), await found('dotterel')]).toEqual([
      [],
      [asset.did],
      [later.did],
    ])
    const { blockNumber } = await world.provider.getTransactionReceipt(txId)
    const head = Number(await world.rpc('eth_blockNumber'))
    await world.reorganise(head - blockNumber + 1)
    // 502 while the index still contains dropped blocks
    const back = { query: { match: { 'metadata.name': 'plover' } } }
    await eventually(async () => ((await post(back)).json as unknown as Answer).hits?.total.value === 1)
    expect([await found('plover'), await found('lapwing'), await found('dotterel')]).toEqual([[asset.did], [], []])
  })

  it('answers the requests of released clients', async () => {
    const requests = JSON.parse(
      readFileSync(new URL('../../../catalog/test/search/fixtures/requests.json', import.meta.url), 'utf8'),
    ) as object
    for (const [name, body] of Object.entries(requests)) expect((await post(body)).status, name).toBe(200)
    const library = await new ocean.Aquarius(world.network.providerUrl).querySearch({
      query: { match_all: {} },
    } as never)
    expect(library.hits.total.value).toBeGreaterThan(0)
  })

  it('refuses unsupported queries with a reason, and never fails on any input', async () => {
    const named = await post({ query: { bool: { should: [{ fuzzy: {} }] } } })
    expect([named.status, named.json.errors]).toEqual([
      400,
      { query: ['The query construct "fuzzy" is not supported.'] },
    ])
    const hostile: unknown[] = [
      '{"__proto__": {"query": 1}}',
      '{"query": {"__proto__": {}}}',
      '{',
      '[]',
      '1',
      '"text"',
      'null',
      '{"query": null}',
      `{"query": ${'{"bool":{"must":'.repeat(20_000)}`,
      `{"query": {"terms": {"a": [${'1,'.repeat(50_000)}1]}}}`,
      { query: { match: { a: 'x'.repeat(300_000) } } },
      { query: { term: { "a' OR 1=1 --": "'; DROP TABLE search_document; --" } } },
      { query: { query_string: { query: '"a\\" OR search_text MATCH \\"*" NEAR(a b) {x y}: ^a' } } },
      { query: { query_string: { query: '\u0000 \ud800 \u202e' } } },
      { query: { match_phrase: { 'metadata.name': '\u0000 a \ud800' } } },
      { query: { terms: { id: ['?', '$1', ':name', '%', '\\'] } }, sort: [{ '?); --': 'asc' }] },
      { query: { range: { 'nft.state': { gte: 1e308, lte: -1e308 } } } },
      { aggs: { __proto__2: { terms: { field: 'metadata.tags' } }, constructor: { sum: { field: "x'" } } } },
      {
        query: {
          bool: {
            should: Array.from({ length: 200 }, (_, at) => ({
              bool: { must: [{ match: { a: `w${at}` } }, { terms: { b: ['1', '2'] } }] },
            })),
          },
        },
      },
    ]
    for (const body of hostile) {
      const { status, text } = await post(body)
      expect([200, 400, 413], `${JSON.stringify(body).slice(0, 100)}: ${text.slice(0, 200)}`).toContain(status)
    }
    expect((await search({})).hits.total.value).toBeGreaterThan(0)
  })

  it('finds no encrypted documents when reading them is restricted, and does not hide purgatory', async () => {
    const asset = await publish('sanderling')
    const list = world.storage.file(
      '/purgatory.json',
      Buffer.from(JSON.stringify([{ did: asset.did, reason: 'stolen' }])),
    )
    for (const [changed, name, expected] of [
      [{ AUTHORIZED_DECRYPTERS: JSON.stringify([publisher.address]) }, 'sanderling', []],
      [
        { AUTHORIZED_DECRYPTERS_LIST: JSON.stringify({ [world.network.chainId]: [publisher.address] }) },
        'sanderling',
        [],
      ],
      [{ PURGATORY_ASSETS: list }, 'sanderling', [asset.did]],
    ] as const) {
      const beside = await createApp(loadSettings(world.beside(changed)))
      try {
        const url = await beside.listen()
        await eventually(async () => (await post({}, 'query', url)).status === 200)
        expect(await found(name, url)).toEqual(expected)
        const state = async (value: boolean) =>
          (
            await search(
              {
                query: {
                  bool: {
                    must: [{ match: { 'metadata.name': name } }],
                    filter: [{ term: { 'purgatory.state': value } }],
                  },
                },
              },
              url,
            )
          ).hits.hits
        if (expected.length > 0) {
          expect((await state(true))[0]?._source).toMatchObject({ purgatory: { state: true, reason: 'stolen' } })
          expect(await state(false)).toEqual([])
        }
      } finally {
        await beside.close()
      }
    }
  })

  it('builds the search index of existing documents, and answers 503 until then', async () => {
    const { context } = world.local.app
    const asset = await publish('dunlin')
    const db = new Database(join(context.settings.STATE_DIR, 'tidegate.sqlite'))
    db.exec('DELETE FROM search_value; DELETE FROM search_text; DELETE FROM search_document')
    db.exec('INSERT INTO search_pending (chain_id, nft) SELECT chain_id, nft FROM index_asset')
    db.close()
    const early = await post({})
    expect([early.status, early.json.code]).toEqual([503, 'SEARCH_UNAVAILABLE'])
    while (await context.store.search.buildSome());
    expect(await found('dunlin')).toEqual([asset.did])
    expect((await search({ query: { term: { 'metadata.tags': 'rare' } } })).hits.total.value).toBe(1)
  })
})
