import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { DatatokenSales } from '../../../../test/helpers/datatoken-sales.js'
import { publishedAnew, SSI } from '../../../../test/helpers/policy-asset.js'
import { VALID } from '../../../../test/helpers/policy-server.js'
import { ask, askJson, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import {
  asset,
  base,
  buyer,
  did,
  download,
  EMPTY,
  initialize,
  KEY,
  passed,
  post,
  present,
  publisher,
  server,
  sessionText,
  started,
  txId,
  usePolicyScene,
  world,
} from './policy-scene.js'

/** Credentials of data spaces, which a policy server judges. */
describe('a policy server (threat 130)', () => {
  usePolicyScene()

  it('gives the file to who presents, and to nobody else', async () => {
    expect((await download()).json).toMatchObject({ code: 'POLICY_DENIED' })
    const session = await started()
    const before = await download(sessionText(session))
    expect([before.status, before.json.code]).toEqual([403, 'POLICY_DENIED'])
    expect((await present(session, 'eyJ.other')).status).toBe(400)
    expect((await download(sessionText(session))).status).toBe(403)
    expect((await present(session)).json).toMatchObject({ success: true, message: { sessionId: session } })
    expect((await download(sessionText(session))).text).toBe('tide')
  })

  it('gets the questions of Ocean Node, with the document of the index and the key', async () => {
    const session = await passed()
    await download(sessionText(session))
    const [asked] = server.of('download')
    const { ddo, ...question } = asked as { ddo: Record<string, unknown> }
    expect(question).toEqual({
      ...{ action: 'download', documentId: did, serviceId: 'tide-access', consumerAddress: buyer.address },
      ...{ policyServer: { sessionId: session, ...EMPTY }, nodeAddress: world.network.providerAddress },
    })
    expect(ddo).toMatchObject({ id: did, version: '5.0.0', credentialSubject: { credentials: { allow: [SSI] } } })
    expect(ddo.indexedMetadata).toBeDefined()
    expect(new Set(server.asked.map(({ headers }) => headers['x-api-key']))).toEqual(new Set([KEY]))
    const [initiated] = server.of('initiate') as [Record<string, unknown>]
    expect({ ...initiated, ddo: undefined }).toEqual({
      ...{ action: 'initiate', documentId: did, serviceId: 'tide-access', consumerAddress: buyer.address },
      ...{ policyServer: { sessionId: '', ...EMPTY }, nodeAddress: world.network.providerAddress, ddo: undefined },
    })
    // the address is that of the consumer in one spelling, which the session is bound to
    expect(await started(buyer.address.toLowerCase())).toMatch(session.split('-')[0] as string)
  })

  it('is asked once for a session within POLICY_CACHE, and for each asset, service, consumer and session by itself', async () => {
    const [mine, other] = [await passed(), await passed()]
    const count = () => server.of('download').length
    for (const session of [mine, mine, mine]) expect((await download(sessionText(session))).status).toBe(200)
    expect(count()).toBe(1)
    expect((await download(sessionText(other))).status).toBe(200)
    expect(count()).toBe(2)
    const stranger = await world.somebody()
    const hers = await passed(stranger.address)
    // a session of somebody else, and one of nobody
    expect((await download(sessionText(hers))).json).toMatchObject({ code: 'POLICY_DENIED' })
    const forged = await download(sessionText(`${mine.split('-')[0]}-${'0'.repeat(64)}`))
    expect(forged.json).toMatchObject({ code: 'POLICY_DENIED' })
    expect(count()).toBe(4)
    // no order: the policy server is not asked
    expect((await download(sessionText(hers), did, stranger)).json).toMatchObject({ code: 'ORDER_WRONG_CONSUMER' })
    expect(count()).toBe(4)
    await publishedAnew(world, publisher, asset, { allow: [SSI] }, { allow: [SSI] })
    expect((await download(sessionText(mine))).status).toBe(200)
    expect(count()).toBe(5)
  })

  it('opens no other asset and no other level', async () => {
    const other = await world.sold(world.storage.file('/b.csv', Buffer.from('ebb')), { publisher })
    const second = await publishedAnew(world, publisher, other.asset, undefined, { allow: [SSI] })
    const query = async (policyServer: string) =>
      ask(
        `${base}/download?${await downloadParams({ ...other.asset, did: second }, other.txId, other.buyer, { policyServer })}`,
      )
    const foreign = await passed(other.buyer.address)
    expect((await query(sessionText(foreign))).json).toMatchObject({ code: 'POLICY_DENIED' })
    const own = await passed(other.buyer.address, second)
    expect((await query(sessionText(own))).text).toBe('ebb')
    // an address list of the service counts beside it
    const named = { allow: [{ type: 'address', values: [publisher.address] }] }
    await publishedAnew(world, publisher, other.asset, { allow: [SSI] }, named)
    const asked = server.of('download').length
    expect((await query(sessionText(await passedNowhere(other.buyer.address, second)))).json).toMatchObject({
      code: 'CREDENTIALS_DENIED',
    })
    expect(server.of('download')).toHaveLength(asked)
  })
  /** A session is refused before it starts where an address list denies already. */
  async function passedNowhere(consumer: string, of: string): Promise<string> {
    const refused = await post('initializePSVerification', {
      ...{ documentId: of, serviceId: 'tide-access', consumerAddress: consumer, policyServer: EMPTY },
    })
    expect(refused.json).toMatchObject({ code: 'CREDENTIALS_DENIED' })
    return 'none'
  }

  it('may be asked by a quote, which says otherwise that the download needs it', async () => {
    expect((await initialize()).json).toMatchObject({ policyServer: 'required', datatoken: asset.datatoken })
    expect((await initialize({ policyServer: sessionText(await started()) })).json).toMatchObject({
      code: 'POLICY_DENIED',
    })
    const quote = await initialize({ policyServer: sessionText(await passed()) })
    expect([quote.status, quote.json.policyServer]).toEqual([200, undefined])
  })

  it('decides again at each use of a download link, in the session that the link was made with', async () => {
    const session = await passed()
    const nonce = freshNonce()
    const made = await post('download/link', {
      ...{
        documentId: did,
        serviceId: 'tide-access',
        transferTxId: txId,
        fileIndex: 0,
        consumerAddress: buyer.address,
      },
      ...{ nonce, signature: await signText(buyer, `${buyer.address}${nonce}downloadLink`) },
      policyServer: { sessionId: session, ...EMPTY },
    })
    expect(made.status).toBe(201)
    expect(made.text).not.toContain(session)
    expect((await ask(made.json.url as string)).text).toBe('tide')
    // the decision is about the document of then
    await publishedAnew(world, publisher, asset, { allow: [SSI] })
    await present(session, 'eyJ.withdrawn')
    expect((await ask(made.json.url as string)).json).toMatchObject({ code: 'POLICY_DENIED' })
  })

  it('works with the calls of the published client and of the Enterprise market', async () => {
    const require = createRequire(import.meta.url)
    const library = require('ocean-lib-8')
    const { ethers } = createRequire(require.resolve('ocean-lib-8'))('ethers')
    library.LoggerInstance.setLevel(library.LogLevel.None)
    const client = library.ProviderInstance
    const url = world.network.providerUrl
    const signer = new ethers.Wallet(buyer.privateKey, new ethers.JsonRpcProvider(world.network.rpcUrl))
    const policyServer = { sessionId: 'd2b8c0aa-6f5b-4c52-b7c3-6a8f0a6f3a11', ...EMPTY }
    const command = { documentId: did, serviceId: 'tide-access', consumerAddress: buyer.address, policyServer }
    const { success, message } = await client.initializePSVerification(url, command)
    expect([success, message.redirectUri]).toEqual([true, expect.stringMatching(/^openid4vp:/)])
    // the market quotes between both, without the session
    const quote = await client.initialize(did, 'tide-access', 0, buyer.address, url)
    expect(quote.datatoken).toBe(asset.datatoken)
    const { sessionId } = message
    const passthrough = (sent: object) => client.PolicyServerPassthrough(url, { policyServerPassthrough: sent })
    expect((await passthrough({ action: 'getPD', sessionId })).message).toMatchObject({
      input_descriptors: [{ id: 'Degree' }],
    })
    await expect(passthrough({ action: 'checkSessionId', sessionId })).rejects.toThrow('"success":false')
    // as the policy server itself spells the path, where the wallet sends the presentation to it
    const proxied = { policyServerPassthrough: { action: 'presentationRequest', sessionId, vp_token: VALID } }
    expect((await post('PolicyServerPassThrough', proxied)).json).toMatchObject({
      message: { redirectUri: expect.any(String) },
    })
    expect((await passthrough({ action: 'checkSessionId', sessionId })).message).toMatchObject({
      verificationResult: true,
    })
    const session = { ...policyServer, sessionId }
    const file = await client.getDownloadUrl(did, 'tide-access', 0, txId, url, signer, session)
    expect((await ask(file)).text).toBe('tide')
  })

  it('is asked before files are encrypted and documents validated', async () => {
    const octets = { method: 'POST', headers: { 'content-type': 'application/octet-stream' } }
    const { chainId, providerUrl } = world.network
    const encrypted = await ask(`${base}/encrypt?chainId=${chainId}&policyServer=${sessionText('a session')}`, {
      ...octets,
      body: 'x',
    })
    expect(encrypted.status).toBe(201)
    const nodeAddress = world.network.providerAddress
    expect(server.of('encrypt')).toEqual([
      { action: 'encrypt', consumerAddress: null, policyServer: { sessionId: 'a session', ...EMPTY }, nodeAddress },
    ])
    const validate = (body: object) =>
      ask(`${providerUrl}/api/aquarius/assets/ddo/validate`, { ...octets, body: JSON.stringify(body) })
    expect((await validate(asset.ddo)).status).toBe(200)
    expect((await validate({ ddo: asset.ddo, policyServer: { sessionId: 'another' } })).status).toBe(200)
    expect(server.of('validateDDO')).toEqual([
      { action: 'validateDDO', rawDDO: asset.ddo, publisherAddress: null, policyServer: null, nodeAddress },
      {
        action: 'validateDDO',
        rawDDO: asset.ddo,
        publisherAddress: null,
        policyServer: { sessionId: 'another' },
        nodeAddress,
      },
    ])
    server.instead = (_request, response) => response.writeHead(403).end('{"success":false,"message":"not yours"}')
    for (const refused of [
      await validate(asset.ddo),
      await ask(`${base}/encrypt?chainId=${chainId}`, { ...octets, body: 'x' }),
    ])
      expect([refused.status, refused.json]).toMatchObject([
        403,
        { code: 'POLICY_DENIED', error: expect.stringContaining('"not yours"') },
      ])
  })

  it('refuses files in the datatoken before the nonce is used and the datatoken asked for them', async () => {
    const sales = new DatatokenSales(world)
    const url = world.storage.file('/kept.csv', Buffer.from('kept'))
    const sold = await sales.sold([{ type: 'url', method: 'GET', url }])
    const of = await publishedAnew(world, sold.asset.publisher, sold.asset, { allow: [SSI] })
    const signed = await downloadParams({ ...sold.asset, did: of }, sold.txId, sold.buyer)
    const ordered = (session: string) => ask(`${base}/download?${signed}&policyServer=${sessionText(session)}`)
    expect((await ask(`${base}/download?${signed}`)).json).toMatchObject({ code: 'POLICY_DENIED' })
    const session = await started(sold.buyer.address, of)
    expect((await ordered(session)).json).toMatchObject({ code: 'POLICY_DENIED' })
    await present(session)
    // with the same nonce, which is used then
    expect((await ordered(session)).text).toBe('kept')
    expect((await ordered(session)).json.errors).toHaveProperty('nonce')
  })
})

it('is offered only if there is one', async () => {
  const world = await World.start()
  const { serviceEndpoints } = (await ask(world.network.providerUrl)).json as {
    serviceEndpoints: Record<string, unknown>
  }
  expect(serviceEndpoints).not.toHaveProperty('initializePSVerification')
  const refused = await askJson(`${world.network.providerUrl}/api/services/initializePSVerification`, {})
  expect(refused.status).toBe(404)
})
