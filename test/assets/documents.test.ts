import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ethers, type Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ocean } from '../../demo/client.js'
import { mined } from '../../demo/consume.js'
import { DocumentReader } from '../../src/assets/documents.js'
import { ChainFollower } from '../../src/assets/index/follower.js'
import type { Chain } from '../../src/chain/chains.js'
import { SandboxError } from '../../src/errors.js'
import { Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/store.js'
import { World } from '../helpers/world.js'

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const HASH = `0x${'00'.repeat(32)}` as const
const SLOW = { entry: new URL('../sandbox/readers.mjs', import.meta.url), deadline: 1500, memory: 32 }
const publisher = { nft: NFT, chain: { chainId: 1, keys: [] } } as const

describe('threat 37: documents that are not read to the end', () => {
  const open: Sandbox[] = []
  afterAll(async () => {
    for (const sandbox of open) await sandbox.close()
  })
  const readerOf = (options: SandboxOptions = SLOW) => {
    const sandbox = new Sandbox(options)
    open.push(sandbox)
    return { sandbox, reader: new DocumentReader(sandbox, 1000) }
  }
  const of = (data: `0x${string}`, tries?: Int32Array) => ({ flags: '0x' as const, data, hash: HASH, tries })

  it('have the reason as answer', async () => {
    const { reader } = readerOf()
    expect(await reader.decode(of('0x'), publisher)).toMatchObject({ did: 'did:op:first' })
    expect(await reader.decode(of('0x01'), publisher)).toEqual({ reason: 'took too long to read' })
    expect(await reader.decode(of('0x02'), publisher, { deadline: 20_000 })).toEqual({
      reason: 'needs too much memory',
    })
    expect(await reader.decode(of('0x03'), publisher)).toEqual({ reason: 'cannot be read' })
    expect(await reader.decode(of('0x'), publisher)).toMatchObject({ did: 'did:op:first' })
  })

  it('are tried once more where the answer is written down, and only where time was short', async () => {
    const { reader } = readerOf()
    const times = async (data: `0x${string}`) => {
      const tries = new Int32Array(new SharedArrayBuffer(4))
      return [await reader.decodeForGood(of(data, tries), publisher), tries[0]]
    }
    expect(await times('0x01')).toEqual([{ reason: 'took too long to read' }, 2])
    expect(await times('0x03')).toEqual([{ reason: 'cannot be read' }, 1])
    expect(await times('0x04')).toEqual([expect.objectContaining({ did: 'did:op:second' }), 2])
  })

  it('are not handed over where they are too long', async () => {
    const { sandbox, reader } = readerOf()
    const long = `0x${'00'.repeat(70_000)}` as const
    expect(await reader.decodeForGood(of(long), publisher)).toEqual({ reason: 'larger than MAX_DDO_SIZE' })
    expect(await reader.validate(new Uint8Array(1001))).toEqual({
      problems: { body: 'The body is larger than 1000 bytes.' },
    })
    expect(await reader.hint('x'.repeat(70_000))).toBeUndefined()
    expect(sandbox.threads).toBe(0)
  })

  it('are told from a sandbox that is closed or cannot start, which is no fault of theirs', async () => {
    const broken = readerOf({ entry: new URL('../sandbox/broken.mjs', import.meta.url) })
    await expect(broken.reader.decodeForGood(of('0x'), publisher)).rejects.toThrow(SandboxError)
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
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
    beforeAll(async () => {
      world = await World.start()
      owner = await world.somebody()
      const { chains } = world.local.app.context
      chain = chains.get(world.network.chainId) as Chain
      store = openSqliteStore(folder)
    })
    afterAll(async () => {
      await store.close()
      await world.close()
      rmSync(folder, { recursive: true })
    })
    const follower = (documents: DocumentReader) =>
      new ChainFollower(chain, store.index, { blockRange: 1000, pollInterval: 10, documents, reorgDepth: 64 }, silent)
    const block = async () => (await store.index.cursor(chain.chainId))?.block ?? -1

    it('are recorded, and the ones after them are read; without threads the index waits', async () => {
      const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher: owner })
      const nft = new ocean.Nft(owner, chain.chainId)
      const publish = (data: string) =>
        mined(nft.setMetadata(asset.nft, owner.address, 0, '', '', '0x00', data, ethers.utils.id('x')))
      const broken = readerOf({ entry: new URL('../sandbox/broken.mjs', import.meta.url) }).reader
      await expect(follower(broken).step()).rejects.toThrow(SandboxError)
      expect(await block()).toBe(-1)

      const { reader } = readerOf()
      await publish('0x01')
      while (!(await follower(reader).step()));
      expect(await block()).toBe(await world.provider.getBlockNumber())
      expect((await store.index.asset(asset.did))?.metadata).toMatchObject({ reason: 'took too long to read' })
      await publish('0x')
      while (!(await follower(reader).step()));
      expect((await store.index.asset('did:op:first'))?.metadata).toMatchObject({ reason: null, ddo: '{}' })
    })

    it('do not keep the service from stopping', async () => {
      const { reader } = readerOf({ ...SLOW, deadline: 600_000 })
      const asset = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('b')), { publisher: owner })
      const nft = new ocean.Nft(owner, chain.chainId)
      await mined(nft.setMetadata(asset.nft, owner.address, 0, '', '', '0x00', '0x01', ethers.utils.id('x')))
      const before = await block()
      const running = follower(reader)
      running.start()
      const [sandbox] = open.slice(-1) as [Sandbox]
      while (sandbox.threads === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      await running.stop()
      expect(await block()).toBe(before)
    })
  })
})
