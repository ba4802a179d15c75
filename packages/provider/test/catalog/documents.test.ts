import { inspect } from 'node:util'
import { ethers, type Wallet } from 'ethers'
import { formatLog, type Log } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainLog } from '../../../../test/helpers/chain-log.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import { World } from '../../../../test/helpers/world.js'
import { DocumentReader } from '../../../catalog/src/documents.js'
import { DocumentsAhead } from '../../../catalog/src/index/documents-ahead.js'
import { ChainFollower } from '../../../catalog/src/index/follower.js'
import type { MetadataEvent } from '../../../catalog/src/published.js'
import type { Chain } from '../../../chain/src/chains.js'
import type { SandboxOptions } from '../../../common/src/sandbox/sandbox.js'
import { encrypt } from '../../../protocol/src/crypto/ecies.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import type { Decoded } from '../../../protocol/src/ddo/on-chain/published-document.js'
import { SandboxError } from '../../../protocol/src/errors.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/stores.js'
import { TaskSandbox } from '../../src/tasks/task-sandbox.js'

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const HASH = `0x${'00'.repeat(32)}` as const
/** Its deadline is of processor time, which a thread that starts needs a fifth of. */
const SLOW = { entry: new URL('../../../common/test/readers.mjs', import.meta.url), deadline: 300, memory: 32 }
const publisher = { nft: NFT, chain: { chainId: 1, keys: [] } } as const

describe('documents that cannot be read within their bounds (threat 37)', () => {
  const open: TaskSandbox[] = []
  afterAll(async () => {
    for (const sandbox of open) await sandbox.close()
  })
  const readerOf = (options: SandboxOptions = SLOW) => {
    const sandbox = new TaskSandbox(options)
    open.push(sandbox)
    return { sandbox, reader: new DocumentReader(sandbox, 1000) }
  }
  const of = (data: `0x${string}`, tries?: Int32Array) => ({ flags: '0x' as const, data, hash: HASH, tries })

  it('are reported with the reason', async () => {
    const { reader } = readerOf()
    expect(await reader.decode(of('0x'), publisher)).toMatchObject({ did: 'did:op:first' })
    expect(await reader.decode(of('0x01'), publisher)).toEqual({ reason: 'took too long to read' })
    expect(await reader.decode(of('0x02'), publisher, { deadline: 20_000 })).toEqual({
      reason: 'needs too much memory',
    })
    expect(await reader.decode(of('0x03'), publisher)).toEqual({ reason: 'cannot be read' })
    expect(await reader.decode(of('0x'), publisher)).toMatchObject({ did: 'did:op:first' })
  })

  it('are retried once when the result is stored, and only after a time-out', async () => {
    const { reader } = readerOf()
    const times = async (data: `0x${string}`) => {
      const tries = new Int32Array(new SharedArrayBuffer(4))
      return [await reader.decodeWithRetry(of(data, tries), publisher), tries[0]]
    }
    expect(await times('0x01')).toEqual([{ reason: 'took too long to read' }, 2])
    expect(await times('0x03')).toEqual([{ reason: 'cannot be read' }, 1])
    expect(await times('0x04')).toEqual([expect.objectContaining({ did: 'did:op:second' }), 2])
  })

  it('are refused before the sandbox when they are too long', async () => {
    const { sandbox, reader } = readerOf()
    const long = `0x${'00'.repeat(70_000)}` as const
    expect(await reader.decodeWithRetry(of(long), publisher)).toEqual({ reason: 'larger than MAX_DDO_SIZE' })
    expect(await reader.validate(new Uint8Array(66_537))).toEqual({
      problems: { body: 'The body is larger than 1000 bytes.' },
    })
    expect(await reader.hint('x'.repeat(70_000))).toBeUndefined()
    expect(sandbox.threads).toBe(0)
  })

  it('reach threads without a key of the provider: with keys for one document, which are useless for any other', async () => {
    const keys = ['11', '22'].map((digits) => providerKey(`0x${digits.repeat(32)}`))
    const tasks: unknown[] = []
    const sandbox = { run: async (_task: string, input: unknown) => tasks.push(input) }
    const reader = new DocumentReader(sandbox as never, 1000)
    const toSecond = `0x${encrypt(keys[1]?.publicKey as Uint8Array, Buffer.from('tide')).toString('hex')}` as const
    for (const flags of ['0x02', '0x00'] as const)
      await reader.decode({ ...of(toSecond), flags }, { ...publisher, chain: { chainId: 1, keys } })
    await reader.decodeCopy('{}', HASH, { ...publisher, chain: { chainId: 1, keys } })
    const text = inspect(tasks, { depth: null, maxArrayLength: null, breakLength: Number.POSITIVE_INFINITY })
    for (const { secret } of keys) expect(text).not.toContain([...secret].join(', '))
    expect(tasks).toMatchObject([{ keys: [{ length: 65 }, { length: 65 }] }, { keys: [] }, {}])
  })

  it('do not take those with them that are decoded by the same task', async () => {
    const { reader } = readerOf()
    const logs = ['0x', '0x', '0x', '0x', '0x', '0x03', '0x', '0x', '0x', '0x'].map((data, index) =>
      formatLog(
        chainLog(
          {
            address: NFT,
            eventName: 'MetadataCreated',
            args: {
              ...{ createdBy: NFT, state: 0, decryptorUrl: '', flags: '0x', data, metaDataHash: HASH },
              ...{ timestamp: 1n, blockNumber: 1n },
            },
          },
          { block: 1, blockHash: HASH, time: 1, transactionHash: HASH, index },
        ) as never,
      ),
    ) as Log[]
    const ahead = new DocumentsAhead(logs, publisher.chain as never, { documents: reader })
    const decoded: Decoded[] = []
    for (const log of logs) decoded.push(await ahead.documentOf(log, ahead.eventOf(log) as MetadataEvent))
    const reasons = decoded.map((one) => ('reason' in one ? one.reason : 'read'))
    expect(reasons).toEqual(Array(10).fill('read').with(5, 'cannot be read'))
  })

  it('are refused before a task for several when one of them is too long', async () => {
    const { reader } = readerOf()
    const [short, long] = [of('0x'), of(`0x${'00'.repeat(70_000)}`)]
    const all = [short, long, short].map((published) => ({ published, publisher }))
    const read = { did: 'did:op:first', ddo: '{}' }
    expect(await reader.decodeBatch(all)).toEqual([read, { reason: 'larger than MAX_DDO_SIZE' }, read])
    await expect(reader.decodeBatch([{ published: of('0x03'), publisher }])).rejects.toThrow('cannot be read')
  })

  it('are distinguished from a sandbox that is closed or cannot start', async () => {
    const broken = readerOf({ entry: new URL('../../../common/test/broken.mjs', import.meta.url) })
    await expect(broken.reader.decodeWithRetry(of('0x'), publisher)).rejects.toThrow(SandboxError)
    const { sandbox, reader } = readerOf()
    const reading = reader.decode(of('0x01'), publisher).catch((error: unknown) => error)
    await sandbox.close()
    expect(await reading).toBeInstanceOf(SandboxError)
    await expect(reader.decode(of('0x'), publisher)).rejects.toThrow(SandboxError)
  })

  describe('in the index', () => {
    let world: World
    let owner: Wallet
    let chain: Chain
    let store: StateStore
    const folder = newFolder()
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
    beforeAll(async () => {
      world = await World.start()
      owner = await world.somebody()
      const { chains } = world.local.app.context
      chain = chains.get(world.network.chainId) as Chain
      store = openSqliteStore(folder)
    })
    afterAll(() => store.close())
    const follower = (documents: DocumentReader) =>
      new ChainFollower(
        chain,
        store.index,
        { blockRange: 1000, concurrency: 4, pollInterval: 10, documents, reorgDepth: 64 },
        silent,
      )
    const block = async () => (await store.index.cursor(chain.chainId))?.block ?? -1

    it('are recorded and skipped; when no thread can start, the index waits', async () => {
      const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher: owner })
      const nft = new ocean.Nft(owner, chain.chainId)
      const publish = (data: string) =>
        mined(nft.setMetadata(asset.nft, owner.address, 0, '', '', '0x00', data, ethers.utils.id('x')))
      const broken = readerOf({ entry: new URL('../../../common/test/broken.mjs', import.meta.url) }).reader
      await expect(follower(broken).step()).rejects.toThrow(SandboxError)
      expect(await block()).toBe(0)

      const { reader } = readerOf()
      await publish('0x01')
      while (!(await follower(reader).step()));
      expect(await block()).toBe(await world.provider.getBlockNumber())
      expect((await store.index.asset(asset.did))?.metadata).toMatchObject({ reason: 'took too long to read' })
      await publish('0x')
      while (!(await follower(reader).step()));
      expect((await store.index.asset('did:op:first'))?.metadata).toMatchObject({ reason: null, ddo: '{}' })
    })

    it('do not delay a stop of the service', async () => {
      const { reader } = readerOf({ ...SLOW, deadline: 600_000 })
      const asset = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('b')), { publisher: owner })
      const nft = new ocean.Nft(owner, chain.chainId)
      await mined(nft.setMetadata(asset.nft, owner.address, 0, '', '', '0x00', '0x01', ethers.utils.id('x')))
      const before = await block()
      const running = follower(reader)
      running.start()
      const [sandbox] = open.slice(-1) as [TaskSandbox]
      while (sandbox.threads === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      await running.stop()
      expect(await block()).toBe(before)
    })
  })
})
