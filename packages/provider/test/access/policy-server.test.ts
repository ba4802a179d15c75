import { createRequire } from 'node:module'
import type { Wallet } from 'ethers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { publishedAnew, SSI } from '../../../../test/helpers/policy-asset.js'
import { PolicyServerHere, VALID } from '../../../../test/helpers/policy-server.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'

const KEY = 'the key of the policy server'
const EMPTY = { successRedirectUri: '', errorRedirectUri: '', responseRedirectUri: '', presentationDefinitionUri: '' }

/** Credentials of data spaces, which a policy server judges (threat 130). */
describe('a policy server (threat 130)', () => {
  let world: World
  let server: PolicyServerHere
  let publisher: Wallet
  let asset: Published
  let buyer: Wallet
  let txId: string
  let base: string
  let did: string

  beforeAll(async () => {
    server = new PolicyServerHere(await StorageServer.start(), KEY)
    world = await World.start({ POLICY_SERVER_URL: server.url, POLICY_SERVER_API_KEY: KEY, OUTBOUND_TIMEOUT: '500' })
    publisher = await world.somebody()
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')), { publisher }))
    base = `${world.network.providerUrl}/api/services`
    did = await publishedAnew(world, publisher, asset, { allow: [SSI] })
  })
  beforeEach(() => {
    server.instead = undefined
    server.asked.length = 0
  })

  const post = (route: string, body: object) => askJson(`${base}/${route}`, body)
  const started = async (consumer = buyer.address, of = did) => {
    const { json } = await post('initializePSVerification', {
      ...{
        documentId: of,
        serviceId: 'tide-access',
        consumerAddress: consumer,
        policyServer: { sessionId: '', ...EMPTY },
      },
    })
    return (json.message as { sessionId: string }).sessionId
  }
  const present = (sessionId: string, vp_token = VALID) =>
    post('PolicyServerPassthrough', {
      policyServerPassthrough: { action: 'presentationRequest', sessionId, vp_token, presentation_submission: '{}' },
    })
  /** A session in which the consumer has presented what is asked for. */
  const passed = async (consumer = buyer.address, of = did) => {
    const session = await started(consumer, of)
    expect((await present(session)).status).toBe(200)
    return session
  }
  const sessionText = (sessionId: string) => JSON.stringify({ sessionId, ...EMPTY })
  const download = async (policyServer?: string, of = did, signer = buyer) =>
    ask(
      `${base}/download?${await downloadParams({ ...asset, did: of }, txId, signer, policyServer === undefined ? {} : { policyServer })}`,
    )
  const initialize = (more: Record<string, string> = {}) =>
    ask(
      `${base}/initialize?${new URLSearchParams({ documentId: did, serviceId: 'tide-access', consumerAddress: buyer.address, ...more })}`,
    )

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

  it.each<[string, string, unknown]>([
    ['another action', 'must have one of the actions getPD', { action: 'download', sessionId: 'x' }],
    ['no action', 'must have one of the actions', { sessionId: 'x' }],
    ['a list', 'must be a JSON object', []],
    [
      'a deep message',
      'must not be nested deeper',
      { action: 'getPD', a: JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) },
    ],
    ['a long message', 'must not be longer', { action: 'getPD', a: 'x'.repeat(300_000) }],
    ['a reserved name', 'must not use a reserved name', '{"action":"getPD","__proto__":{"a":1}}'],
  ])('does not get %s of a stranger', async (_, problem, policyServerPassthrough) => {
    const { status, text } = await ask(`${base}/PolicyServerPassthrough`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ policyServerPassthrough }),
    })
    expect([status, text]).toEqual([400, expect.stringContaining(problem)])
    expect(server.asked).toEqual([])
  })

  it('gets document and account from the provider alone, whatever a message says', async () => {
    const forged = { ddo: { id: 'forged' }, nodeAddress: buyer.address, documentId: did }
    await post('PolicyServerPassthrough', { policyServerPassthrough: { action: 'getPD', sessionId: 'x', ...forged } })
    await post('PolicyServerPassthrough', { policyServerPassthrough: '{"action":"getPD","sessionId":"x"}' })
    expect(server.of('getPD')).toMatchObject([
      { ddo: { id: did }, nodeAddress: world.network.providerAddress },
      { ddo: null, sessionId: 'x', nodeAddress: world.network.providerAddress },
    ])
  })

  it.each([
    '[]',
    '"x"',
    '{',
    `{"a":"${'x'.repeat(5000)}"}`,
    '{"a":{"b":{"c":1}}}',
  ])('gets no parameter policyServer that is not a small object: %#', async (policyServer) => {
    const refused = await download(policyServer)
    expect([refused.status, refused.json.errors]).toEqual([400, { policyServer: [expect.any(String)] }])
    const twice = await ask(
      `${base}/initialize?documentId=${did}&serviceId=tide-access&consumerAddress=${buyer.address}&policyServer={}&policyServer={}`,
    )
    expect([twice.status, Object.keys(twice.json.errors ?? {})]).toEqual([400, ['policyServer']])
  })

  const wait = () => undefined
  it.each<[string, NonNullable<PolicyServerHere['instead']>, number, string]>([
    ['is silent', wait, 503, 'POLICY_UNAVAILABLE'],
    ['hangs up', (request) => request.socket.destroy(), 503, 'POLICY_UNAVAILABLE'],
    ['trickles', (_, response) => void setInterval(() => response.write(' '), 100).unref(), 503, 'POLICY_UNAVAILABLE'],
    ['answers megabytes', (_, response) => response.end(`{"a":"${'x'.repeat(3_000_000)}"}`), 503, 'POLICY_UNAVAILABLE'],
    [
      'redirects',
      (_, response) => response.writeHead(302, { location: server.url }).end('{}'),
      503,
      'POLICY_UNAVAILABLE',
    ],
    ['shows a page with status 200', (_, response) => response.end('<html>Log in'), 503, 'POLICY_UNAVAILABLE'],
    ['answers a list', (_, response) => response.end('[true]'), 503, 'POLICY_UNAVAILABLE'],
    [
      'does not know the key',
      (_, response) => response.writeHead(401).end('{"success":false}'),
      503,
      'POLICY_UNAVAILABLE',
    ],
    ['fails', (_, response) => response.writeHead(500).end('oops'), 503, 'POLICY_UNAVAILABLE'],
    [
      'answers JSON of any depth',
      (_, response) => response.end(`{"success":false,"message":${'['.repeat(9000)}${']'.repeat(9000)}}`),
      403,
      'POLICY_DENIED',
    ],
    ['denies with status 200', (_, response) => response.end('{"success":false}'), 403, 'POLICY_DENIED'],
    [
      'denies',
      (_, response) => response.writeHead(403).end('{"success":false,"message":{"error":"no"}}'),
      403,
      'POLICY_DENIED',
    ],
  ])('admits nobody when it %s', async (_, instead, status, code) => {
    const policyServer = sessionText(await passed())
    server.instead = instead
    const nonce = freshNonce()
    const params = await downloadParams({ ...asset, did }, txId, buyer, { nonce, policyServer })
    const refused = await ask(`${base}/download?${params}`)
    expect([refused.status, refused.json.code]).toEqual([status, code])
    expect((await ask(`${world.network.providerUrl}/live`)).status).toBe(200)
    // neither refusals nor failures are kept, and no nonce is used up by them
    server.instead = undefined
    expect((await ask(`${base}/download?${params}`)).text).toBe('tide')
  })

  it('is quoted as plain text, without the session', async () => {
    const session = await passed()
    const words = `<b>no</b>\u202e\n${session} https://wallet.example/error?id=1 ${'x'.repeat(400)}`
    server.instead = (_request, response) =>
      response.writeHead(403).end(JSON.stringify({ success: false, message: words }))
    const { json } = await download(sessionText(session))
    expect(json.error).toContain('"<b>no</b>\u{fffd} … … xxx')
    expect(json.error).toContain('denied with code: ConsumableCodes.CREDENTIAL_NOT_IN_ALLOW_LIST')
    expect(String(json.error).length).toBeLessThan(500)
  })

  it('counts its questions, and keeps sessions, proofs and the key out of the log', async () => {
    const environment = {
      POLICY_SERVER_URL: server.url,
      POLICY_SERVER_API_KEY: KEY,
      POLICY_SERVER_PROOF: 'required',
      OUTBOUND_TIMEOUT: '500',
    }
    const service = await startHere(world.beside({ ...environment, LOG_LEVEL: 'silent' }))
    await eventually(async () => (await ask(`${service.url}/api/aquarius/assets/ddo/${did}`)).status === 200)
    const start = (more: object) =>
      askJson(`${service.url}/api/services/initializePSVerification`, {
        documentId: did,
        serviceId: 'tide-access',
        policyServer: EMPTY,
        ...more,
      })
    const missing = await start({ consumerAddress: buyer.address })
    expect([missing.status, Object.keys(missing.json.errors as object).sort()]).toEqual([400, ['nonce', 'signature']])
    const nonce = freshNonce()
    const proof = { nonce, signature: await signText(buyer, `${buyer.address}${nonce}PolicyServerInitialize`) }
    expect((await start({ consumerAddress: publisher.address, ...proof })).status).toBe(400)
    const proven = await start({ consumerAddress: buyer.address, ...proof })
    expect(proven.json).toMatchObject({ success: true })
    expect((await start({ consumerAddress: buyer.address, ...proof })).status).toBe(400)
    const { sessionId } = proven.json.message as { sessionId: string }
    const query = await downloadParams({ ...asset, did }, txId, buyer, { policyServer: sessionText(sessionId) })
    expect((await ask(`${service.url}/api/services/download?${query}`)).json).toMatchObject({ code: 'POLICY_DENIED' })
    server.instead = (_request, response) => response.end('no JSON')
    await ask(
      `${service.url}/api/services/download?${await downloadParams({ ...asset, did }, txId, buyer, { policyServer: sessionText(sessionId) })}`,
    )
    const log = JSON.stringify(service.said)
    expect(log).toContain('policy server failed')
    for (const secret of [sessionId, proof.signature, KEY]) expect(log).not.toContain(secret)
    await service.end()
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
