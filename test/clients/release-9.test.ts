import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../helpers/publish.js'
import { type Answer, ask, signText } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

/**
 * The requests of @oceanprotocol/lib 9 (read from 9.0.0-next.11), which the npm registry does not have yet: paths that
 * it does not read from the provider, the last nonce plus one, and texts that name the command.
 */
describe('@oceanprotocol/lib 9', () => {
  const CONTENT = 'hour,height\n00:00,3.1\n'
  const json = { 'Content-Type': 'application/json' }
  /** Headers of metadata requests without a token: `fetch` turns an undefined value to this text. */
  const withoutToken = { ...json, Authorization: 'undefined' }
  let world: World
  let url: string
  let asset: Published
  let wallet: Wallet
  beforeAll(async () => {
    world = await World.start()
    url = world.network.providerUrl
    asset = await world.publishUrl(world.storage.file('/data/tides.csv', Buffer.from(CONTENT)))
    wallet = await world.somebody()
  })

  const post = (path: string, body: object, headers: Record<string, string> = json): Promise<Answer> =>
    ask(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const nonceOf = async (address: string) =>
    Number((await ask(`${url}/api/services/nonce?userAddress=${address}`, { headers: json })).json.nonce ?? 0)
  async function signed(command: string, issuer = '') {
    const nonce = String((await nonceOf(wallet.address)) + 1)
    return { nonce, signature: await signText(wallet, wallet.address + nonce + command + issuer) }
  }
  async function createToken(): Promise<string> {
    const { id } = (await post('/directCommand', { command: 'status' })).json
    const proof = await signed('createAuthToken', String(id))
    return (await post('/api/services/auth/token', { address: wallet.address, ...proof })).json.token as string
  }
  const encrypted = (data: object, proof: Record<string, string>) => {
    const query = new URLSearchParams({ chainId: '8996', consumerAddress: wallet.address, ...proof })
    const headers = { 'Content-Type': 'application/octet-stream' }
    const body = JSON.stringify(data)
    return ask(`${url}/api/services/encrypt?${query}`, { method: 'POST', headers, body })
  }

  it('finds a valid provider, and resolves and searches assets without a token', async () => {
    expect((await ask(url, { headers: json })).json.providerAddresses ?? '').not.toBe('')
    const path = `${url}/api/aquarius/assets`
    expect((await ask(`${path}/ddo/${asset.did}`, { headers: withoutToken })).json.id).toBe(asset.did)
    expect((await ask(`${path}/metadata/${asset.did}`, { headers: withoutToken })).json.name).toEqual(
      expect.any(String),
    )
    const query = { query: { term: { id: asset.did } } }
    const found = await post('/api/aquarius/assets/metadata/query', query, withoutToken)
    expect(JSON.parse(found.text)).toEqual([expect.objectContaining({ id: asset.did })])
  })

  it('encrypts with a signature, and with an address alone if it has a token', async () => {
    for (const proof of [await signed('encrypt'), {}]) {
      const { text } = await encrypted({ tide: 'höh' }, proof)
      expect(text).toMatch(/^0x04[0-9a-f]+$/)
    }
  })

  it('describes files at fileInfo, spelled with a capital letter', async () => {
    const of = [
      { type: 'url', url: `${world.storage.origin}/data/tides.csv`, method: 'GET', checksum: true },
      { did: asset.did, serviceId: 'tide-access', checksum: false },
    ]
    for (const body of of) {
      const { status, text } = await post('/api/services/fileInfo', body)
      expect(status).toBe(200)
      expect(JSON.parse(text)).toMatchObject([{ valid: true, contentLength: '22' }])
    }
  })

  it('validates with a signature and with a token, and reads the proof', async () => {
    const path = '/api/aquarius/assets/ddo/validate'
    const publisherAddress = wallet.address
    const ddo = asset.ddo
    // In sequence: the token's nonce is read once the first signature's was used.
    const bySignature = await post(path, { ddo, publisherAddress, ...(await signed('validateDDO')) }, withoutToken)
    const byToken = await post(path, { ddo, publisherAddress }, { ...json, Authorization: await createToken() })
    for (const { json } of [bySignature, byToken])
      expect(json).toMatchObject({
        publicKey: world.network.providerAddress,
        hash: expect.stringMatching(/^0x/),
        r: [expect.stringMatching(/^0x/)],
        s: [expect.stringMatching(/^0x/)],
        v: expect.any(Number),
      })
  })

  it('orders with the quote, and downloads with a signature and with a token, until it invalidates that', async () => {
    const parts = `documentId=${asset.did}&serviceId=tide-access&fileIndex=0&consumerAddress=${wallet.address}`
    const quote = await ask(`${url}/api/services/initialize?${parts}&environment=free&validUntil=0`, { headers: json })
    expect(quote.json).toMatchObject({ datatoken: asset.datatoken, providerFee: { providerFeeAmount: '0' } })
    const link = `${url}/api/services/download?${parts}&transferTxId=${await world.order(asset, wallet)}`
    const { nonce, signature } = await signed('download')
    expect((await ask(`${link}&nonce=${nonce}&signature=${signature}`)).text).toBe(CONTENT)

    const token = await createToken()
    const withToken = () => ask(link, { headers: { Authorization: token } })
    expect((await withToken()).text).toBe(CONTENT)
    const body = { address: wallet.address, token, ...(await signed('invalidateAuthToken')) }
    expect((await post('/api/services/auth/token/invalidate', body)).json.success).toBe(true)
    expect((await withToken()).json.code).toBe('TOKEN_DELETED')
  })
})
