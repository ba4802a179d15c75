import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { PolicyServerHere } from '../../../../test/helpers/policy-server.js'
import { ask, askJson, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import {
  asset,
  base,
  buyer,
  did,
  download,
  EMPTY,
  KEY,
  passed,
  post,
  publisher,
  server,
  sessionText,
  txId,
  usePolicyScene,
  world,
} from './policy-scene.js'

describe('a policy server that is hostile, or asked by strangers (threat 130)', () => {
  usePolicyScene()

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
