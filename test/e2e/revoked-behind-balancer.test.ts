import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHAIN_LIMITS } from '../../packages/chain/src/limits.js'
import { balancedNode } from '../helpers/balanced-node.js'
import { mined } from '../helpers/consume.js'
import { eventually } from '../helpers/eventually.js'
import { withLimits } from '../helpers/limits.js'
import type { Published } from '../helpers/publish.js'
import { ask, downloadUrl, served } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const ASSETS = 6
const REVOKED = 3

/** A service at an address that balances over nodes of different moments, whose lists of events may be a second and a half late. */
describe('assets behind a balancer', () => {
  withLimits(CHAIN_LIMITS, ({ confirmation }) => {
    // waits less for an event than it is late, so that lists are believed that lack it; final when it is surely there
    Object.assign(confirmation, { patience: 100, retry: 100, age: 2500, blocks: 1 })
    confirmation.early = [250, 750, 1750].map((age) => ({ age, blocks: 1 }))
  })
  let world: World
  let publisher: Wallet
  let buyer: Wallet
  beforeAll(async () => {
    const lags = { blocks: [0, 500], logs: [0, 1500], state: [0, 500], receipts: [0, 500] }
    const settings = {
      INDEX_POLL_INTERVAL: '100',
      INDEX_REORG_DEPTH: '3',
      READY_MAX_AGE: '600000',
      ORDER_WAIT: '60000',
    }
    world = await World.start(settings, async (rpcUrl) => [
      (await balancedNode(rpcUrl, { lags, repeats: 0.3, seed: 11 })).url,
    ])
    publisher = await world.somebody()
    buyer = await world.somebody()
  })

  const base = () => world.network.providerUrl
  const download = async ([asset, order]: Sold) => {
    const { status, json } = await ask(await downloadUrl(base(), asset, order, buyer))
    return status === 200 ? 'delivered' : (json.code as string)
  }

  /** Mines until a block is final for the index. */
  async function final(block: number): Promise<void> {
    const { index } = world.local.app.context.store
    await eventually(async () => {
      await world.rpc('evm_mine')
      const [checkpoints, { live }] = await Promise.all([
        index.checkpoints(world.network.chainId),
        index.generations(world.network.chainId),
      ])
      return (checkpoints.at(-1)?.block ?? -1) >= block && (live?.cursor.block ?? -1) >= block
    })
  }
  type Sold = readonly [asset: Published, order: string]

  /** Orders an asset once it is quoted: another node behind the balancer may not know it yet, and the index takes it back then. */
  async function ordered(asset: Published): Promise<string> {
    let order: string | undefined
    await eventually(async () => {
      order = await world.order(asset, buyer).catch((error: Error) => {
        if (!/^No quote: .*DID_NOT_RESOLVED/.test(error.message)) throw error
        return undefined
      })
      return order !== undefined
    })
    return order as string
  }

  it('are sold, and none is delivered after its revocation is final (threat 128)', async () => {
    const sold: Sold[] = []
    for (let at = 0; at < ASSETS; at++) {
      const asset = await world.publishUrl(world.storage.file(`/${at}.csv`, Buffer.from('tide')), { publisher })
      await served(base(), asset)
      const one = [asset, await ordered(asset)] as const
      await eventually(async () => {
        const answer = await download(one)
        expect(['delivered', 'DID_NOT_RESOLVED']).toContain(answer)
        return answer === 'delivered'
      })
      sold.push(one)
    }
    const kept = sold.pop() as Sold
    let last = 0
    for (const one of sold) {
      const nft = new ethers.Contract(one[0].nft, ['function setMetaDataState(uint8)'], publisher)
      const hash = await mined(nft.setMetaDataState?.(REVOKED) as never)
      last = (await world.provider.getTransactionReceipt(hash)).blockNumber
    }
    await final(last)
    for (const one of [...sold, ...sold]) expect(await download(one)).toBe('ASSET_NOT_CONSUMABLE')
    // others go on being sold
    expect(await download(kept)).toBe('delivered')
    const { json } = await ask(`${base()}/api/aquarius/assets/ddo/${kept[0].did}`)
    expect(json).toMatchObject({ id: kept[0].did })
  })
})
