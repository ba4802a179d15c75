import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Answer, ask, askJson, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'

describe('decrypt', () => {
  let world: World
  let asset: Published
  let publisher: Wallet
  let cache: Wallet
  let published: { flags: string; data: string; metaDataHash: string }

  beforeAll(async () => {
    world = await World.start()
    publisher = await world.somebody()
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher })
    cache = await world.somebody()
    const iface = new ethers.utils.Interface([
      'event MetadataCreated(address indexed createdBy, uint8 state, string decryptorUrl, bytes flags, bytes data, bytes32 metaDataHash, uint256 timestamp, uint256 blockNumber)',
    ])
    const { logs } = await world.provider.getTransactionReceipt(asset.txId)
    const log = logs.find(({ topics }) => topics[0] === iface.getEventTopic('MetadataCreated'))
    published = iface.parseLog(log as ethers.providers.Log).args as unknown as typeof published
  })

  async function decrypt(changed: Record<string, unknown> = {}, by = cache): Promise<Answer> {
    const nonce = (changed.nonce as string) ?? freshNonce()
    const body: Record<string, unknown> = {
      decrypterAddress: by.address,
      chainId: 8996,
      dataNftAddress: asset.nft,
      transactionId: asset.txId,
      ...changed,
      nonce,
    }
    const subject = (body.transactionId ?? body.dataNftAddress) as string
    body.signature = changed.signature ?? (await signText(by, subject + by.address + body.chainId + nonce))
    return askJson(`${world.network.providerUrl}/api/services/decrypt`, body)
  }
  const named = () => ({
    transactionId: undefined,
    encryptedDocument: published.data,
    flags: 2,
    documentHash: published.metaDataHash,
  })

  it('returns the document of a transaction, and of an encrypted document in the request', async () => {
    for (const answer of [await decrypt(), await decrypt(named()), await decrypt({ ...named(), flags: '0x02' })]) {
      expect(answer.status).toBe(201)
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
      expect(answer.json).toEqual(asset.ddo)
    }
  })

  it('consumes the nonce of a refused request, so that repeating it costs no chain request (threat 39)', async () => {
    const proxies: RpcProxy[] = []
    const nodes = async (url: string) => {
      proxies.push(await RpcProxy.before(url))
      return proxies.map((proxy) => proxy.url)
    }
    const other = await World.start({ ORDER_WAIT: '0', INDEX_POLL_INTERVAL: '60000' }, nodes)
    const node = proxies[0] as RpcProxy
    const caller = newWallet()
    const foreign = newWallet().address
    const transactionId = `0x${'12'.repeat(32)}`
    const send = async (nonce: string, headers: Record<string, string> = {}) => {
      const signature = await signText(caller, `${transactionId}${caller.address}8996${nonce}`)
      const proof = headers.authtoken ? {} : { nonce, signature }
      return askJson(
        `${other.network.providerUrl}/api/services/decrypt`,
        {
          decrypterAddress: caller.address,
          chainId: 8996,
          dataNftAddress: foreign,
          transactionId,
          ...proof,
        },
        { headers },
      )
    }
    const asked = () => node.calls.filter((method) => method === 'eth_call').length
    const nonce = freshNonce()
    node.forget()
    expect(await send(nonce)).toMatchObject({ status: 400, json: { code: 'NFT_UNKNOWN' } })
    const once = asked()
    expect(once).toBeGreaterThan(0)
    for (const again of await Promise.all(Array.from({ length: 10 }, () => send(nonce))))
      expect(again).toMatchObject({ status: 400, json: { errors: { nonce: [expect.any(String)] } } })
    expect(asked()).toBe(once)
    // of many concurrent ones with the same nonce, one is checked against the chain
    const next = freshNonce()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(next)))
    expect(answers.filter(({ json }) => json.code === 'NFT_UNKNOWN')).toHaveLength(1)
    expect(asked()).toBe(2 * once)
    // a request with a token has no nonce to consume
    const created = freshNonce()
    const params = new URLSearchParams({
      address: caller.address,
      nonce: created,
      signature: await signText(caller, caller.address + created),
      expiration: String(Math.floor(Date.now() / 1000) + 600),
    })
    const { json } = await ask(`${other.network.providerUrl}/api/services/createAuthToken?${params}`)
    for (let time = 0; time < 2; time++)
      expect(await send('', { authtoken: json.token as string })).toMatchObject({ json: { code: 'NFT_UNKNOWN' } })
    await other.close()
    node.close()
  })

  it("refuses another NFT's transaction, other documents, and files objects (threat 18)", async () => {
    const other = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('b')), { publisher })
    const files = asset.ddo.services[0]?.files as string
    const plain = JSON.stringify({ nftAddress: asset.nft, datatokenAddress: asset.datatoken, files: [] })
    const hash = `0x${ocean.getHash(plain)}`
    expect(await decrypt({ transactionId: other.txId })).toMatchObject({
      status: 400,
      json: { code: 'DOCUMENT_UNKNOWN' },
    })
    expect(await decrypt({ transactionId: `0x${'12'.repeat(32)}` })).toMatchObject({
      json: { code: 'DOCUMENT_UNKNOWN' },
    })
    expect(await decrypt({ ...named(), encryptedDocument: files })).toMatchObject({
      json: { code: 'DOCUMENT_UNKNOWN' },
    })
    expect(await decrypt({ ...named(), documentHash: hash })).toMatchObject({ json: { code: 'DOCUMENT_UNKNOWN' } })
    // the files of a service stay encrypted even if published as metadata of one's own NFT
    const nft = new ocean.Nft(publisher, 8996)
    const sent = nft.setMetadata(other.nft, publisher.address, 0, '', '', '0x02', files, ethers.utils.id('x'))
    const stolen = await decrypt({ dataNftAddress: other.nft, transactionId: await mined(sent) })
    expect(stolen).toMatchObject({ status: 400, json: { code: 'DOCUMENT_UNREADABLE' } })
    expect(stolen.text).not.toContain(world.storage.origin)
  })

  it('refuses NFTs of other factories, and other contracts', async () => {
    expect(await decrypt({ dataNftAddress: asset.datatoken })).toMatchObject({
      status: 400,
      json: { code: 'NFT_UNKNOWN' },
    })
    expect(await decrypt({ dataNftAddress: cache.address })).toMatchObject({
      status: 400,
      json: { code: 'NFT_UNKNOWN' },
    })
  })

  it('decrypts active, disabled and unlisted assets only', async () => {
    const nft = new ocean.Nft(publisher, 8996)
    const statuses: number[] = []
    for (const state of [1, 2, 3, 4, 5, 0]) {
      await world.indexed(await mined(nft.setMetadataState(asset.nft, publisher.address, state)))
      statuses.push((await decrypt()).status)
    }
    expect(statuses).toEqual([403, 403, 403, 201, 201, 201])
  })

  it.each([
    [{ chainId: 'x' }, 'chainId'],
    [{ dataNftAddress: '0x1' }, 'dataNftAddress'],
    [{ transactionId: '0x1' }, 'transactionId'],
    [{ transactionId: undefined, encryptedDocument: 'zz' }, 'encryptedDocument'],
    [{ transactionId: undefined, encryptedDocument: '0x012' }, 'encryptedDocument'],
    [{ transactionId: undefined, encryptedDocument: '0x0g' }, 'encryptedDocument'],
    [{ transactionId: undefined, encryptedDocument: '0x\u0130\u0131' }, 'encryptedDocument'],
    [{ transactionId: undefined, flags: 300 }, 'flags'],
    [{ signature: '0x12' }, 'signature'],
    [{ decrypterAddress: undefined }, 'decrypterAddress'],
  ])('names the field that is wrong in %j', async (changed, field) => {
    const { status, json } = await decrypt(changed)
    expect(status).toBe(400)
    expect(json.errors).toHaveProperty(field)
  })

  it.each([
    `0x0${'12'.repeat(3_000_000)}`,
    `0x${'12'.repeat(3_000_000)}zz`,
  ])('names a document of megabytes that is not hex', async (encryptedDocument) => {
    const { status, json } = await decrypt({ transactionId: undefined, encryptedDocument })
    expect({ status, errors: json.errors }).toEqual({
      status: 400,
      errors: { encryptedDocument: ['The encryptedDocument field must be hex, two digits a byte after 0x.'] },
    })
  })
})
