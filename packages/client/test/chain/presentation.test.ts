import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { SSI } from '../../../../test/helpers/policy-asset.js'
import { PolicyServerHere, VALID } from '../../../../test/helpers/policy-server.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { askJson } from '../../../../test/helpers/requests.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'
import { createTidegate, forgetSession, TidegateError, useSession } from '../../src/index.js'
import { walletFor } from '../world.js'

const KEY = 'key of the policy server'

describe('the presentation of credentials', () => {
  let world: World
  let server: PolicyServerHere
  let asset: Published

  beforeAll(async () => {
    server = new PolicyServerHere(await StorageServer.start(), KEY)
    world = await World.start({ POLICY_SERVER_URL: server.url, POLICY_SERVER_API_KEY: KEY })
    const adjust = (ddo: object) => void Object.assign(ddo, { credentials: { allow: [SSI] } })
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')), { adjust })
  })

  const clientOf = async () =>
    createTidegate({ url: world.network.providerUrl, wallet: walletFor(world, await world.somebody()) })
  /** What the wallet of a person does: it sends a presentation to the policy server, by the provider. */
  const walletPresents = (sessionId: string, vp_token = VALID) =>
    askJson(`${world.network.providerUrl}/api/services/PolicyServerPassthrough`, {
      policyServerPassthrough: { action: 'presentationRequest', sessionId, vp_token },
    })

  it('opens the service to the one who presented, from quote to link', async () => {
    const tidegate = await clientOf()
    expect((await tidegate.quote(asset.did)).presents).toBe(true)
    const { session, request, presented } = await tidegate.present(asset.did)
    expect(request).toMatch(/^openid4vp:/)
    const waits = presented()
    await walletPresents(session)
    await waits
    expect((await tidegate.quote(asset.did)).presents).toBeUndefined()
    const { order } = await tidegate.buy(asset.did)
    expect(await (await (await tidegate.download(asset.did, { order })).blob()).text()).toBe('tide')
    const { url } = await tidegate.link(asset.did, { order })
    expect(await (await fetch(url)).text()).toBe('tide')

    // another client with the same account, as after a restart
    const { wallet } = tidegate.context
    const again = createTidegate({ url: world.network.providerUrl, ...(wallet ? { wallet } : {}) })
    expect(await again.quote(asset.did)).toMatchObject({ order, presents: true })
    await expect(again.download(asset.did, { order })).rejects.toMatchObject({ code: 'POLICY_DENIED' })
    const service = asset.ddo.services[0]?.id as string
    useSession(again.context, asset.did, service, session)
    expect((await again.quote(asset.did)).presents).toBeUndefined()
    // the session is of this account alone
    const consumer = (await world.somebody()).address as `0x${string}`
    expect((await again.quote(asset.did, { consumer })).presents).toBe(true)
    expect(await (await (await again.download(asset.did, { order })).blob()).text()).toBe('tide')
    expect(forgetSession(again.context, asset.did, service)).toBe(true)
    expect((await again.quote(asset.did)).presents).toBe(true)
  })

  it('tells a refusal, a lack of patience, and an abortion from each other', async () => {
    const tidegate = await clientOf()
    const { session, presented } = await tidegate.present(asset.did)
    await expect(presented({ timeout: 1 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const reason = new Error('left')
    await expect(presented({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await walletPresents(session, 'eyJ.other')
    await expect(presented()).rejects.toMatchObject({ code: 'POLICY_DENIED' })
  })

  /** A client of a provider that serves the document, and answers each POST in turn: with text, or as it likes. */
  async function clientAt(...answers: ((response: ServerResponse) => string | undefined)[]) {
    const document = await (await fetch(`${world.network.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)).text()
    let asked = 0
    const shop = createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      const answer = answers[Math.min(asked, answers.length - 1)]
      if (request.method === 'POST') asked += 1
      const text = request.method === 'GET' ? document : answer?.(response)
      if (text !== undefined) response.end(text)
    }).listen(0, '127.0.0.1')
    await once(shop, 'listening')
    atEnd(async () => {
      shop.close()
      shop.closeAllConnections()
    })
    const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
    return createTidegate({ url, wallet: walletFor(world, await world.somebody()) })
  }

  const LONG = 'x'.repeat(9_000)
  it.each<[string, unknown]>([
    ['a script', { message: { sessionId: 'a', redirectUri: 'javascript:alert(1)' } }],
    ['a file', { message: { sessionId: 'a', redirectUri: 'file:///etc/passwd' } }],
    ['a link with spaces', { message: { sessionId: 'a', redirectUri: 'openid4vp://a b' } }],
    ['a link without end', { message: { sessionId: 'a', redirectUri: `openid4vp://${LONG}` } }],
    ['no session', { message: { redirectUri: 'openid4vp://authorize' } }],
    ['a session that is no word', { message: { sessionId: 'a"}\n', redirectUri: 'openid4vp://authorize' } }],
    ['no message', { success: true }],
    ['text', { message: 'hello' }],
  ])('shows nobody %s instead of a link for a wallet', async (_, answer) => {
    const tidegate = await clientAt(() => JSON.stringify(answer))
    await expect(tidegate.present(asset.did)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })

  const started = () => JSON.stringify({ success: true, message: { sessionId: 'a', redirectUri: 'openid4vp://a' } })
  const endless = (response: ServerResponse) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
    return undefined
  }
  it.each<[string, (response: ServerResponse) => string | undefined]>([
    ['endless', endless],
    ['no JSON', () => 'yes'],
    ['a list', () => '[true]'],
    ['nested without end', () => `{"success":false,"message":{"error":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
  ])('takes no answer about a session that is %s', async (_, hostile) => {
    const tidegate = await clientAt(started, hostile)
    const { presented } = await tidegate.present(asset.did)
    await expect(presented({ timeout: 500 })).rejects.toBeInstanceOf(TidegateError)
  })

  it('goes on after an answer that breaks off, as on a phone whose wallet is open', async () => {
    const half = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"success":')
      setTimeout(() => response.destroy(), 20)
      return undefined
    }
    const tidegate = await clientAt(started, half, () => '{"success":true}')
    await (await tidegate.present(asset.did)).presented()
  })
})
