import { rmSync } from 'node:fs'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { compiled, deployed } from '../../../../test/helpers/contracts.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { heldBy } from '../../../../test/helpers/measured.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { NO_METHOD, type Refusal, TOO_MUCH } from '../../../../test/helpers/refusals.js'
import { ask } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { sized } from '../../../../test/helpers/sizes.js'
import { World } from '../../../../test/helpers/world.js'
import { Emitters, TOPICS } from '../../../catalog/src/index/blocks/emitters.js'
import { ChainFollower } from '../../../catalog/src/index/follower.js'
import type { IndexStore } from '../../../catalog/src/index/index-store.js'
import type { Chain } from '../../../chain/src/chains.js'
import type { IndexedAsset } from '../../../protocol/src/ddo/indexed.js'
import { connectChains } from '../../src/app/connect.js'
import { loadSettings } from '../../src/config/load.js'
import { openSqliteStore } from '../../src/state/sqlite.js'

/** Logs that the nodes return at most: as many as real ones, where it may take long. */
const LIMIT = sized(600, 10_000)

/** Refuses answers with more logs than nodes return. */
const limited =
  (refusal: Refusal, most = LIMIT) =>
  (method: string, _: unknown, truth: unknown) =>
    method === 'eth_getLogs' && (truth as unknown[]).length > most ? refusal : undefined

describe('a block whose events exceed the limits of the nodes', () => {
  let world: World
  let proxy: RpcProxy
  let crowd: Address
  /** Revoked in the crowded block. */
  let revoked: Published
  let kept: Published
  let crowded: number
  const folders: string[] = []

  beforeAll(async () => {
    ;({ world, proxy } = await World.behindProxy())
    crowd = await deployed(world.network.rpcUrl, 'Crowd')
    const publisher = await world.somebody()
    const publish = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher })
    ;[revoked, kept] = [await publish(), await publish()]
    proxy.refuse = limited(TOO_MUCH.Infura)
    // one block with a revocation amid thousands of events of a stranger
    await world.rpc('evm_setAutomine', [false])
    const nft = new ocean.Nft(publisher, world.network.chainId)
    await crowding('states', BigInt(LIMIT / 2 + 1))
    const revoking = nft.setMetadataState(revoked.nft, publisher.address, 3)
    await eventually(async () => Number((await txpool()).pending) === 2)
    await crowding('states', BigInt(LIMIT / 2))
    await world.rpc('evm_mine')
    await world.rpc('evm_setAutomine', [true])
    const txId = await mined(revoking)
    crowded = (await world.provider.getTransactionReceipt(txId)).blockNumber
  })
  afterAll(async () => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })
  afterEach(() => {
    proxy.refuse = () => undefined
  })

  const txpool = async () => (await world.rpc('txpool_status')) as { pending: Hex }
  async function crowding(functionName: string, size: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: compiled('Crowd').abi, functionName, args: [size] })
    const [from] = (await world.rpc('eth_accounts')) as Hex[]
    await world.rpc('eth_sendTransaction', [{ from, to: crowd, data, gas: '0x8000000' }])
  }
  const state = async ({ did }: Published) => {
    const { json } = await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)
    return (json.nft as { state: number } | undefined)?.state
  }

  /** Follows the chain through a node from the start to the head, in a new store. */
  async function follow(
    through: RpcProxy,
  ): Promise<{ find: (asset: Published) => Promise<IndexedAsset>; said: object[] }> {
    const { context } = world.local.app
    const settings = loadSettings({
      ...world.beside(),
      NETWORK_URL: JSON.stringify({ [world.network.chainId]: through.url }),
    })
    const chain = (await connectChains(settings)).get(world.network.chainId) as Chain
    const folder = newFolder()
    folders.push(folder)
    const store = openSqliteStore(folder)
    const said: object[] = []
    const note = (fields: object, message: string) => void said.push({ ...fields, message })
    const options = {
      blockRange: 500,
      concurrency: 4,
      pollInterval: 10,
      documents: context.services.catalog.documents,
      reorgDepth: 64,
    }
    const log = { debug: () => undefined, info: note, warn: note, error: note }
    const follower = new ChainFollower(chain, store.index, options, log)
    const head = await world.provider.getBlockNumber()
    // no pause between steps, even after a refused range
    for (let steps = 0; ((await store.index.cursor(chain.chainId))?.block ?? -1) < head; steps++) {
      expect(steps).toBeLessThan(60)
      await follower.step()
    }
    const found = await Promise.all([revoked, kept].map(({ did }) => store.index.asset(did)))
    await store.close()
    return { find: async (asset) => found[asset === revoked ? 0 : 1] as IndexedAsset, said }
  }

  it('is read by the running service, which then becomes ready (threat 46)', async () => {
    await eventually(async () => (await state(revoked)) === 3)
    expect(await state(kept)).toBe(0)
    await eventually(async () => (await ask(`${world.network.providerUrl}/ready`)).status === 200)
    const another = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('b')))
    expect(await state(another)).toBe(0)
  })

  it.each(Object.entries(TOO_MUCH))('is read from a node that answers with %s (threat 46)', async (_, refusal) => {
    const node = await RpcProxy.before(world.network.rpcUrl)
    node.refuse = limited(refusal)
    const { find, said } = await follow(node)
    expect((await find(revoked)).metadata.state).toBe(3)
    expect((await find(kept)).metadata).toMatchObject({ state: 0, reason: null })
    const words = 'status' in refusal ? 'answered 413' : `refuses with code ${refusal.code}`
    expect(said).toContainEqual(
      expect.objectContaining({ block: crowded, reason: words, message: 'block is read in parts' }),
    )
    node.close()
  })

  it('is read transaction by transaction when the node has no block receipts (threat 46)', async () => {
    const node = await RpcProxy.before(world.network.rpcUrl)
    const crowdedOut = limited(TOO_MUCH.Infura)
    node.refuse = (method, params, truth) =>
      method === 'eth_getBlockReceipts' ? NO_METHOD : crowdedOut(method, params, truth)
    const { find } = await follow(node)
    expect((await find(revoked)).metadata.state).toBe(3)
    expect(node.calls.filter((method) => method === 'eth_getTransactionReceipt').length).toBeGreaterThanOrEqual(3)
    node.close()
  })

  it('is read contract by contract when the node returns no receipts (threat 46)', async () => {
    const node = await RpcProxy.before(world.network.rpcUrl)
    const crowdedOut = limited(TOO_MUCH.Infura)
    node.refuse = (method, params, truth) => {
      if (method === 'eth_getBlockReceipts') return NO_METHOD
      const { logs } = (truth ?? {}) as { logs?: unknown[] }
      if (method === 'eth_getTransactionReceipt' && (logs?.length ?? 0) > 0.4 * LIMIT) return TOO_MUCH.jsonrpsee
      return crowdedOut(method, params, truth)
    }
    const { find } = await follow(node)
    expect((await find(revoked)).metadata.state).toBe(3)
    expect((await find(kept)).metadata.state).toBe(0)
    node.close()
  })

  it('makes only the asset unreadable whose own events are too long (threat 74)', async () => {
    const node = await RpcProxy.before(world.network.rpcUrl)
    node.refuse = (method, _params, truth) => {
      if (method === 'eth_getBlockReceipts' || method === 'eth_getTransactionReceipt') return TOO_MUCH.jsonrpsee
      if (method !== 'eth_getLogs') return undefined
      const logs = truth as { address: string; blockNumber: string }[]
      const at = logs.filter(({ blockNumber }) => Number(blockNumber) === crowded)
      const own = at.some(({ address }) => address.toLowerCase() === revoked.nft.toLowerCase())
      return own || logs.length > LIMIT ? TOO_MUCH.jsonrpsee : undefined
    }
    const { find, said } = await follow(node)
    expect((await find(revoked)).metadata).toMatchObject({ ddo: null, reason: 'has events that no node gives' })
    expect((await find(kept)).metadata).toMatchObject({ state: 0, reason: null })
    expect(said).toContainEqual(
      expect.objectContaining({ address: revoked.nft, block: crowded, message: 'event skipped by the index' }),
    )
    node.close()
  })

  it('is not skipped while the node that refuses it may recover', async () => {
    const node = await RpcProxy.before(world.network.rpcUrl)
    node.refuse = (method, params) => {
      if (method !== 'eth_getLogs') return undefined
      const [{ fromBlock, toBlock }] = params as [{ fromBlock?: Hex; toBlock?: Hex }]
      // no range with this block is answered, however small
      const has = Number(fromBlock) <= crowded && crowded <= Number(toBlock)
      return has || !fromBlock ? TOO_MUCH.Infura : undefined
    }
    await expect(follow(node)).rejects.toThrow('No node gives the events of these blocks')
    node.close()
  })

  it('is read when its answer exceeds the maximum length, and the log says why (threat 74)', async () => {
    await world.rpc('evm_setAutomine', [false])
    for (let count = 0; count < 3; count++) await crowding('large', 1_500_000n)
    await crowding('many', 400n)
    await eventually(async () => Number((await txpool()).pending) === 4)
    await world.rpc('evm_mine')
    await world.rpc('evm_setAutomine', [true])
    const head = await world.provider.getBlockNumber()
    await world.indexedTo(head)
    const node = await RpcProxy.before(world.network.rpcUrl)
    const { find, said } = await follow(node)
    expect(said).toContainEqual(
      expect.objectContaining({
        block: head,
        reason: 'answers more than 8388608 bytes, or too many values',
        message: 'block is read in parts',
      }),
    )
    expect((await find(kept)).metadata.state).toBe(0)
    node.close()
  })

  it('costs one statement for a few hundred emitters, and does not block the event loop (threat 46)', async () => {
    const chain = [...world.local.app.context.chains.values()][0] as Chain
    const address = (at: number) => `0x${at.toString(16).padStart(40, '0')}` as const
    const logs = Array.from({ length: 10_000 }, (_, at) => {
      const topics = [TOPICS.nft[at % 3] as Hex, `0x${'00'.repeat(32)}`]
      return { address: address(at % 1200), topics, data: `0x${'00'.repeat(96)}`, blockNumber: '0x1' }
    })
    let statements = 0
    const index = {
      known: (...args: Parameters<IndexStore['known']>) => {
        statements += 1
        return world.local.app.context.store.index.known(...args)
      },
    }
    let believed: unknown[] = logs
    const held = await heldBy(async () => {
      believed = await new Emitters(chain, index).trusted(logs as never)
    })
    expect(believed).toEqual([])
    expect(statements).toBe(3)
    expect(held).toBeLessThan(200)
  })
})
