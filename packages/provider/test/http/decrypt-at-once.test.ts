import { connect } from 'node:net'
import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { publish } from '../../../../test/helpers/publish.js'
import { ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'

const QUESTIONS = ['eth_call', 'eth_getTransactionReceipt', 'eth_getTransactionByHash']

describe('decrypt right after publishing', () => {
  let world: World
  let proxy: RpcProxy
  let publisher: Wallet
  const cache = newWallet()
  beforeAll(async () => {
    // the index does not poll for a while
    ;({ world, proxy } = await World.behindProxy({ INDEX_POLL_INTERVAL: '2000', ORDER_WAIT: '20000' }))
    publisher = await world.somebody()
  })

  const files = () => [{ type: 'url', url: world.storage.file('/a.csv', Buffer.from('a')), method: 'GET' }]
  async function request(nft: string, document: object): Promise<string> {
    const nonce = freshNonce()
    const signature = await signText(cache, `${cache.address}${nonce}decryptDDO`)
    return JSON.stringify({
      decrypterAddress: cache.address,
      chainId: 8996,
      dataNftAddress: nft,
      nonce,
      signature,
      ...document,
    })
  }
  const decrypt = async (nft: string, document: object) =>
    ask(`${world.network.providerUrl}/api/services/decrypt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await request(nft, document),
    })
  const isIndexed = async (did: string) => (await world.local.app.context.store.index.asset(did)) !== undefined

  /** The document that a transaction published, according to its event. */
  async function named(txId: string) {
    const event =
      'event MetadataCreated(address indexed createdBy, uint8 state, string decryptorUrl, bytes flags, bytes data, bytes32 metaDataHash, uint256 timestamp, uint256 blockNumber)'
    const iface = new ethers.utils.Interface([event])
    const { logs } = await world.provider.getTransactionReceipt(txId)
    const log = logs.find(({ topics }) => topics[0] === iface.getEventTopic('MetadataCreated'))
    const { data, flags, metaDataHash } = iface.parseLog(log as ethers.providers.Log).args
    return { encryptedDocument: data, flags, documentHash: metaDataHash }
  }

  it('by transaction, answers before the index has read its block', async () => {
    const asset = await publish({ network: world.network, publisher, files: files() })
    const before = await isIndexed(asset.did)
    const answer = await decrypt(asset.nft, { transactionId: asset.txId })
    expect([answer.status, answer.json]).toEqual([201, asset.ddo])
    expect(before).toBe(false)
  })

  it('by document, waits until the index has read it', async () => {
    const asset = await publish({ network: world.network, publisher, files: files() })
    const document = await named(asset.txId)
    expect(await isIndexed(asset.did)).toBe(false)
    const answer = await decrypt(asset.nft, document)
    expect([answer.status, answer.json]).toEqual([201, asset.ddo])
    expect(world.local.app.context.services.catalog.catchingUp.waiters).toBe(0)
  })

  it('by transaction, sends no node request if the index has it', async () => {
    const asset = await world.publish({ publisher, files: files() })
    proxy.forget()
    const answer = await decrypt(asset.nft, { transactionId: asset.txId.toUpperCase().replace('0X', '0x') })
    expect([answer.status, answer.json]).toEqual([201, asset.ddo])
    expect(proxy.calls.filter((method) => QUESTIONS.includes(method))).toEqual([])
    // another document is also refused at once, since the index has read everything
    const other = await decrypt(asset.nft, { ...(await named(asset.txId)), documentHash: `0x${'12'.repeat(32)}` })
    expect(other).toMatchObject({ status: 400, json: { code: 'DOCUMENT_UNKNOWN' } })
  })

  it('ends the wait of a client that disconnects', async () => {
    // the index reads no block meanwhile
    proxy.refuse = (method) => (method === 'eth_getLogs' ? { code: -32000, message: 'not now' } : undefined)
    const asset = await publish({ network: world.network, publisher, files: files() })
    const body = await request(asset.nft, await named(asset.txId))
    const { hostname, port } = new URL(world.network.providerUrl)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(
      `POST /api/services/decrypt HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    const { catchingUp } = world.local.app.context.services.catalog
    await eventually(() => catchingUp.waiters === 1)
    socket.destroy()
    await eventually(() => catchingUp.waiters === 0)
    expect(await isIndexed(asset.did)).toBe(false)
  })
})
