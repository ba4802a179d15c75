import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { type Address, formatLog, type Hex, type Log, toHex, zeroAddress } from 'viem'
import { afterAll, expect, it } from 'vitest'
import { chainLog } from '../../../../test/helpers/chain-log.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import type { Chain } from '../../../chain/src/chains.js'
import { COMMON_LIMITS } from '../../../common/src/limits.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { checksummed } from '../../../protocol/src/crypto/address.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { document, documents } from '../../src/document-tasks.js'
import { DocumentReader } from '../../src/documents.js'
import { changesOf } from '../../src/index/changes.js'
import type { IndexChange } from '../../src/index/index-store.js'
import type { SearchRows } from '../../src/search/tables/prepared.js'
import { sqliteCatalog } from '../catalog.js'

const FACTORY = checksummed(`0x${'fa'.repeat(20)}`)
const NFT = checksummed(`0x${'1d'.repeat(20)}`)
const chain = { chainId: 8996, keys: [], deployment: { factory: FACTORY } } as unknown as Chain
/** Runs the tasks of the sandbox in this process. */
const sandbox = {
  async run(task: string, input: never) {
    const copy = structuredClone(input)
    return task === 'document' ? document(copy) : documents(copy)
  },
}
const reader = new DocumentReader(sandbox as never, 100_000)
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const HASH: Hex = `0x${'ab'.repeat(32)}`

type Event = [address: Address, eventName: string, args: Record<string, unknown>]

function datatoken(of: string, name = 'Tide token'): Event {
  const args = { templateAddress: zeroAddress, name, symbol: 'TIDE', cap: 1n, creator: NFT }
  return [FACTORY, 'TokenCreated', { ...args, newTokenAddress: `0x${of.repeat(20)}` }]
}

function nft(tokenName = 'Tides'): Event {
  const args = { newTokenAddress: NFT, templateAddress: zeroAddress, tokenName, symbol: 'T', tokenURI: '' }
  return [FACTORY, 'NFTCreated', { ...args, admin: NFT, transferable: true, creator: NFT }]
}

/** A document that sells two datatokens. */
function published(description: string): Event {
  const service = { type: 'access', files: '', serviceEndpoint: 'http://x', timeout: 0 }
  const services = ['2d', '3d'].map((of) => ({ ...service, id: of, datatokenAddress: `0x${of.repeat(20)}` }))
  const common = { id: didOf(NFT, 8996), version: '4.1.0', chainId: 8996, nftAddress: NFT, metadata: { description } }
  const text = JSON.stringify({ ...common, services })
  const metaDataHash = `0x${createHash('sha256').update(text).digest('hex')}`
  const args = { createdBy: NFT, state: 0, decryptorUrl: '', flags: '0x', data: toHex(text), metaDataHash }
  return [NFT, 'MetadataCreated', { ...args, timestamp: 1_700_000_000n, blockNumber: 1n }]
}

const stateTo = (state: number): Event => [
  NFT,
  'MetadataState',
  { updatedBy: NFT, state, timestamp: 1n, blockNumber: 1n },
]

const offered = (rate: bigint): Event => {
  const parties = { baseToken: NFT, exchangeOwner: NFT, datatoken: `0x${'2d'.repeat(20)}` }
  return [FACTORY, 'ExchangeCreated', { ...parties, exchangeId: HASH, fixedRate: rate }]
}

/** As many as one task decodes. */
const manyVersions = () =>
  Array.from({ length: COMMON_LIMITS.sandbox.batch.documents }, (_, at) => published(`High water ${at}`))

const logsOf = (events: Event[]) =>
  events.map(([address, eventName, args], index) => ({
    ...formatLog(
      chainLog(
        { address, eventName, args },
        { block: 1, blockHash: HASH, time: 1_700_000_000, transactionHash: HASH, index },
      ) as never,
    ),
    blockTimestamp: 1_700_000_000n,
  })) as Log[]

/** What a database holds to find these changes by. */
async function searchIndexOf(changes: IndexChange[]): Promise<unknown[]> {
  const folder = newFolder()
  folders.push(folder)
  const store = sqliteCatalog(folder)
  await store.index.commit({ chainId: 8996, from: undefined, to: { block: 1, hash: HASH }, changes })
  await store.close()
  const db = new Database(join(folder, DATABASE_FILE))
  db.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'search_text', 'instance')")
  const rows = ['search_document', 'search_value', 'terms'].flatMap((table) =>
    db.prepare(`SELECT * FROM ${table}`).all(),
  )
  db.close()
  return rows
}

it.each<[string, boolean, Event[]]>([
  ['as they were expected', true, [nft(), datatoken('2d'), published('High water at noon')]],
  ['with a datatoken more', true, [nft(), datatoken('2d'), published('High water'), datatoken('3d', 'Ebb')]],
  [
    'with a datatoken after its last document',
    true,
    [nft(), datatoken('2d'), ...manyVersions(), datatoken('3d', 'Ebb')],
  ],
  ['with an offer', true, [nft(), datatoken('2d'), offered(7n), published('High water')]],
  ['with an offer after its document', true, [nft(), datatoken('2d'), published('High water'), offered(7n)]],
  ['in another state', true, [nft(), datatoken('2d'), published('High water'), stateTo(5)]],
  ['revoked', false, [nft(), datatoken('2d'), published('High water'), stateTo(3)]],
  ['with another document', true, [nft(), datatoken('2d'), published('High water'), published('Low water')]],
  ['with a name that is cleaned', true, [nft('High\0water'), datatoken('2d'), published('High water')]],
])('search rows that threads prepare are those of the assets: %s', async (_, isFound, events) => {
  const signal = new AbortController().signal
  const logs = logsOf(events)
  const prepared = await changesOf(logs, chain, { documents: reader, signal, dialect: 'sqlite' })
  expect(prepared.filter((change) => change.kind === 'metadata' && change.prepared)).toHaveLength(1)
  const found = await searchIndexOf(prepared)
  expect(found.length > 0).toBe(isFound)
  expect(found).toEqual(await searchIndexOf(await changesOf(logs, chain, { documents: reader, signal })))
})

it('search rows are prepared of assets alone whose data NFT the same blocks tell of', async () => {
  const signal = new AbortController().signal
  const logs = logsOf([published('High water at noon')])
  const changes = await changesOf(logs, chain, { documents: reader, signal, dialect: 'sqlite' })
  expect(changes).toMatchObject([{ kind: 'metadata', metadata: { ddo: expect.stringContaining('High water') } }])
  expect(changes[0]).not.toHaveProperty('search')
})

it('search rows that were prepared for what the asset turned out to be are taken, with the prices of its offers', async () => {
  const signal = new AbortController().signal
  const logs = logsOf([nft(), datatoken('2d'), offered(25n * 10n ** 17n), published('High water at noon')])
  const changes = await changesOf(logs, chain, { documents: reader, signal, dialect: 'sqlite' })
  for (const change of changes)
    if (change.kind === 'metadata' && change.prepared?.rows) {
      const rows = JSON.parse(change.prepared.rows) as SearchRows
      rows.text.text1 = 'aebb '
      change.prepared.rows = JSON.stringify(rows)
    }
  const found = await searchIndexOf(changes)
  expect(found).toContainEqual(expect.objectContaining({ num: 2.5 }))
  const terms = found.flatMap((row) => (row as { term?: string }).term ?? [])
  expect(terms).toContain('aebb')
  expect(terms).not.toContain('anoon')
})
