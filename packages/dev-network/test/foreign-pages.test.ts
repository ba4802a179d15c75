import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Dev, startDevHere } from '../../../test/helpers/dev.js'

/** Sends a request with headers that `fetch` does not let a program set. */
function send(url: string, headers: Record<string, string>, method = 'GET', body = '') {
  return new Promise<{ status: number; origin: string | undefined; json: Record<string, unknown> }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers, agent: false }, async (response) => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, origin: headers['access-control-allow-origin'], json: JSON.parse(await text(response)) })
      })
      sent.on('error', reject).end(body)
    },
  )
}

/** Whether a server opens a WebSocket for a request with these headers. */
function upgraded(url: string, headers: Record<string, string>): Promise<boolean> {
  const asks = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const key = { 'sec-websocket-key': Buffer.alloc(16, 1).toString('base64') }
  return new Promise((resolve) => {
    const sent = request(url, { headers: { ...asks, ...key, ...headers }, agent: false })
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve(true)
    })
    sent.on('response', (response) => {
      response.destroy()
      resolve(false)
    })
    sent.on('error', () => resolve(false)).end()
  })
}

describe('tidegate dev and pages of a browser', () => {
  let dev: Dev
  beforeAll(async () => {
    dev = await startDevHere(['--allow-host', 'Box.lan'], { CORS_ORIGINS: 'https://market.example.org' })
  })

  it.each<[string, Record<string, string>]>([
    ['of another site', { origin: 'https://evil.example' }],
    ['without an origin', { origin: 'null' }],
    ['of a name that begins alike', { origin: 'http://localhost.evil.example' }],
    ['of a name that ends alike', { origin: 'http://evil-localhost' }],
    ['whose name leads here', { host: 'evil.example:8030' }],
    ['whose name begins with an address', { host: '127.0.0.1.evil.example' }],
    ['with a name in the user part', { host: 'localhost@evil.example' }],
    ['that loads an image', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['that frames it', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ])('refuses those %s, preflights and simple requests included (threat 92)', async (_, headers) => {
    const { providerUrl } = dev.facts
    const type = { 'content-type': 'text/plain' }
    const asks = { 'access-control-request-method': 'POST' }
    for (const refused of [
      await send(`${providerUrl}/`, headers),
      await send(`${providerUrl}/api/services/encrypt?chainId=8996`, { ...headers, ...type }, 'POST', 'tide'),
      await send(`${providerUrl}/api/services/fileinfo`, { ...headers, ...asks }, 'OPTIONS'),
      await send(`${providerUrl}/nowhere`, headers),
    ])
      expect(refused).toMatchObject({ status: 403, origin: undefined, json: { code: 'FOREIGN_PAGE' } })
  })

  it.each<[string, Record<string, string>]>([
    ['programs', {}],
    [
      'pages of this machine',
      { host: 'LOCALHOST:8030', origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' },
    ],
    ['IPv6', { host: '[::1]:8030', origin: 'http://[::1]:3000' }],
    ['links to it', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
    ['hosts that were asked for', { host: 'box.lan:8030', origin: 'http://box.lan:8030' }],
    ['origins that were asked for', { origin: 'https://market.example.org' }],
  ])('serves %s (threat 92)', async (_, headers) => {
    expect((await send(`${dev.facts.providerUrl}/`, headers)).status).toBe(200)
  })

  const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const json = { 'content-type': 'application/json' }
  const own = { host: 'localhost:8545', origin: 'http://box.lan:8030' }
  const foreign: [string, Record<string, string>][] = [
    ['of another site', { origin: 'https://evil.example' }],
    ['without an origin', { origin: 'null' }],
    ['whose name leads here', { host: 'evil.example:8545' }],
    ['whose name leads here, of its own origin', { host: 'evil.example', origin: 'http://evil.example' }],
  ]

  it.each(foreign)('has a node that does not answer those %s (threat 92)', async (_, headers) => {
    const refused = await send(dev.facts.rpcUrl, { ...json, ...headers }, 'POST', chainId)
    expect(refused).toMatchObject({ status: 403, origin: undefined, json: { code: 'FOREIGN_PAGE' } })
    const answered = await send(dev.facts.rpcUrl, { ...json, ...own }, 'POST', chainId)
    expect(answered).toMatchObject({ status: 200, json: { result: '0x2324' } })
  })

  it.each(
    foreign,
  )('has a node with no WebSocket for those %s, to which CORS does not apply (threat 92)', async (_, headers) => {
    expect(await upgraded(dev.facts.rpcUrl, headers)).toBe(false)
    expect(await upgraded(dev.facts.rpcUrl, own)).toBe(true)
  })

  it('reads files of this machine, and no others of its network (threat 92)', async () => {
    const describe = (url: string) =>
      fetch(`${dev.facts.providerUrl}/api/services/fileinfo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'url', url, method: 'GET' }),
      }).then((response) => response.json())
    expect(await describe(dev.facts.rpcUrl)).toMatchObject([{ index: 0 }])
    for (const host of ['10.0.0.1', '192.168.0.1', '169.254.169.254', '172.16.0.1', '[fe80::1]', '[fd00::1]'])
      expect(await describe(`http://${host}/`)).toMatchObject([{ valid: false, reason: 'unreachable' }])
  })
})
