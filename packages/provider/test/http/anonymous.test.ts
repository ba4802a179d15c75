import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { heldBy } from '../../../../test/helpers/measured.js'
import { closed } from '../../../../test/helpers/raw-consumer.js'
import { ask, askJson, downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import type { Settings } from '../../src/config/schema.js'
import { Lifetime } from '../../src/http/lifetime.js'
import { isPrivate, networkOf } from '../../src/http/limits/address.js'
import { AnonymousBudget } from '../../src/http/limits/anonymous.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

/** Requests that a storage leaves unanswered until their connections are closed. */
class Silence {
  readonly open = new Set<ServerResponse>()
  seen = 0

  readonly handler = (_request: IncomingMessage, response: ServerResponse): void => {
    this.seen += 1
    this.open.add(response)
    response.on('close', () => this.open.delete(response))
  }
}

describe('anonymous requests never delay paid downloads (threat 42)', () => {
  let world: World
  afterEach(() => world.close())

  const fileinfo = (object: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    askJson(`${world.network.providerUrl}/api/services/fileinfo`, object, { headers, ...(signal ? { signal } : {}) })

  async function ordered() {
    const { asset, buyer, txId } = await world.sold(world.storage.file('/paid.csv', Buffer.from('paid')))
    return async () => ask(await downloadUrl(world.network.providerUrl, asset, txId, buyer))
  }

  it('4,200 pipelined requests about a silent storage on one connection: downloads continue, and nothing stays open', async () => {
    world = await World.start({ STORAGE_MAX_REQUESTS: '4', STORAGE_MAX_PER_HOST: '4', DESCRIBE_MAX_REQUESTS: '64' })
    const download = await ordered()
    const silence = new Silence()
    const url = world.storage.on('/silent', silence.handler)
    const body = JSON.stringify({ type: 'url', url, method: 'GET' })
    const { host, hostname, port } = new URL(world.network.providerUrl)
    const head = `POST /api/services/fileinfo HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const question = `${head}content-length: ${body.length}\r\n\r\n${body}`
    socket.write(question.repeat(10))
    await eventually(() => silence.open.size === 10)
    expect((await download()).status).toBe(200)

    const held = await heldBy(async () => {
      socket.write(question.repeat(4190))
      await closed
      await eventually(() => silence.open.size === 0)
    })
    // few requests of one connection reach the storage
    expect(silence.seen).toBeLessThanOrEqual(16)
    expect((await download()).status).toBe(200)
    const paid = { type: 'url', url: `${world.storage.origin}/paid.csv`, method: 'GET' }
    expect((await fileinfo(paid)).json).toMatchObject([{ valid: true }])
    // also depends on the machine, so the bound is generous: without limits, this takes seconds
    expect(held).toBeLessThan(1000)
  })

  it('they have budgets per destination and in total, above which they get 503; downloads have separate budgets', async () => {
    world = await World.start({ DESCRIBE_MAX_PER_HOST: '4', DESCRIBE_MAX_REQUESTS: '6', STORAGE_MAX_PER_HOST: '1' })
    const download = await ordered()
    const silence = new Silence()
    const url = world.storage.on('/silent', silence.handler)
    const gone = new AbortController()
    const asked = (location: string) => fileinfo({ type: 'url', url: location, method: 'GET' }, {}, gone.signal)
    const first = Array.from({ length: 4 }, () => asked(url).catch(() => undefined))
    await eventually(() => silence.open.size === 4)
    const refused = await asked(url)
    expect([refused.status, refused.json.code]).toEqual([503, 'STORAGE_BUSY'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)

    // another destination, up to the total budget
    const elsewhere = url.replace('127.0.0.1', 'localhost')
    const second = Array.from({ length: 2 }, () => asked(elsewhere).catch(() => undefined))
    await eventually(() => silence.open.size === 6)
    expect((await asked(elsewhere)).status).toBe(503)
    expect((await download()).status).toBe(200)

    gone.abort()
    await Promise.all([...first, ...second])
    await eventually(() => silence.open.size === 0)
    const { status, json } = await fileinfo({ type: 'url', url: `${world.storage.origin}/paid.csv`, method: 'GET' })
    expect([status, json]).toEqual([200, [expect.objectContaining({ valid: true })]])
  })

  it('they have a deadline for describing, and for checksums of a file that arrives byte by byte', async () => {
    world = await World.start({ DESCRIBE_TIMEOUT: '400' })
    const silence = new Silence()
    const silent = { type: 'url', url: world.storage.on('/silent', silence.handler), method: 'GET' }
    expect((await fileinfo(silent)).json).toEqual([{ index: 0, valid: false, type: 'url', reason: expect.any(String) }])
    const dripping = world.storage.on('/drip', (request, response) => {
      silence.handler(request, response)
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': 1000 })
      if (request.method === 'HEAD') return void response.end()
      const timer = setInterval(() => response.write('a'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const { status, json } = await fileinfo({ type: 'url', url: dripping, method: 'GET', checksum: true })
    expect([status, json]).toEqual([200, [expect.not.objectContaining({ checksum: expect.anything() })]])
    await eventually(() => silence.open.size === 0)
  })

  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('they have budgets per address (IPv6 per /64), which refused requests use up and downloads do not', async () => {
    world = await World.start({ TRUSTED_PROXIES: '127.0.0.1', ANONYMOUS_REQUESTS: '5' })
    const download = await ordered()
    const nothing = { type: 'nothing' }
    for (let at = 0; at < 5; at++) expect((await fileinfo(nothing, from('203.0.113.1'))).status).toBe(400)
    const refused = await fileinfo(nothing, from('203.0.113.1'))
    expect([refused.status, refused.json.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await fileinfo(nothing, from('203.0.113.2'))).status).toBe(400)

    for (let at = 0; at < 5; at++) await fileinfo(nothing, from(`2001:db8:1:2::${at + 1}`))
    expect((await fileinfo(nothing, from('2001:db8:1:2:ffff::1'))).status).toBe(429)
    expect((await fileinfo(nothing, from('2001:db8:1:3::1'))).status).toBe(400)

    // refused requests to other endpoints use up the same budget, but downloads are not refused because of it
    const headers = from('203.0.113.3')
    for (let at = 0; at < 5; at++)
      await ask(`${world.network.providerUrl}/api/services/download?documentId=did:op:0`, { headers })
    expect((await fileinfo(nothing, headers)).status).toBe(429)
    for (let at = 0; at < 5; at++) await ask(`${world.network.providerUrl}/%zz`, { headers: from('203.0.113.7') })
    expect((await fileinfo(nothing, from('203.0.113.7'))).status).toBe(429)
    for (let at = 0; at < 8; at++) expect((await download()).status).toBe(200)
  })

  /** Sends so many requests behind one that is never answered, and leaves. Resolves when nothing of them is in flight. */
  async function leaveBehind(address: string, path: string, count: number): Promise<string> {
    const silence = new Silence()
    const body = JSON.stringify({ type: 'url', url: world.storage.on('/silent', silence.handler), method: 'GET' })
    const { hostname, port } = new URL(world.network.providerUrl)
    const head = `HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${address}\r\n`
    const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    const metrics = () => world.local.app.context.metrics.registry.metrics()
    const inFlight = async () => Number(/http_requests_in_flight (\d+)\n/.exec(await metrics())?.[1])
    const socket = connect(Number(port), hostname)
    socket.write(`POST /api/services/fileinfo ${head}${length}${body}${`GET ${path} ${head}\r\n`.repeat(count)}`)
    await eventually(async () => silence.seen === 1 && (await inFlight()) === count + 1)
    socket.destroy()
    await eventually(async () => (await inFlight()) === 0)
    return metrics()
  }

  it('a service of many files counts as many requests, one for every twenty', async () => {
    // to publish one takes two requests
    world = await World.start({ ANONYMOUS_REQUESTS: '9' })
    const url = world.storage.file('/one.csv', Buffer.from('one'))
    const of = async (count: number) => {
      const { did, ddo } = await world.publish({ files: Array.from({ length: count }, () => ({ type: 'url', url })) })
      return { did, serviceId: ddo.services[0]?.id }
    }
    const [few, many] = [await of(20), await of(63)]
    expect([(await fileinfo(few)).status, (await fileinfo(many)).status, (await fileinfo(few)).status]).toEqual([
      200, 200, 429,
    ])
  })

  it('refused requests use up the budget of an address also when it leaves before the answers', async () => {
    world = await World.start({ TRUSTED_PROXIES: '127.0.0.1', ANONYMOUS_REQUESTS: '5' })
    const metrics = await leaveBehind('203.0.113.4', '/api/services/download?documentId=x', 5)
    expect(metrics).toMatch(/requests_total\{method="GET",route="\/api\/services\/download",status="400"\} 5\n/)
    expect((await fileinfo({ type: 'nothing' }, from('203.0.113.4'))).status).toBe(429)
    expect((await fileinfo({ type: 'nothing' }, from('203.0.113.5'))).status).toBe(400)
  })

  it('requests that are refused for their number on one connection use it up, too', async () => {
    world = await World.start({ TRUSTED_PROXIES: '127.0.0.1', ANONYMOUS_REQUESTS: '5' })
    await leaveBehind('203.0.113.6', '/', PROVIDER_LIMITS.http.pipelined + 5)
    expect((await fileinfo({ type: 'nothing' }, from('203.0.113.6'))).status).toBe(429)
  })

  it('connections whose address the system does not tell share a budget: they were reset before they were accepted', () => {
    expect([networkOf(undefined), isPrivate(undefined)]).toEqual(['unknown', false])
    const budget = new AnonymousBudget({ ANONYMOUS_REQUESTS: 2 } as Settings)
    const request = { ip: undefined, lifetime: new Lifetime() } as never
    budget.spend(request, 10)
    expect(() => budget.assertBytesLeft(request)).not.toThrow()
  })

  it('private addresses are exempt when no proxy is configured, unless the operator sets a budget', async () => {
    world = await World.start({ ANONYMOUS_REQUESTS: '3' })
    const nothing = { type: 'nothing' }
    for (let at = 0; at < 3; at++) await fileinfo(nothing)
    expect((await fileinfo(nothing)).status).toBe(429)
    await world.close()
    world = await World.start()
    const statuses = await Promise.all(Array.from({ length: 700 }, async () => (await fileinfo(nothing)).status))
    expect(statuses).not.toContain(429)
  })

  it('the number in flight per address is capped', async () => {
    world = await World.start({ MAX_ANONYMOUS_PER_ADDRESS: '3' })
    const silence = new Silence()
    const url = world.storage.on('/silent', silence.handler)
    const gone = new AbortController()
    const asked = () => fileinfo({ type: 'url', url, method: 'GET' }, {}, gone.signal)
    const open = Array.from({ length: 3 }, () => asked().catch(() => undefined))
    await eventually(() => silence.open.size === 3)
    const refused = await asked()
    expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '1'])
    gone.abort()
    await Promise.all(open)
    await eventually(async () => (await fileinfo({ type: 'nothing' })).status === 400)
  })

  it('bytes read for checksums count', async () => {
    world = await World.start({ ANONYMOUS_BYTES: '250000' })
    const url = world.storage.file('/sum.bin', Buffer.alloc(100_000))
    const sum = () => fileinfo({ type: 'url', url, method: 'GET', checksum: true })
    expect((await sum()).json).toMatchObject([{ checksumType: 'sha256' }])
    // how much is read beside the checksum depends on how the storage sends it
    const answers = [await sum(), await sum(), await sum(), await sum()]
    expect(answers[0]?.status).toBe(200)
    expect([answers[3]?.status, answers[3]?.json.code]).toEqual([429, 'RATE_LIMITED'])
    expect((await fileinfo({ type: 'url', url, method: 'GET' })).status).toBe(200)
  })

  it('pipelined requests release what they hold when their connection closes', async () => {
    world = await World.start({ MAX_ANONYMOUS: '16', MAX_DOWNLOADS: '8' })
    const download = await ordered()
    const silence = new Silence()
    const url = world.storage.on('/silent', silence.handler)
    const { host, hostname, port } = new URL(world.network.providerUrl)
    const body = JSON.stringify({ type: 'url', url, method: 'GET' })
    const head = `POST /api/services/fileinfo HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`
    const refused = `GET /api/services/download?documentId=x HTTP/1.1\r\nhost: ${host}\r\n\r\n`
    for (let round = 0; round < 20; round++) {
      const socket = connect(Number(port), hostname)
      const before = silence.seen
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}${refused.repeat(10)}`)
      await eventually(() => silence.seen > before)
      socket.destroy()
      await closed(socket)
    }
    await eventually(() => silence.open.size === 0)
    expect((await download()).status).toBe(200)
    expect((await fileinfo({ type: 'nothing' })).status).toBe(400)
  })
})
