import { randomBytes } from 'node:crypto'
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, type Log, zeroHash } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { EVENTS } from '../../../chain/src/abi.js'
import type { Chain } from '../../../chain/src/chains.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { opened } from '../../../protocol/src/ddo/opened.js'
import { assetDocument } from '../../../protocol/src/ddo/served-document.js'
import { DocumentReader } from '../../src/documents.js'
import { changesOf } from '../../src/index/changes.js'
import { type Catalog, postgresCatalog, sqliteCatalog } from '../catalog.js'
import { DocumentSandbox } from '../sandbox.js'

const CHAIN_ID = 8996
const FACTORY = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const NFT = '0xA74847bf9cebD3696031dC8f0033CF9A009E66Bc'
const TOKEN = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
const OWNER = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'

function log(eventName: string, address: Address, args: Record<string, unknown>): Log {
  const event = EVENTS.find(({ name }) => name === eventName) as (typeof EVENTS)[number]
  const topics = encodeEventTopics({ abi: EVENTS, eventName, args } as never)
  const plain = event.inputs.filter((input) => !('indexed' in input && input.indexed))
  const data = encodeAbiParameters(plain as never, plain.map(({ name }) => args[name as string]) as never)
  const frame = { blockNumber: 5n, blockHash: zeroHash, transactionHash: zeroHash, logIndex: 0, transactionIndex: 0 }
  return { ...frame, removed: false, address, topics, data } as unknown as Log
}

function events(name: string, time: bigint): Log[] {
  const template = { templateAddress: FACTORY, creator: OWNER }
  const nft = { newTokenAddress: NFT, tokenName: name, symbol: name, tokenURI: name, transferable: true, admin: OWNER }
  const token = { newTokenAddress: TOKEN, name, symbol: name, cap: 1n, templateAddress: FACTORY, creator: NFT }
  const document = {
    flags: '0x' as Hex,
    data: '0x7b7d' as Hex,
    metaDataHash: zeroHash,
    timestamp: time,
    blockNumber: 5n,
  }
  return [
    { ...log('NFTCreated', FACTORY, { ...template, ...nft }), blockTimestamp: time } as Log,
    log('TokenCreated', FACTORY, token),
    log('MetadataCreated', NFT, { ...document, createdBy: OWNER, state: 0, decryptorUrl: name }),
  ]
}

describe('the index', () => {
  const folder = newFolder()
  const sandbox = new DocumentSandbox()
  const documents = new DocumentReader(sandbox, 100_000)
  const keys = [providerKey(randomBytes(32).toString('hex'))]
  const chain = { chainId: CHAIN_ID, keys, deployment: { factory: FACTORY } } as unknown as Chain
  /** Each test has its own chain. */
  let lastChain = CHAIN_ID
  let server: PostgresDatabase
  const stores: Record<string, Catalog> = {}
  beforeAll(async () => {
    server = await startPostgres()
    stores.postgres = await postgresCatalog({ url: server.url(), connections: 2, timeout: 60_000 })
    stores.sqlite = sqliteCatalog(folder)
  })
  afterAll(async () => {
    for (const store of Object.values(stores)) await store.close()
    await sandbox.close()
  })

  async function written(name: string, time: bigint, database: string) {
    const { index } = stores[database] as Catalog
    const chainId = ++lastChain
    const changes = await changesOf(
      events(name, time),
      { ...chain, chainId },
      {
        documents,
        signal: new AbortController().signal,
      },
    )
    const to = { block: 5, hash: zeroHash }
    expect(await index.commit({ chainId, from: undefined, to, changes, provisional: true })).toBe(true)
    const [change] = changes.filter(({ kind }) => kind === 'metadata')
    const asset = await index.asset(change?.kind === 'metadata' ? change.metadata.did : '')
    if (!asset) throw new Error('The asset was not written.')
    const read = opened({ ...asset, metadata: { ...asset.metadata, ddo: '{}' } })
    return { asset, shown: read && assetDocument(read, {}) }
  }

  it.each([
    'postgres',
    'sqlite',
  ])('continues after a name with NUL and an invalid time (threat 61): %s', async (database) => {
    const { asset, shown } = await written('Tide\0tables', 2n ** 255n, database)
    expect(asset.nft).toMatchObject({
      name: 'Tide\ufffdtables',
      symbol: 'Tide\ufffdtables',
      created: '9999-12-31T23:59:59Z',
    })
    expect(asset.datatokens).toMatchObject([{ name: 'Tide\ufffdtables' }])
    expect(shown).toMatchObject({ event: { datetime: '9999-12-31T23:59:59Z' } })
  })

  it.each(['postgres', 'sqlite'])('stores a valid name and time unchanged: %s', async (database) => {
    const { asset, shown } = await written('Höhe der Flut 🌊', 1_767_225_600n, database)
    expect(asset.nft).toMatchObject({ name: 'Höhe der Flut 🌊', created: '2026-01-01T00:00:00Z' })
    expect(shown).toMatchObject({ event: { datetime: '2026-01-01T00:00:00Z' } })
  })

  it.each([
    'postgres',
    'sqlite',
  ])('cuts names of megabytes, which a document repeats (threat 49): %s', async (database) => {
    const { asset, shown } = await written('tide '.repeat(200_000), 1n, database)
    expect(asset.nft).toMatchObject({ name: 'tide '.repeat(200_000).slice(0, 256), tokenUri: '' })
    expect(asset.datatokens[0]?.symbol).toHaveLength(256)
    expect(JSON.stringify(shown).length).toBeLessThan(10_000)
  })
})
