import { type Address, encodeAbiParameters, encodeEventTopics, type Log, toHex } from 'viem'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { measured } from '../../../../test/helpers/measured.js'
import { EVENTS } from '../../../chain/src/abi.js'
import type { Chain } from '../../../chain/src/chains.js'
import { CHAIN_LIMITS } from '../../../chain/src/limits.js'
import { createLogger } from '../../../common/src/logger.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { StateError } from '../../../protocol/src/errors.js'
import { DocumentReader } from '../../src/documents.js'
import { applyRange } from '../../src/index/apply.js'
import type { Cursor, IndexBatch, IndexChange, IndexGeneration } from '../../src/index/index-store.js'
import { sqliteCatalog } from '../catalog.js'
import { DocumentSandbox } from '../sandbox.js'

const NFT = '0xA74847bf9cebD3696031dC8f0033CF9A009E66Bc'
const TOKEN = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
const SOMEBODY = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'

/** Each block has many events, and a batch holds the events of more than one block. */
const BLOCKS = 50
const PER_BLOCK = 30

const hashOf = (block: number) => toHex(block, { size: 32 })

describe('a range with many events', () => {
  const folder = newFolder()
  const store = sqliteCatalog(folder)
  const sandbox = new DocumentSandbox()
  const decoding = { documents: new DocumentReader(sandbox, 1_048_576) }
  let chainId = 0
  let steps: IndexBatch[]
  beforeEach(async () => {
    chainId += 1
    steps = []
    const nft = { address: NFT, name: 'x', symbol: 'X', tokenUri: '', owner: SOMEBODY, created: '' } as const
    const datatoken = { address: TOKEN, nft: NFT, name: 'a', symbol: 'A' } as const
    await write([{ kind: 'nft', nft }, { kind: 'datatoken', datatoken }, document(NFT, '{}')])
  })
  afterAll(async () => {
    await sandbox.close()
    await store.close()
  })

  const document = (nft: Address, ddo: string): IndexChange => {
    const event = { txId: hashOf(1), block: 1, from: SOMEBODY, timestamp: 1 } as const
    return {
      kind: 'metadata',
      metadata: { nft, did: didOf(nft, chainId), state: 0, ddo, reason: null, encrypted: false, ...event },
    }
  }
  const write = (changes: IndexChange[]) => store.index.commit({ chainId, from: undefined, to: at(1), changes })
  const at = (block: number): Cursor => ({ block, hash: hashOf(block) })

  function log(eventName: string, address: Address, block: number, args: Record<string, unknown>): Log {
    const event = EVENTS.find(({ name }) => name === eventName) as (typeof EVENTS)[number]
    const topics = encodeEventTopics({ abi: EVENTS, eventName, args } as never)
    const plain = event.inputs.filter((input) => !('indexed' in input && input.indexed))
    const data = encodeAbiParameters(plain as never, plain.map(({ name }) => args[name as string]) as never)
    const frame = { blockNumber: BigInt(block), blockHash: hashOf(block), transactionHash: hashOf(7), logIndex: 0 }
    return { ...frame, transactionIndex: 0, removed: false, address, topics, data } as unknown as Log
  }
  const order = (block: number) =>
    log('OrderStarted', TOKEN, block, {
      consumer: SOMEBODY,
      payer: SOMEBODY,
      amount: 1n,
      serviceIndex: 0n,
      timestamp: 1n,
      publishMarketAddress: SOMEBODY,
      blockNumber: 1n,
    })
  const state = (block: number, value: number) =>
    log('MetadataState', NFT, block, { updatedBy: SOMEBODY, state: value, timestamp: 1n, blockNumber: 1n })

  /** Applies logs that follow the cursor, up to a block. */
  const apply = async (logs: Log[], last: number, commit?: IndexGeneration['commit']) =>
    (await begun(logs, last, commit))?.committed

  /** The same, as soon as the next range can be decoded. */
  const begun = async (
    logs: Log[],
    last: number,
    commit: IndexGeneration['commit'] = store.index.commit,
    previous?: Promise<boolean>,
  ) => {
    const index: IndexGeneration = {
      ...store.index,
      commit: (step) => {
        steps.push({ ...step, changes: [...step.changes] })
        return commit(step)
      },
    }
    const from = await store.index.cursor(chainId)
    const left = logs.filter(({ blockNumber }) => Number(blockNumber) > (from?.block ?? 0))
    return applyRange(
      {
        logs: left,
        cursor: at(last),
        time: 0n,
        others: 0,
        size: 0,
        deployed: { nft: new Map(), datatoken: new Map(), market: new Map() },
        unread: [],
      },
      {
        chain: { chainId, keys: [], deployment: {} } as unknown as Chain,
        index,
        from,
        previous,
        provisional: true,
        decoding,
        log: await createLogger({ LOG_LEVEL: 'silent', LOG_ADDRESSES: 'none' }),
        onSkipped: () => undefined,
      },
    )
  }
  const orders = async () => (await store.index.asset(didOf(NFT, chainId)))?.datatokens[0]?.orders
  const all = Array.from({ length: BLOCKS }, (_, block) =>
    Array.from({ length: PER_BLOCK }, () => order(block + 2)),
  ).flat()

  it('is committed in batches that end at block boundaries', async () => {
    expect(await apply(all, 100)).toBe(true)
    expect(steps.length).toBeGreaterThanOrEqual(all.length / (CHAIN_LIMITS.chain.changes + PER_BLOCK))
    expect(steps.length).toBeGreaterThan(3)
    for (const { changes } of steps) expect(changes.length).toBeLessThan(CHAIN_LIMITS.chain.changes + PER_BLOCK)
    for (const { changes } of steps) expect(changes.length % PER_BLOCK).toBe(0)
    for (const [at, { from }] of steps.entries()) if (at > 0) expect(from).toEqual(steps[at - 1]?.to)
    expect(steps.at(-1)?.to).toEqual(at(100))
    expect(await orders()).toBe(all.length)
    // checkpoints, to each of which the index can roll back
    expect((await store.index.checkpoints(chainId)).map(({ block }) => block)).toEqual([
      ...steps.map(({ to }) => to.block).toReversed(),
      1,
    ])
    await store.index.rollback(chainId, steps[2]?.to as Cursor)
    expect(await orders()).toBe(steps.slice(0, 3).reduce((sum, { changes }) => sum + changes.length, 0))
  })

  it('is committed inside a block that is too much for one commit, and goes on there (threat 86)', async () => {
    const crowd = Array.from(
      { length: 5 * CHAIN_LIMITS.chain.changes },
      (_, logIndex) => ({ ...order(2), logIndex }) as Log,
    )
    let left = 2
    const failing: IndexGeneration['commit'] = (step) => {
      left -= 1
      if (left < 0) throw new StateError('STATE_UNAVAILABLE', 'not now')
      return store.index.commit(step)
    }
    await expect(apply([...crowd, order(3)], 100, failing)).rejects.toThrow('not now')
    const cursor = (await store.index.cursor(chainId)) as Cursor
    expect(cursor).toMatchObject({ ...at(1), part: at(2) })
    expect(await orders()).toBe((cursor.part?.log as number) + 1)
    expect(await apply([...crowd, order(3)], 100)).toBe(true)
    expect(await orders()).toBe(crowd.length + 1)
    for (const { changes } of steps) expect(changes.length).toBeLessThanOrEqual(2 * CHAIN_LIMITS.chain.changes)
    // the end of the crowded block is a checkpoint
    expect((await store.index.checkpoints(chainId)).map(({ block }) => block)).toEqual([100, 2, 1])
    await store.index.rollback(chainId, at(2))
    expect(await orders()).toBe(crowd.length)
  })

  it('is there for the next one to be decoded before its last batch is committed, but no sooner than the range before is', async () => {
    let commit: (isApplied: boolean) => void = () => undefined
    const pending = () =>
      new Promise<boolean>((resolve) => {
        commit = resolve
      })
    const first = await begun([order(2)], 2, pending)
    expect(steps.map(({ to }) => to)).toEqual([at(2)])
    const second = begun([order(3)], 3, pending, first?.committed)
    expect(await Promise.race([second, 'waits'])).toBe('waits')
    commit(true)
    expect(await second).toMatchObject({ committed: expect.any(Promise) })
    expect(steps.map(({ to }) => to)).toEqual([at(2), at(3)])
    const third = begun([order(4)], 4, pending, (await second)?.committed)
    commit(false)
    expect(await third).toBeUndefined()
    expect(steps).toHaveLength(2)
  })

  it('counts every event once when the database fails between two batches', async () => {
    let left = 3
    const failing: IndexGeneration['commit'] = (step) => {
      left -= 1
      if (left === 0) throw new StateError('STATE_UNAVAILABLE', 'not now')
      return store.index.commit(step)
    }
    await expect(apply(all, 100, failing)).rejects.toThrow('not now')
    const { block } = (await store.index.cursor(chainId)) as Cursor
    expect(block).toBeGreaterThan(1)
    expect(await orders()).toBe((block - 1) * PER_BLOCK)
    expect(await apply(all, 100)).toBe(true)
    expect(await orders()).toBe(all.length)
  })

  it('is cheap when an asset with a long document changes a thousand times in a block', async () => {
    await store.index.commit({ chainId, from: at(1), to: at(2), changes: [document(NFT, 'd'.repeat(1_000_000))] })
    const logs = Array.from({ length: 1000 }, (_, value) => state(3, value % 6))
    const { took } = await measured(() => apply(logs, 3))
    expect(took).toBeLessThan(500)
    expect(steps.at(-1)?.changes).toEqual([{ kind: 'state', nft: NFT, state: 999 % 6 }])
    expect((await store.index.asset(didOf(NFT, chainId)))?.metadata.state).toBe(999 % 6)
    await store.index.rollback(chainId, at(2))
    expect((await store.index.asset(didOf(NFT, chainId)))?.metadata.state).toBe(0)
  })

  it('is cheap when one asset gets ten thousand datatokens', async () => {
    const datatokens = Array.from({ length: 10_000 }, (_, at): IndexChange => {
      return { kind: 'datatoken', datatoken: { address: toHex(at + 1, { size: 20 }), nft: NFT, name: '', symbol: '' } }
    })
    const { took } = await measured(() => store.index.commit({ chainId, from: at(1), to: at(2), changes: datatokens }))
    // counting all earlier ones for each took seconds
    expect(took).toBeLessThan(1000)
    const found = await store.index.asset(didOf(NFT, chainId))
    expect(found?.datatokens.map(({ address }) => address)).toEqual([
      TOKEN,
      ...datatokens.map((change) => change.kind === 'datatoken' && change.datatoken.address),
    ])
  })
})
