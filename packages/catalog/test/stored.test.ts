import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { measured } from '../../../test/helpers/measured.js'
import { didOf } from '../../protocol/src/ddo/ddo.js'
import { readStored } from '../../protocol/src/ddo/stored.js'
import { PROTOCOL_LIMITS } from '../../protocol/src/limits.js'
import { cachedSource } from '../src/cached-source.js'
import { DocumentReader } from '../src/documents.js'
import type { IndexChange } from '../src/index/index-store.js'
import { indexSource } from '../src/index/source.js'
import { sqliteCatalog } from './catalog.js'
import { DocumentSandbox } from './sandbox.js'

const CHAIN_ID = 1
const SOMEBODY = `0x${'ab'.repeat(20)}` as Address

/** More than honest consumers request at once, and fewer than may wait for a thread. */
const MANY = 50

describe('documents of the index that take long to read', () => {
  const folder = newFolder()
  const store = sqliteCatalog(folder)
  const sandbox = new DocumentSandbox()
  const documents = new DocumentReader(sandbox, 1_048_576)
  const source = indexSource({ asset: store.index.asset, assertAbsent: () => undefined }, documents)
  const nfts = Array.from({ length: MANY }, (_, at) => `0x${at.toString(16).padStart(40, '0')}` as Address)
  const dids = nfts.map((nft) => didOf(nft, CHAIN_ID))

  beforeAll(async () => {
    const to = { block: 1, hash: `0x${'01'.repeat(32)}` } as const
    const changes = nfts.flatMap(changesFor)
    await store.index.commit({ chainId: CHAIN_ID, from: undefined, to, changes })
    await documents.stored(textFor(SOMEBODY, 'warm'))
  })
  afterAll(async () => {
    await sandbox.close()
    await store.close()
  })

  /** As many keys as a document may have, each in an object of its own: the slowest to read for their length. */
  function textFor(nft: Address, name: string): string {
    const service = { id: '1', type: 'access', files: '0x', datatokenAddress: nft, serviceEndpoint: '', timeout: 0 }
    const junk = Array.from({ length: PROTOCOL_LIMITS.document.keys - 15 }, (_, at) => ({ [`${name}${at}`]: 1 }))
    const head = { id: didOf(nft, CHAIN_ID), version: '4.5.0', chainId: CHAIN_ID, nftAddress: nft }
    return JSON.stringify({ ...head, services: [service], junk })
  }

  function changesFor(address: Address): IndexChange[] {
    const created = '2026-01-01T00:00:00Z'
    const nft = { address, name: 'x', symbol: 'X', tokenUri: '', owner: SOMEBODY, created }
    const event = { txId: `0x${'02'.repeat(32)}`, block: 1, from: SOMEBODY, timestamp: 1 } as const
    const did = didOf(address, CHAIN_ID)
    const document = { did, state: 0, ddo: textFor(address, address), reason: null, encrypted: false }
    return [
      { kind: 'nft', nft },
      { kind: 'metadata', metadata: { nft: address, ...document, ...event } },
    ]
  }

  it('do not block the event loop, even when many are requested at once', async () => {
    const { result, held } = await measured(() => Promise.all(dids.map((did) => source.find(did))))
    expect(result.map((asset) => asset?.ddo.id)).toEqual(dids)
    // other documents of the same kind, whose keys are new as well
    const texts = nfts.map((nft) => textFor(nft, `other ${nft}`))
    const byItself = await measured(() => texts.map(readStored))
    expect(held).toBeLessThan(byItself.took / 2)
  })

  it('are read once for concurrent requests', async () => {
    let reads = 0
    const find = (did: string) => {
      reads += 1
      return source.find(did)
    }
    let isCurrent = true
    const cached = cachedSource({ ...source, find }, { ttl: 60_000, chains: [CHAIN_ID], isCurrent: () => isCurrent })
    const found = await Promise.all(dids.map(() => cached.find(dids[0] as string)))
    expect(reads).toBe(1)
    expect(new Set(found).size).toBe(1)
    // a reading that began before the index advanced serves no later request
    const before = cached.find(dids[1] as string)
    cached.invalidate(CHAIN_ID)
    await Promise.all([before, cached.find(dids[1] as string)])
    expect(reads).toBe(3)
    // nor does one of a current index once that is stale, whenever it ends; and the other way round
    for (const now of [false, true]) {
      const under = cached.find(dids[2] as string)
      isCurrent = now
      await under
      const begun = reads
      for (const did of dids.slice(1, 3)) await cached.find(did)
      expect(reads).toBe(begun + 2)
      for (const did of dids.slice(1, 3)) await cached.find(did)
      expect(reads).toBe(begun + 2)
    }
  })
})
