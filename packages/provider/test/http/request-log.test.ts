import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../../../test/helpers/instance.js'
import { saidTo } from '../../../../test/helpers/raw-consumer.js'
import { ask, downloadParams, FILE_ID } from '../../../../test/helpers/requests.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { World } from '../../../../test/helpers/world.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

describe('the request log', () => {
  let world: World
  let service: Instance
  /** Behind a proxy, with a limit by address. */
  let proxied: Instance
  const lines: string[] = []
  beforeAll(async () => {
    world = await World.start()
    const environment = world.beside({ STATE_DIR: `${world.local.app.context.settings.STATE_DIR}/second` })
    service = await startInstance(environment, undefined, { keepRequests: true })
    proxied = await startInstance(
      world.beside({
        ...{ STATE_DIR: `${world.local.app.context.settings.STATE_DIR}/third` },
        ...{ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_REQUESTS: '20' },
      }),
      undefined,
      { level: 'trace', onLine: (line) => void lines.push(line) },
    )
  })

  /** The log line of a request, by the request id in its response. */
  async function lineOf(response: { headers: Headers }): Promise<Record<string, unknown>> {
    const id = response.headers.get('x-request-id')
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    const find = () => service.requests.find(({ reqId, msg }) => reqId === id && msg === 'request')
    await eventually(() => find() !== undefined)
    return find() as Record<string, unknown>
  }
  const get = (path: string, init?: RequestInit) => fetch(service.url + path, init)

  it('has the network of an address alone, in the lines of all requests, refusals and errors', async () => {
    const forwarded = ['203.0.113.77', '2001:db8:5:66::7777', '[::ffff:198.51.100.88]:4000']
    for (const address of forwarded) {
      const from = (path: string, init: RequestInit = {}) =>
        fetch(proxied.url + path, { ...init, headers: { ...init.headers, 'x-forwarded-for': address } })
      await from('/')
      await from('/nothing')
      await from('/%E0%A4%A')
      await from('/api/services/nonce?userAddress=0x1')
      await from('/api/services/fileinfo', {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      })
      await from('/api/services/fileinfo', { method: 'DELETE' })
      while ((await from('/')).status !== 429);
    }
    const remote = (line: string) => (JSON.parse(line) as { remote?: string }).remote
    const limited = () => lines.filter((line) => line.includes('"RATE_LIMITED"')).map(remote)
    await eventually(() => limited().length === forwarded.length)
    expect(limited()).toEqual(['203.0.113.0/24', '2001:db8:5::/48', '198.51.100.0/24'])
    expect(lines.filter((line) => /113\.77|7777|100\.88/.test(line))).toEqual([])
    expect(lines.filter((line) => line.includes('"request"')).length).toBeGreaterThan(40)
  })

  it('begins with the version, chains, nodes and limits of the service, and ends with its stop', async () => {
    await proxied.end()
    const lines = proxied.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const { chainId, rpcUrl, addresses, providerAddress } = world.network
    expect(lines.find(({ msg }) => msg === 'service started')).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      url: proxied.url,
      chains: [{ chainId, nodes: [new URL(rpcUrl).host], factory: addresses.ERC721Factory, provider: providerAddress }],
      database: expect.stringMatching(/^sqlite in /),
      limitsOff: [
        'RATE_LIMIT_BYTES',
        'CONSUMER_REQUESTS_PER_DAY',
        'CONSUMER_BYTES_PER_DAY',
        'MAX_DOWNLOADS_PER_ADDRESS',
      ],
    })
    expect(lines.at(-1)).toMatchObject({ msg: 'service stopped', uptime: expect.any(Number) })
  })

  it('has the code, reason, asset, service, consumer and address of a refusal', async () => {
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')))
    const stranger = await world.somebody()
    const txId = `0x${'12'.repeat(32)}`
    const { block } = (await (await get('/ready')).json()).chains[0]
    expect(block).not.toBeUndefined()
    await eventually(async () => (await get(`/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
    const params = await downloadParams(asset, txId, stranger)
    const refused = await get(`/api/services/download?${params}`)
    const { code, error } = (await refused.json()) as { code: string; error: string }
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(await lineOf(refused)).toMatchObject({
      ...{ level: 'info', route: '/api/services/download', status: refused.status, code, reason: error },
      ...{ did: asset.did, service: asset.ddo.services[0]?.id, consumer: stranger.address, order: txId },
      remote: '127.0.0.0/24',
    })
  })

  it('says how a storage failed, with its status, but never its location', async () => {
    world.storage.on('/secret-place.csv', (_request, response) => void response.writeHead(403).end())
    const { asset, buyer, txId } = await world.sold(`${world.storage.origin}/secret-place.csv`)
    await eventually(async () => (await get(`/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
    const failed = await get(`/api/services/download?${await downloadParams(asset, txId, buyer)}`)
    expect(failed.status).toBe(502)
    const line = await lineOf(failed)
    expect(line).toMatchObject({ level: 'warn', code: 'STORAGE_REFUSED', storage: 'denied', upstreamStatus: 403 })
    expect(service.lines.join() + JSON.stringify(service.requests)).not.toContain('secret-place')
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const body = JSON.stringify({ did: asset.did, serviceId: asset.ddo.services[0]?.id })
    const described = await get('/api/services/fileinfo', { ...init, body })
    expect(await described.json()).toEqual([
      { index: 0, id: expect.stringMatching(FILE_ID), valid: false, type: 'url' },
    ])
    await eventually(() =>
      service.requests.some(({ msg, upstreamStatus }) => msg === 'file is not valid' && upstreamStatus === 403),
    )
  })

  it('names invalid parameters, without their values', async () => {
    const key = `0x${'5e'.repeat(32)}`
    const refused = await get(`/api/services/initialize?documentId=${key}&serviceId=a%20b&consumerAddress=${key}`)
    const line = await lineOf(refused)
    expect(line).toMatchObject({ status: 400, code: 'VALIDATION', reason: expect.arrayContaining(['consumerAddress']) })
    expect(JSON.stringify(line)).not.toContain('5e'.repeat(8))
  })

  it('has a line for every request refused before routing: unknown paths, wrong methods, unreadable paths and bodies', async () => {
    expect(await lineOf(await get('/nowhere'))).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND', route: 'none' })
    expect(await lineOf(await get('/api/services/download', { method: 'PUT' }))).toMatchObject({ status: 405 })
    for (const [path, code] of [
      ['/%zz', 'BAD_URL'],
      ['/api/services/%C0%AE', 'BAD_URL'],
      [`/api/aquarius/assets/ddo/${'a'.repeat(PROVIDER_LIMITS.links.grant + 1)}`, 'BAD_REQUEST'],
    ]) {
      const response = await get(path as string, { headers: { origin: 'https://market.example' } })
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await lineOf(response)).toMatchObject({ status: 400, code, route: 'none' })
    }
    const init = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }
    expect(await lineOf(await get('/api/services/fileinfo', init))).toMatchObject({ status: 400, code: 'BAD_BODY' })
  })

  it.each([
    ['with an unknown expectation, which is ignored', '1.1', 'host: a\r\nexpect: tea\r\n'],
    ['of HTTP/1.0, which needs no host', '1.0', ''],
  ])('has a line for a request %s', async (_, version, head) => {
    const text = await saidTo(service.url, `GET / HTTP/${version}\r\n${head}connection: close\r\n\r\n`)
    const [id] = /(?<=x-request-id: )\S+/i.exec(text) ?? []
    expect(text).toMatch(/^HTTP\/1.1 200 /)
    const line = await lineOf({ headers: new Headers({ 'x-request-id': String(id) }) })
    expect(line).toMatchObject({ status: 200, route: '/' })
  })

  it('has a line with status 499 for a request whose client leaves before the answer, also behind another on its connection', async () => {
    const silent = new Set<ServerResponse>()
    const url = world.storage.on('/silent', (_request, response) => void silent.add(response))
    const body = JSON.stringify({ type: 'url', url, method: 'GET' })
    const head = 'POST /api/services/fileinfo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
    const { hostname, port } = new URL(service.url)
    const left = () => service.requests.filter(({ msg, status }) => msg === 'request' && status === 499)
    const before = left().length
    const client = connect(Number(port), hostname)
    client.write(`${head}content-length: ${body.length}\r\n\r\n${body}`.repeat(2))
    await eventually(() => silent.size === 2)
    client.destroy()
    await eventually(() => left().length >= before + 2)
    for (const response of silent) response.destroy()
    expect(left().slice(before)).toEqual([
      expect.objectContaining({ route: '/api/services/fileinfo', status: 499, aborted: true, level: 'info' }),
      expect.objectContaining({ route: '/api/services/fileinfo', status: 499, aborted: true, level: 'info' }),
    ])
  })

  it('has the address of a client that leaves within its first request', async () => {
    const { hostname, port } = new URL(service.url)
    const client = connect(Number(port), hostname)
    const head = 'POST /api/services/auth/token HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
    client.write(`${head}content-length: 9\r\nexpect: 100-continue\r\n\r\n`)
    await once(client, 'data')
    client.destroy()
    const line = () => service.requests.find(({ route, aborted }) => route === '/api/services/auth/token' && aborted)
    await eventually(() => line() !== undefined)
    expect(line()).toMatchObject({ remote: '127.0.0.0/24' })
  })

  it('says of a download that its client broke off that it was aborted, once, with the status that was sent', async () => {
    const { asset, buyer, txId } = await world.sold(world.storage.file('/long.csv', Buffer.alloc(32 << 20)))
    await eventually(async () => (await get(`/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
    const gone = new AbortController()
    const path = `/api/services/download?${await downloadParams(asset, txId, buyer)}`
    const response = await get(path, { signal: gone.signal })
    expect(response.status).toBe(200)
    gone.abort()
    expect(await lineOf(response)).toMatchObject({ status: 200, aborted: true, order: txId })
    // requests that come after it have their lines
    await lineOf(await get('/'))
    const id = response.headers.get('x-request-id')
    expect(service.requests.filter(({ reqId, msg }) => reqId === id && msg === 'request')).toHaveLength(1)
    expect(await lineOf(await get('/'))).not.toHaveProperty('aborted')
  })

  it('leaves out probes, and with LOG_REQUESTS=errors also successful requests', async () => {
    const folder = `${world.local.app.context.settings.STATE_DIR}/fourth`
    const quiet = await startHere(world.beside({ STATE_DIR: folder, LOG_REQUESTS: 'errors' }))
    expect((await ask(`${quiet.url}/`)).status).toBe(200)
    expect((await ask(`${quiet.url}/live`)).status).toBe(200)
    expect((await ask(`${quiet.url}/nowhere`)).status).toBe(404)
    await quiet.end()
    expect(quiet.said.filter(({ msg }) => msg === 'request')).toMatchObject([{ status: 404 }])
    const all = await get('/')
    expect(await lineOf(all)).toMatchObject({ status: 200, route: '/' })
    await get('/live')
    await lineOf(await get('/'))
    expect(service.requests.filter(({ route }) => route === '/live')).toEqual([])
  })
})

describe('cross-origin requests', () => {
  it('are allowed from the origins that CORS_ORIGINS names, and preflights may be cached for two hours', async () => {
    const world = await World.start({ CORS_ORIGINS: 'https://market.example.org, http://localhost:3000' })
    const preflight = (origin: string) =>
      fetch(`${world.network.providerUrl}/api/services/download`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' },
      })
    const allowed = await preflight('https://market.example.org')
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://market.example.org')
    expect(allowed.headers.get('access-control-max-age')).toBe('7200')
    expect((await preflight('http://localhost:3000')).headers.get('access-control-allow-origin')).toBeTruthy()
    expect((await preflight('https://other.example.org')).headers.get('access-control-allow-origin')).toBeNull()
    const response = await fetch(`${world.network.providerUrl}/`, { headers: { origin: 'http://localhost:3000' } })
    expect(response.headers.get('access-control-expose-headers')).toMatch(/Retry-After/)
    expect(response.headers.get('vary')).toMatch(/Origin/)
    await world.close()
  })
})
