import { isDeepStrictEqual } from 'node:util'
import { toHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { balancedNode } from '../../../../test/helpers/balanced-node.js'
import { type ChainWithContracts, chainWithContracts } from '../../../../test/helpers/chain.js'
import { chainAt } from '../../../../test/helpers/chain-at.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { deployed } from '../../../../test/helpers/contracts.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { batched, publishMany, stateCall } from '../../../../test/helpers/many-assets.js'
import { reorganise } from '../../../../test/helpers/reorganise.js'
import { forwardTo, RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import type { Chain } from '../../../chain/src/chains.js'
import { CHAIN_LIMITS } from '../../../chain/src/limits.js'
import { DEV_CHAIN_ID } from '../../../dev-network/src/anvil.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { DocumentReader } from '../../src/documents.js'
import { ChainFollower } from '../../src/index/follower.js'
import { type Catalog, onBothDatabases, sqliteCatalog } from '../catalog.js'
import { DocumentSandbox } from '../sandbox.js'

const LIMITS = CHAIN_LIMITS.confirmation
const HONEST_LIMITS = { ...LIMITS }
/** For `eventually`: each look reads the chain, and what it waits for takes the node a second. */
const SELDOM = [undefined, 100] as const

/** The index behind an address whose blocks and logs are of different moments. */
describe('a node that is many nodes', () => {
  let network: ChainWithContracts
  let batch: `0x${string}`
  /** The chain as each test finds it: each reads all of it, several times. */
  let start: unknown
  const sandbox = new DocumentSandbox()
  const documents = new DocumentReader(sandbox, 1e6)
  const corrections: number[] = []
  beforeAll(async () => {
    network = await chainWithContracts()
    batch = await deployed(network.rpcUrl, 'Batch')
    start = (await rpc('evm_snapshot')).result
  })
  afterAll(() => sandbox.close())
  beforeEach(() => void corrections.splice(0))
  afterEach(async () => {
    Object.assign(LIMITS, HONEST_LIMITS)
    await rpc('evm_revert', start)
    start = (await rpc('evm_snapshot')).result
  })

  const rpc = (method: string, ...params: unknown[]) => forwardTo(network.rpcUrl)(method, params)
  const head = async () => Number((await rpc('eth_blockNumber')).result)

  function chainOf(url: string): Chain {
    const { ERC721Factory: factory, chainId, startBlock } = network.addresses
    return chainAt({ network: 'development', chainId, startBlock, factory }, [url])
  }

  function followerOf(chain: Chain, store: Catalog): ChainFollower {
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
    const onCorrected = (chainId: number) => void corrections.push(chainId)
    const options = { blockRange: 500, concurrency: 4, pollInterval: 10, documents, reorgDepth: 64, onCorrected }
    return new ChainFollower(chain, store.index, options, silent)
  }
  const publish = async (chain: Chain, count: number) => {
    const { ERC721Factory: factory } = network.addresses
    const nfts = await publishMany(network.rpcUrl, { factory, batch, publicKey: chain.key.publicKey, count })
    return nfts.map((nft) => ({ nft, did: didOf(nft, DEV_CHAIN_ID) }))
  }
  const revoke = (nft: `0x${string}`) => batched(network.rpcUrl, batch, [stateCall(nft, 3)])
  const isAtHead = async (store: Catalog) => (await store.index.cursor(DEV_CHAIN_ID))?.block === (await head())

  /** The rows that a perfect node gives. */
  async function perfect(dids: string[]) {
    const store = sqliteCatalog(newFolder())
    const follower = followerOf(chainOf(network.rpcUrl), store)
    await eventually(async () => {
      await follower.step()
      return isAtHead(store)
    })
    const assets = await Promise.all(dids.map((did) => store.index.asset(did)))
    await store.close()
    return assets
  }

  onBothDatabases((session) => {
    it('never passes a block whose events are late (threat 128)', async () => {
      const proxy = await RpcProxy.before(network.rpcUrl)
      const chain = chainOf(proxy.url)
      const [asset] = await publish(chain, 1)
      const follower = followerOf(chain, session.store)
      await eventually(async () => {
        await follower.step()
        return isAtHead(session.store)
      })
      // the log index of the node stands still
      proxy.lie = (method, truth) => (method === 'eth_getLogs' ? [] : truth)
      await revoke(asset?.nft as `0x${string}`)
      const at = await head()
      for (let steps = 0; steps < 5; steps++) await follower.step()
      expect((await session.store.index.cursor(DEV_CHAIN_ID))?.block).toBe(at - 1)
      proxy.lie = (_, truth) => truth
      await follower.step()
      expect((await session.store.index.asset(asset?.did as string))?.metadata.state).toBe(3)
      expect((await session.store.index.cursor(DEV_CHAIN_ID))?.block).toBe(at)
      expect(corrections).toEqual([])
    })

    it.each([
      'full',
      'empty',
    ])('corrects late events by a second reading if blooms are %s (threat 128)', async (blooms) => {
      Object.assign(LIMITS, { early: [{ age: 0, blocks: 8 }], retry: 0 })
      const proxy = await RpcProxy.before(network.rpcUrl)
      const chain = chainOf(proxy.url)
      const [asset] = await publish(chain, 1)
      const follower = followerOf(chain, session.store)
      const logsBloom = `0x${(blooms === 'full' ? 'ff' : '00').repeat(256)}`
      const bloomed = (method: string, truth: unknown) =>
        method === 'eth_getBlockByNumber' && truth ? { ...truth, logsBloom } : truth
      proxy.lie = bloomed
      await eventually(async () => {
        await follower.step()
        return isAtHead(session.store)
      })
      proxy.lie = (method, truth) => (method === 'eth_getLogs' ? [] : bloomed(method, truth))
      await revoke(asset?.nft as `0x${string}`)
      await follower.step()
      // such a bloom proves nothing, so the index does not wait
      expect(await isAtHead(session.store)).toBe(true)
      expect((await session.store.index.asset(asset?.did as string))?.metadata.state).toBe(0)
      proxy.lie = bloomed
      await eventually(async () => {
        await follower.step()
        return (await session.store.index.asset(asset?.did as string))?.metadata.state === 3 && isAtHead(session.store)
      })
      expect(corrections).toEqual([DEV_CHAIN_ID])
    })

    it('keeps events that a later reading lacks (threat 128)', async () => {
      Object.assign(LIMITS, { early: [{ age: 0, blocks: 1 }], retry: 0, age: 0, blocks: 1 })
      const proxy = await RpcProxy.before(network.rpcUrl)
      const chain = chainOf(proxy.url)
      const [asset] = await publish(chain, 1)
      const follower = followerOf(chain, session.store)
      await eventually(async () => {
        await follower.step()
        return isAtHead(session.store)
      })
      const oldest = async () => (await session.store.index.checkpoints(DEV_CHAIN_ID)).at(-1)?.block as number
      const before = await oldest()
      proxy.lie = (method, truth) => (method === 'eth_getLogs' ? [] : truth)
      await rpc('anvil_mine', toHex(100))
      for (let steps = 0; steps < 8; steps++) await follower.step()
      expect((await session.store.index.asset(asset?.did as string))?.metadata.state).toBe(0)
      expect(corrections).toEqual([])
      expect(await oldest()).toBe(before)
      proxy.lie = (_, truth) => truth
      await eventually(async () => {
        await follower.step()
        return (await oldest()) > before
      })
    })

    it('costs a good node two requests for a new block, with its events', async () => {
      const proxy = await RpcProxy.before(network.rpcUrl)
      const chain = chainOf(proxy.url)
      const [asset] = await publish(chain, 1)
      const follower = followerOf(chain, session.store)
      await eventually(async () => {
        await follower.step()
        return isAtHead(session.store)
      })
      const costOf = async () => {
        proxy.forget()
        expect(await follower.step()).toBe(true)
        expect(await isAtHead(session.store)).toBe(true)
        return { requests: proxy.posts, calls: proxy.calls }
      }
      const headers = ['eth_getBlockByNumber', 'eth_getBlockByNumber']
      await rpc('evm_mine')
      expect(await costOf()).toEqual({ requests: 1, calls: headers })
      await revoke(asset?.nft as `0x${string}`)
      expect(await costOf()).toEqual({ requests: 2, calls: [...headers, 'eth_getLogs'] })
      await rpc('anvil_mine', toHex(10))
      expect(await costOf()).toEqual({ requests: 2, calls: Array(2 + 9).fill('eth_getBlockByNumber') })
    })

    it.each([1, 2, 3])('equals the index of a perfect node, seed %i (threat 128)', async (seed) => {
      const lags = [0, 0, 600, 1500]
      const node = await balancedNode(network.rpcUrl, { lags: { blocks: lags, logs: lags }, repeats: 0.2, seed })
      const chain = chainOf(node.url)
      const follower = followerOf(chain, session.store)
      const published: { nft: `0x${string}`; did: string }[] = []
      for (let round = 0; round < 4; round++) {
        published.push(...(await publish(chain, 3)))
        for (let steps = 0; steps < 3; steps++) await follower.step().catch(() => undefined)
        await revoke(published[round]?.nft as `0x${string}`)
        if (round === 2) await reorganise((method, params) => rpc(method, ...params), 2)
        await follower.step().catch(() => undefined)
      }
      const dids = published.map(({ did }) => did)
      const expected = await perfect(dids)
      await eventually(
        async () => {
          await follower.step().catch(() => undefined)
          if (!(await isAtHead(session.store))) return false
          const assets = await Promise.all(dids.map((did) => session.store.index.asset(did)))
          return isDeepStrictEqual(assets, expected)
        },
        ...SELDOM,
      )
    })
  })
})
