import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { balancedNode } from '../../../../test/helpers/balanced-node.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, downloadUrl, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { AccessLists } from '../../src/access/rules/access-lists.js'
import { AccessListContract } from '../access/access-list.js'
import { deployMultisig } from '../auth/multisig.js'

/** Every second call is answered from a second ago. */
const HALF = [0, 1000]

describe('a service whose node answers from different moments', () => {
  let world: World
  let owner: Wallet
  beforeAll(async () => {
    const lags = { blocks: HALF, state: HALF, receipts: HALF }
    world = await World.start(
      { ORDER_WAIT: '60000', READY_MAX_AGE: '600000', INDEX_POLL_INTERVAL: '50' },
      async (rpcUrl) => [(await balancedNode(rpcUrl, { lags, seed: 7 })).url],
    )
    owner = await world.somebody()
  })
  const base = () => world.network.providerUrl
  const chain = async () => {
    const { chains } = (await ask(`${base()}/ready`)).json
    return (chains as [{ head: number | null; limits?: { limits: string[] }[] }])[0]
  }

  it('names it in /ready, and its head never goes back (threat 128)', async () => {
    let last = 0
    await eventually(async () => {
      await world.rpc('evm_mine')
      const { head, limits } = await chain()
      if (head === null) return false
      expect(head).toBeGreaterThanOrEqual(last)
      last = head
      return limits?.some(({ limits: names }) => names.includes('mixes answers of different moments'))
    })
  })

  it('verifies orders that were just made (threat 128)', async () => {
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))
    for (let time = 0; time < 3; time++) {
      const buyer = await world.somebody()
      const txId = await world.order(asset, buyer)
      expect((await ask(await downloadUrl(base(), asset, txId, buyer))).text).toBe('tide')
    }
  })

  it('accepts the signature of a wallet that was just deployed (threat 128)', async () => {
    for (let time = 0; time < 3; time++) {
      const wallet = await deployMultisig(world.network.rpcUrl, 2)
      const nonce = freshNonce()
      const signature = await wallet.sign(wallet.address + nonce)
      const expiration = String(Math.floor(Date.now() / 1000) + 600)
      const params = new URLSearchParams({ address: wallet.address, nonce, signature, expiration })
      expect((await ask(`${base()}/api/services/createAuthToken?${params}`)).json).toHaveProperty('token')
    }
  })

  it('admits nobody whose removal from an access list is five seconds old (threat 128)', async () => {
    const member = await world.somebody()
    const list = await AccessListContract.deployed(world.network.addresses.AccessListFactory as string, owner, [
      member.address,
    ])
    const memberships = new AccessLists(world.local.app.context.chains, 1)
    const has = () =>
      memberships.has({ chainId: world.network.chainId, list: list.address as never }, member.address as never)
    expect(await has()).toBe(true)
    await list.burn(member)
    const removed = performance.now()
    // it may be admitted until then
    await eventually(() => performance.now() - removed > 5000)
    for (let time = 0; time < 10; time++) expect(await has()).toBe(false)
  })

  it('control: a stranger is not admitted, and a wrong signature is refused', async () => {
    const stranger = await world.somebody()
    const nonce = freshNonce()
    const signature = await signText(owner, stranger.address + nonce)
    const expiration = String(Math.floor(Date.now() / 1000) + 600)
    const params = new URLSearchParams({ address: stranger.address, nonce, signature, expiration })
    expect((await ask(`${base()}/api/services/createAuthToken?${params}`)).status).toBe(400)
  })
})
