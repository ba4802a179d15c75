import { type Address, encodeAbiParameters, encodeEventTopics, type Log, zeroHash } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.js'
import { StorageServer } from '../../../test/helpers/storage-server.js'
import { EVENTS } from '../../chain/src/abi.js'
import { Outbound } from '../../common/src/outbound.js'
import { didOf } from '../../protocol/src/ddo/ddo.js'
import { PROTOCOL_LIMITS } from '../../protocol/src/limits.js'
import { currentAssets } from '../src/index/current.js'
import { CATALOG_LIMITS } from '../src/limits.js'
import { remoteCacheSource } from '../src/remote-cache.js'
import { BASE_SIZE, SharedResults } from '../src/shared-results.js'

const CHAIN = 7
const address = (at: number) => `0x${at.toString(16).padStart(40, '0')}` as Address
const did = (at: number) => didOf(address(at), CHAIN)
const path = (at: number) => `/api/aquarius/assets/ddo/${did(at)}`

/** A metadata event of an NFT. */
function published(nft: Address): Log {
  const event = EVENTS.find(({ name }) => name === 'MetadataCreated') as (typeof EVENTS)[number]
  const args = {
    ...{ createdBy: nft, state: 0, decryptorUrl: '', flags: '0x', data: '0x', metaDataHash: zeroHash },
    ...{ timestamp: 1n, blockNumber: 1n },
  } as Record<string, unknown>
  const topics = encodeEventTopics({ abi: EVENTS, eventName: 'MetadataCreated', args } as never)
  const plain = event.inputs.filter((input) => !('indexed' in input && input.indexed))
  const data = encodeAbiParameters(plain as never, plain.map(({ name }) => args[name as string]) as never)
  return { address: nft, topics, data, blockNumber: 1n, transactionHash: zeroHash } as unknown as Log
}

describe('what a metadata cache answers', () => {
  let door: StorageServer
  let outbound: Outbound
  /** Hosts of which the log says that they did not answer. */
  let silent: unknown[]
  beforeEach(async () => {
    door = await StorageServer.start()
    outbound = new Outbound({ timeout: 60_000, maxSize: CATALOG_LIMITS.outbound.response })
    silent = []
  })
  afterEach(async () => {
    await outbound.close()
    await door.close()
  })

  /** CachedSearches that were read to their end go to `hint`. */
  const source = (hint: (text: string) => void) =>
    remoteCacheSource({
      url: door.origin,
      chains: new Map(),
      outbound,
      documents: { hint: async (text: string) => void hint(text) } as never,
      maxDocument: 1_000_000,
      ttl: 60_000,
      log: { warn: (fields: { host: string }) => silent.push(fields.host) } as never,
    })

  it('is left once a whole exchange has taken three times OUTBOUND_TIMEOUT, however it trickles', async () => {
    door.on(path(1), (_request, response) => {
      const trickle = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(trickle))
    })
    await outbound.close()
    outbound = new Outbound({ timeout: 300, maxSize: CATALOG_LIMITS.outbound.response })
    expect(await source(() => undefined).find(did(1))).toBeUndefined()
    expect(silent).toHaveLength(1)
    // the connection is given back
    await eventually(async () => door.requests[0]?.aborted === true)
  })

  it('is left where it is longer than a document may be', async () => {
    const read: number[] = []
    const most = 2_000_000 + CATALOG_LIMITS.outbound.added
    for (const [at, length] of [most, most + 1].entries())
      door.on(path(at), (_request, response) => void response.end(' '.repeat(length)))
    const cache = source((text) => read.push(text.length))
    for (const at of [0, 1]) expect(await cache.find(did(at))).toBeUndefined()
    expect(read).toEqual([most])
    expect(silent).toHaveLength(1)
  })

  it('takes no more memory than its bound, in what is kept of it', async () => {
    const ddo = 'x'.repeat(1_000_000)
    const found = { state: 0, datatokens: [] }
    // each answers with its number, which stands for its NFT
    const documents = {
      hint: async (text: string) => ({ chainId: CHAIN, nft: address(Number(text)) }),
      decode: async (_published: unknown, { nft }: { nft: Address }) => ({ ddo: ddo + Number(nft) }),
      stored: async (text: string) => ({ id: did(Number(text.slice(ddo.length))) }),
    }
    let asked = 0
    const nodes = { ask: async () => ({ ...found, log: published(address(asked)) }) }
    const cache = remoteCacheSource({
      url: door.origin,
      chains: new Map([[CHAIN, { chainId: CHAIN, nodes }]]) as never,
      outbound,
      documents: documents as never,
      maxDocument: 1_000_000,
      ttl: 60_000,
      log: { warn: (fields: { host: string }) => silent.push(fields.host) } as never,
    })
    const find = (at: number) => {
      asked = at
      door.on(path(at), (_request, response) => void response.end(String(at)))
      return cache.find(did(at))
    }
    for (let times = 0; times < 2; times++) expect(await find(1)).toMatchObject({ nft: address(1), state: 0 })
    expect(door.requests).toHaveLength(1)
    const fits = Math.floor(PROTOCOL_LIMITS.document.remoteCache / (4 * ddo.length))
    for (let at = 2; at <= 1 + fits; at++) await find(at)
    expect(door.requests).toHaveLength(1 + fits)
    await find(1)
    expect(door.requests).toHaveLength(2 + fits)
  })
})

describe('results that requests share', () => {
  it('are evicted by the bytes that they take, not by their number', async () => {
    let made = 0
    const results = new SharedResults<string>({ maxSize: 10 * BASE_SIZE, size: ({ length }) => length, ttl: 60_000 })
    const get = (key: string, length: number) => results.get(key, async () => `${++made}`.padEnd(length))
    for (let at = 0; at < 3; at++) await get(`${at}`, 3 * BASE_SIZE)
    for (let at = 0; at < 3; at++) await get(`${at}`, 3 * BASE_SIZE)
    expect(made).toBe(3)
    await get('3', 3 * BASE_SIZE)
    expect(made).toBe(4)
    await get('0', 3 * BASE_SIZE)
    expect(made).toBe(5)
    // what is larger than all of it is not kept at all
    for (let at = 0; at < 2; at++) await get('large', 11 * BASE_SIZE)
    expect(made).toBe(7)
  })

  it('are one while they are in flight, and not kept where they failed', async () => {
    let made = 0
    const results = new SharedResults<string>({ maxSize: 10 * BASE_SIZE, size: () => 1, ttl: 60_000 })
    const fail = () => results.get('a', () => Promise.reject(new Error(`${++made}`)))
    const outcomes = await Promise.allSettled([fail(), fail()])
    expect(outcomes.map((one) => (one as PromiseRejectedResult).reason.message)).toEqual(['1', '1'])
    await expect(fail()).rejects.toThrow('2')
  })
})

describe('assets that are read from the chain while the index is behind', () => {
  it('take no more memory than their bound', async () => {
    let asked = 0
    const ddo = 'x'.repeat(1_000_000)
    const nodes = { ask: async () => ({ head: 9, state: 0, tokens: [], log: undefined, at: ++asked }) }
    const nft = { address: address(1), name: '', symbol: '', tokenUri: '', owner: address(1), created: '' }
    const assets = currentAssets({
      index: {
        cursor: async () => ({ block: 1, hash: '0x1' }),
        asset: async (did) => ({ chainId: CHAIN, nft, datatokens: [], metadata: { did, ddo, block: 1 } as never }),
      },
      chains: new Map([[CHAIN, { chainId: CHAIN, nodes }]]) as never,
      documents: {} as never,
      isCurrent: () => false,
      isAstray: () => false,
      ttl: 60_000,
      deadline: 60_000,
    })
    await assets.asset(did(0))
    await assets.asset(did(0))
    expect(asked).toBe(1)
    const fits = Math.floor(PROTOCOL_LIMITS.document.staleCache / (2 * ddo.length))
    for (let at = 1; at <= fits; at++) await assets.asset(did(at))
    expect(asked).toBe(1 + fits)
    await assets.asset(did(0))
    expect(asked).toBe(2 + fits)
  })
})
