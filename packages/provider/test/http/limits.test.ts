import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { closed } from '../../../../test/helpers/raw-consumer.js'
import { ask, downloadParams, downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

describe('limits per address', () => {
  let world: World
  afterEach(() => world.close())
  const get = (path: string, headers: Record<string, string> = {}) => ask(world.network.providerUrl + path, { headers })
  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('answer 429 with Retry-After above the requests per minute (threat 17)', async () => {
    world = await World.start({ RATE_LIMIT_REQUESTS: '20' })
    const answers = []
    for (let at = 0; at < 25; at++) answers.push(await get('/'))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20)
    const last = answers.at(-1)
    expect(last?.status).toBe(429)
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(last?.json).toEqual({
      error: expect.stringMatching(/^Too many requests from this address\. Try again in \d+ seconds\.$/),
      code: 'RATE_LIMITED',
    })
    expect((await get('/live')).status).toBe(200)
    expect((await get('/ready')).status).toBe(200)
  })

  it('use X-Forwarded-For only from a trusted proxy (threat 26)', async () => {
    world = await World.start({ RATE_LIMIT_REQUESTS: '20' })
    for (let at = 0; at < 25; at++) await get('/', from(`203.0.113.${at}`))
    expect((await get('/', from('203.0.113.99'))).status).toBe(429)
    await world.close()

    world = await World.start({ RATE_LIMIT_REQUESTS: '20', TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1' })
    for (let at = 0; at < 25; at++) await get('/', from('203.0.113.1'))
    expect((await get('/', from('203.0.113.1'))).status).toBe(429)
    expect((await get('/', from('203.0.113.2'))).status).toBe(200)
    // an address that the client has prepended to the one that the proxy saw
    expect((await get('/', from('198.51.100.1, 203.0.113.1'))).status).toBe(429)
  })

  it('end a request whose body is never completed (threat 80)', async () => {
    world = await World.start()
    const { server } = world.local.app.server
    const { http } = PROVIDER_LIMITS as { http: { requestTimeout: number } }
    expect([server.headersTimeout, http.requestTimeout]).toEqual([60_000, 300_000])
    http.requestTimeout = 1000
    const { hostname, port } = new URL(world.network.providerUrl)
    const slow = connect(Number(port), hostname)
    const post = (length: number) =>
      `POST /api/services/encrypt?chainId=${world.network.chainId} HTTP/1.1\r\nhost: a\r\ncontent-type: application/octet-stream\r\ncontent-length: ${length}\r\n\r\n`
    slow.write(post(100_000))
    const drip = setInterval(() => slow.write('a'), 50)
    await closed(slow)
    clearInterval(drip)
    http.requestTimeout = 300_000
    const honest = connect(Number(port), hostname, () => honest.write(`${post(4)}tide`))
    const [answer] = (await once(honest, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 201 /)
    honest.destroy()
  })

  it('end a request whose headers are never completed, uploads included', async () => {
    world = await World.start()
    const { server } = world.local.app.server
    server.headersTimeout = 500
    const { hostname, port } = new URL(world.network.providerUrl)
    const slow = connect(Number(port), hostname)
    slow.write('PATCH /api/services/uploads/a HTTP/1.1\r\nhost: a\r\n')
    const drip = setInterval(() => slow.write('a: b\r\n'), 50)
    let answer = ''
    slow.on('data', (data) => {
      answer += data
    })
    // the server checks its connections at intervals
    await closed(slow)
    clearInterval(drip)
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
  })

  it('cap concurrent downloads per address and in total, without ending running ones (threat 17)', async () => {
    const settings = { MAX_DOWNLOADS: '3', MAX_DOWNLOADS_PER_ADDRESS: '2', TRUSTED_PROXIES: '127.0.0.1' }
    world = await World.start(settings)
    const held: (() => void)[] = []
    const url = world.storage.on('/slow.bin', (_request, response) => {
      response.writeHead(200, { 'content-length': '8' }).write('half')
      held.push(() => response.end('half'))
    })
    const { asset, buyer, txId } = await world.sold(url)
    const download = async (address: string) =>
      fetch(await downloadUrl(world.network.providerUrl, asset, txId, buyer), {
        headers: from(address),
      })
    const running = [await download('203.0.113.1'), await download('203.0.113.1'), await download('203.0.113.2')]
    expect(running.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const [address, status, code] of [
      ['203.0.113.1', 429, 'RATE_LIMITED'],
      ['203.0.113.3', 503, 'BUSY'],
    ] as const) {
      const refused = await download(address)
      expect(refused.status).toBe(status)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(await refused.json()).toMatchObject({ code })
    }
    for (const end of held) end()
    for (const response of running) expect(await response.text()).toBe('halfhalf')
    await eventually(async () => {
      const next = await download('203.0.113.1')
      held.at(-1)?.()
      await next.text()
      return next.status === 200
    })
  })

  it('cap connections, and refuse those above the cap with an answer (threat 17)', async () => {
    world = await World.start({ MAX_CONNECTIONS: '5' })
    const { hostname, port } = new URL(world.network.providerUrl)
    const idle = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const socket = connect(Number(port), hostname)
        await once(socket, 'connect')
        return socket
      }),
    )
    await eventually(async () => (await get('/')).status === 503)
    const refused = await get('/')
    expect(refused.json).toMatchObject({ code: 'BUSY' })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await get('/live')).status).toBe(200)
    for (const socket of idle) socket.destroy()
    await eventually(async () => (await get('/')).status === 200)
  })

  it('abort a download whose consumer stops reading, but not one whose storage stalls', async () => {
    world = await World.start({ CONSUMER_STALL_TIMEOUT: '300' })
    let finish = () => {}
    const url = world.storage.on('/late.bin', (_request, response) => {
      response.writeHead(200, { 'content-length': '8' }).write('half')
      finish = () => response.end('half')
    })
    let isLeft = false
    const endless = world.storage.on('/big.bin', ({ method }, response) => {
      response.writeHead(200, { 'content-length': 64 << 20 })
      if (method === 'HEAD') return void response.end()
      response.write(Buffer.alloc(64 << 20))
      response.once('close', () => {
        isLeft = true
      })
    })
    const big = await world.publishUrl(endless)
    const late = await world.publishUrl(url)
    const buyer = await world.somebody()
    const [bigOrder, lateOrder] = [await world.order(big, buyer), await world.order(late, buyer)]
    const waiting = await fetch(await downloadUrl(world.network.providerUrl, late, lateOrder, buyer))
    const { hostname, port } = new URL(world.network.providerUrl)
    const socket = connect(Number(port), hostname)
    const active = async () => (await world.local.app.context.metrics.downloadsActive.get()).values[0]?.value
    await eventually(async () => (await active()) === 1)
    socket.write(`GET /api/services/download?${await downloadParams(big, bigOrder, buyer)} HTTP/1.1\r\nhost: x\r\n\r\n`)
    // bytes that cannot be passed on are not fetched
    await eventually(() => isLeft)
    await eventually(async () => (await active()) === 1)
    socket.destroy()
    finish()
    expect(await waiting.text()).toBe('halfhalf')
  })

  it('abort any response that the client does not read (threat 49)', async () => {
    world = await World.start({ CONSUMER_STALL_TIMEOUT: '300' })
    const { hostname, port, host } = new URL(world.network.providerUrl)
    const body = Buffer.alloc(8_000_000, 'a')
    const { server } = world.local.app.server
    const accepted = once(server, 'connection')
    const socket = connect(Number(port), hostname)
    socket.pause().on('error', () => undefined)
    socket.write(
      `POST /api/services/encrypt?chainId=8996 HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/octet-stream\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
    const connections = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
    await accepted
    await eventually(async () => (await connections()) === 0)
    socket.destroy()
  })
})
