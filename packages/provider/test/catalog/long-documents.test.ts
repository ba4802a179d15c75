import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Address, bytesToHex, encodeFunctionData, hexToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { deployed } from '../../../../test/helpers/contracts.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { batched, publishMany } from '../../../../test/helpers/many-assets.js'
import { HELD, heldBy } from '../../../../test/helpers/measured.js'
import { metricOf } from '../../../../test/helpers/measures.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { sized } from '../../../../test/helpers/sizes.js'
import { World } from '../../../../test/helpers/world.js'
import { CATALOG_LIMITS } from '../../../catalog/src/limits.js'
import { ARTIFACTS, artifact } from '../../../dev-network/src/contracts.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { PROTOCOL_LIMITS } from '../../../protocol/src/limits.js'
import { type App, createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const NFT = artifact(ARTIFACTS.ERC721Template).abi
const SHARE = sized(21, 200)
const SIZE = sized(350_000, 1_000_000)
const LIMITS = CATALOG_LIMITS.search as { longDocuments: number }
/**
 * Characters of long documents in one response: as many documents as of a megabyte by default. The response is longer than the
 * buffers of a connection, so that a client that does not read holds it up.
 */
const LONG_DOCUMENTS = sized(6_000_000, LIMITS.longDocuments)

interface Document {
  id: string
  metadata: { name: string; description: string; tags: string[]; author: string }
  services: object[]
  indexedMetadata: { shortened?: boolean }
}
interface Hit {
  _id: string
  _source: Document
}

/** As many assets with long documents as honest ones, on a chain that two services follow. */
describe('long documents in the catalogue', () => {
  let world: World
  let postgres: PostgresDatabase
  const apps = new Map<string, { app: App; base: string }>()
  const folder = newFolder()
  const purgatory = join(folder, 'purgatory.json')
  let long: string[]
  const texts = new Map<string, string>()

  const served = LIMITS.longDocuments
  beforeAll(async () => {
    LIMITS.longDocuments = LONG_DOCUMENTS
    ;[world, postgres] = await Promise.all([World.start(), startPostgres()])
    const { rpcUrl, chainId } = world.network
    const factory = world.local.app.context.chains.get(chainId)?.deployment.factory as Address
    const batch = await deployed(rpcUrl, 'Batch')
    const { publicKey } = privateKeyToAccount(world.beside().PROVIDER_PRIVATE_KEY as Address)
    const count = 2 * SHARE
    const nfts = await publishMany(rpcUrl, { factory, batch, publicKey: hexToBytes(publicKey), count, chainId })
    // the index of a third service would take as long as the other two each
    await world.local.app.close()
    const calls = nfts.map((nft, at) => {
      const isLong = at % 2 === 0
      const name = `${isLong ? 'barge' : 'heron'} ${at}`
      // one honest document is long itself
      const description = isLong ? longText(at < 6) : `wading bird ${at} `.repeat(at === 1 ? 6_000 : 300).trim()
      const service = { id: 'a', type: 'access', files: '0x', datatokenAddress: nft, serviceEndpoint: 'http://x' }
      const metadata = { name, description, author: 'port', type: 'dataset', tags: [isLong ? 'long' : 'honest'] }
      const services = [{ ...service, timeout: 0, consumerParameters: [] }]
      const ddo = { id: didOf(nft, chainId), version: '4.1.0', chainId, nftAddress: nft, metadata, services }
      const plain = Buffer.from(JSON.stringify(ddo))
      texts.set(ddo.id, plain.toString())
      const args = [0, '', '', '0x00', bytesToHex(plain), hashOf(plain), []]
      return { to: nft, data: encodeFunctionData({ abi: NFT, functionName: 'setMetaData', args }) }
    })
    const dids = nfts.map((nft) => didOf(nft, chainId))
    long = dids.filter((_, at) => at % 2 === 0)
    writeFileSync(purgatory, JSON.stringify(long.slice(0, 3).map((did) => ({ did, reason: 'spam' }))))
    // each in a transaction of its own, with up to a megabyte of calldata
    for (const call of calls) await batched(rpcUrl, batch, [call])
    for (const [name, place] of [
      ['sqlite', {}],
      ['postgres', { DATABASE_URL: postgres.url() }],
    ] as const) {
      const more = { PURGATORY_ASSETS: purgatory, CONSUMER_STALL_TIMEOUT: '1000', METRICS_PORT: '0' }
      const app = await createApp(loadSettings(world.beside({ STATE_DIR: join(folder, name), ...place, ...more })))
      apps.set(name, { app, base: await app.listen() })
    }
    const head = await world.provider.getBlockNumber()
    for (const { app } of apps.values())
      await eventually(async () => ((await app.context.store.index.cursor(chainId))?.block ?? -1) >= head)
  })
  afterAll(async () => {
    LIMITS.longDocuments = served
    for (const { app } of apps.values()) await app.close()
  })

  /** Random words, few of which the whole text repeats: to pack and index none twice takes most of the time of a document. */
  const longText = (isVaried: boolean) => {
    const words = randomBytes(isVaried ? SIZE / 2 : SIZE / 40)
    return words
      .toString('hex')
      .replace(/.{9}/g, '$& ')
      .repeat(isVaried ? 1 : 20)
      .slice(0, SIZE)
      .trim()
  }
  const hashOf = (bytes: Uint8Array) => `0x${createHash('sha256').update(bytes).digest('hex')}`

  async function answer(name: string, body: object, path = 'query') {
    const response = await fetch(`${apps.get(name)?.base}/api/aquarius/assets/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect(response.status, `${JSON.stringify(body)} ${text.slice(0, 300)}`).toBe(200)
    return { text, json: JSON.parse(text) }
  }
  const hitsOf = async (name: string, body: object) => (await answer(name, body)).json.hits.hits as Hit[]
  const isLong = ({ id }: Document) => long.includes(id)

  /** Checks that a document is that of its asset, complete or marked as shortened. Returns whether it is complete. */
  function checked(document: Document): boolean {
    const { metadata, id } = document
    const own = JSON.parse(texts.get(id) as string) as Document
    if (document.indexedMetadata.shortened !== true) {
      expect({ metadata, services: document.services }).toEqual({ metadata: own.metadata, services: own.services })
      return true
    }
    expect(isLong(document)).toBe(true)
    expect(document).toMatchObject({ chainId: 8996, version: '4.1.0', nftAddress: expect.any(String), nft: {} })
    expect(metadata).toMatchObject({ name: own.metadata.name, author: 'port', type: 'dataset', tags: ['long'] })
    expect(own.metadata.description.startsWith(metadata.description)).toBe(true)
    expect(document.services).toMatchObject([{ id: 'a', type: 'access', timeout: 0 }])
    expect(JSON.stringify(document).length).toBeLessThan(PROTOCOL_LIMITS.shortened.size + 4096)
    return false
  }

  describe.each(['sqlite', 'postgres'])('on %s', (name) => {
    it('refuse no page and no search, and hide no honest asset (threat 89)', async () => {
      const held = await heldBy(async () => {
        for (const size of [0, 1, 10, 1000])
          for (const from of [0, SHARE, 2 * SHARE - 1, 5000]) {
            const hits = await hitsOf(name, { from, size })
            expect(hits).toHaveLength(Math.max(0, Math.min(size, 2 * SHARE - from)))
            for (const { _source } of hits) checked(_source)
          }
        const whole = (await hitsOf(name, { size: 1000 })).map(({ _source }) => _source)
        expect(whole.filter((one) => !isLong(one))).toHaveLength(SHARE)
        const complete = whole.filter((one) => isLong(one) && checked(one))
        expect(complete.length).toBeGreaterThanOrEqual(10)
        expect(complete.length * SIZE).toBeLessThanOrEqual(LIMITS.longDocuments)
        const { text, json } = await answer(name, { size: 1000 }, 'metadata/query')
        expect(json.map(({ id }: Document) => id)).toEqual(whole.map(({ id }) => id))
        expect(text.length).toBeLessThan(LIMITS.longDocuments + 2 * SHARE * PROTOCOL_LIMITS.shortened.size)
        // every form of search
        for (const query of [
          { match: { 'metadata.tags': 'long' } },
          { query_string: { query: 'barge*', fields: ['metadata.name'] } },
          { bool: { filter: [{ term: { 'metadata.tags.keyword': 'long' } }], must: [{ match_all: {} }] } },
        ])
          expect(await hitsOf(name, { query, size: 1000 })).toHaveLength(SHARE)
        for (const sort of [{ 'metadata.name.keyword': 'asc' }, { 'stats.orders': 'desc' }, { 'nft.created': 'asc' }])
          expect(await hitsOf(name, { sort, size: 1000, _source: ['id'] })).toHaveLength(2 * SHARE)
        const aggs = { tags: { terms: { field: 'metadata.tags.keyword' } } }
        const { aggregations } = (await answer(name, { aggs, size: 20 })).json
        expect(aggregations.tags.buckets.map((one: { doc_count: number }) => one.doc_count)).toEqual([SHARE, SHARE])
      })
      expect(held).toBeLessThan(HELD)
    })

    it('count by what _source selects of them (threat 89)', async () => {
      const named = await hitsOf(name, { size: 1000, _source: ['id', 'metadata.name', 'nft.owner'] })
      const inPurgatory = long.slice(0, 3)
      for (const { _source, _id } of named) {
        const { id, metadata } = JSON.parse(texts.get(_id) as string)
        const shown = { id, metadata: { name: metadata.name }, nft: { owner: expect.any(String) } }
        expect(_source).toEqual(inPurgatory.includes(_id) ? { ...shown, indexedMetadata: { shortened: true } } : shown)
      }
      expect(named).toHaveLength(2 * SHARE)
      const without = await hitsOf(name, { size: 1000, _source: { excludes: ['metadata.description'] } })
      expect(without).toHaveLength(2 * SHARE)
      expect(without.filter(({ _source }) => _source.indexedMetadata.shortened)).toHaveLength(inPurgatory.length)
      expect(await hitsOf(name, { size: 1000, _source: false })).toHaveLength(2 * SHARE)
    })

    it('take nothing of the page when they are in purgatory (threat 89)', async () => {
      const listed = long.slice(0, 3)
      const hits = await hitsOf(name, { query: { ids: { values: [...listed, long[3]] } } })
      expect(hits).toHaveLength(4)
      for (const { _id, _source } of hits) expect(checked(_source)).toBe(!listed.includes(_id))
      const query = { bool: { must_not: [{ term: { 'purgatory.state': true } }] } }
      const others = await hitsOf(name, { query, size: 1000, _source: ['id'] })
      expect(others.map(({ _id }) => _id).filter((did) => listed.includes(did))).toEqual([])
      expect(others).toHaveLength(2 * SHARE - listed.length)
    })

    it('are cut off for a client that does not read, and never end as a complete answer (threat 89)', async () => {
      const { app, base } = apps.get(name) as { app: App; base: string }
      const inFlight = () => metricOf(app.metricsUrl as string, 'tidegate_http_requests_in_flight')
      await eventually(async () => (await inFlight()) === 0)
      const socket = await asked(base, { size: 1000 })
      await eventually(async () => (await inFlight()) === 1)
      await eventually(async () => (await inFlight()) === 0)
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      const ended = new Promise((resolve) => socket.once('close', resolve))
      socket.resume()
      await ended
      const received = Buffer.concat(chunks).toString('latin1')
      expect(received.startsWith('HTTP/1.1 200 OK')).toBe(true)
      expect(received.endsWith('0\r\n\r\n')).toBe(false)
    })
  })
})

/** Sends a search and reads nothing of its answer. */
async function asked(base: string, body: object): Promise<Socket> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port) })
  const text = JSON.stringify(body)
  socket.on('error', () => undefined).pause()
  const head = `POST /api/aquarius/assets/query HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}`
  socket.write(`${head}\r\n\r\n${text}`)
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}
