import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

const MIB = 1 << 20
const BUDGET = 4 * MIB
/** What a download may receive beyond the budget: a chunk in flight, and a trickle that keeps the connection alive. */
const SLACK = 65_536 + 65_536
/** Milliseconds that a storage or a consumer may stall. */
const STALL = 4000

describe('RATE_LIMIT_BYTES', () => {
  let world: World
  afterEach(() => world.close())

  async function ordered(size: number) {
    const { asset, buyer, txId } = await world.sold(world.storage.file('/big.bin', Buffer.alloc(size, 'tide')))
    const base = `${world.network.providerUrl}/api/services`
    const nonce = freshNonce()
    const signed = { address: buyer.address, nonce, signature: await signText(buyer, buyer.address + nonce) }
    const made = { ...signed, expiration: String(Math.floor(Date.now() / 1000) + 3000) }
    const { token } = (await ask(`${base}/createAuthToken?${new URLSearchParams(made)}`)).json
    const params = await downloadParams(asset, txId, buyer, { nonce: undefined, signature: undefined })
    return { url: `${base}/download?${params}`, authtoken: String(token) }
  }

  /** Downloads that are read as fast as they arrive, and the number of bytes received in total. */
  class Reading {
    bytes = 0
    ended = 0
    broken = 0
    readonly statuses: number[] = []
    readonly responses: IncomingMessage[] = []

    async add({ url, authtoken }: { url: string; authtoken: string }, from: string): Promise<void> {
      const [response] = (await once(get(url, { headers: { 'x-forwarded-for': from, authtoken } }), 'response')) as [
        IncomingMessage,
      ]
      this.statuses.push(response.statusCode as number)
      this.responses.push(response)
      response.on('data', (chunk: Buffer) => {
        this.bytes += chunk.length
      })
      response.once('end', () => {
        this.ended += 1
      })
      response.on('error', () => {
        this.broken += 1
      })
    }

    /** Waits until so many bytes have arrived, and then nothing for longer than a storage or a consumer may stall. */
    async settles(atLeast: number): Promise<void> {
      await eventually(() => this.bytes >= atLeast)
      let before = -1
      const isQuiet = () => {
        const same = this.bytes === before
        before = this.bytes
        return same
      }
      await eventually(isQuiet, undefined, 1.2 * STALL)
    }
  }

  const settings = {
    RATE_LIMIT_BYTES: String(BUDGET),
    TRUSTED_PROXIES: '127.0.0.1',
    STORAGE_STALL_TIMEOUT: String(STALL),
  }

  it('limits 30 concurrent downloads from many addresses of one /64, which continue in the next minute (threat 60)', async () => {
    world = await World.start({ ...settings, CONSUMER_STALL_TIMEOUT: String(STALL) })
    const file = await ordered(2 * MIB)
    const reading = new Reading()
    await Promise.all(Array.from({ length: 30 }, (_, at) => reading.add(file, `2001:db8:1:2::${at + 1}`)))
    await reading.settles(BUDGET - SLACK)
    const begun = reading.statuses.filter((status) => status === 200).length
    expect(begun).toBeGreaterThanOrEqual(2)
    expect(reading.bytes).toBeGreaterThanOrEqual(BUDGET - SLACK)
    expect(reading.bytes).toBeLessThanOrEqual(BUDGET + begun * SLACK)
    // no download was cut off; those that came too late were refused
    expect(reading.broken).toBe(0)
    expect(reading.statuses.filter((status) => status === 429).length).toBe(30 - begun)
    const { url, authtoken } = file
    const refused = await ask(url, { headers: { 'x-forwarded-for': '2001:db8:1:2:ffff::1', authtoken } })
    expect([refused.status, refused.json.code]).toEqual([429, 'RATE_LIMITED'])

    // control: another network has its own budget
    const other = new Reading()
    await other.add(file, '2001:db8:1:3::1')
    await eventually(() => other.ended === 1)
    expect(other.bytes).toBe(2 * MIB)

    // the next minute begins
    const { usage } = world.local.app.context.store
    const { used } = await usage.used('bytes 2001:db8:1:2::/64', 60_000, Date.now())
    expect(used).toBeGreaterThanOrEqual(BUDGET)
    const before = reading.bytes
    await usage.add('bytes 2001:db8:1:2::/64', 0, 1, Date.now())
    await eventually(() => reading.bytes > before + MIB)
    expect(reading.broken).toBe(0)
    for (const response of reading.responses) response.destroy()
    await eventually(async () => (await world.local.app.context.metrics.downloadsActive.get()).values[0]?.value === 0)
  })

  it('control: downloads within it are complete, and cost one statement each (threat 60)', async () => {
    world = await World.start(settings)
    const file = await ordered(MIB)
    const reading = new Reading()
    for (let at = 0; at < 3; at++) await reading.add(file, '203.0.113.1')
    await eventually(() => reading.ended === 3)
    expect(reading.bytes).toBe(3 * MIB)
    const { usage } = world.local.app.context.store
    await eventually(async () => (await usage.used('bytes 203.0.113.1', 60_000, Date.now())).used === 3 * MIB)
  })
})

describe('RATE_LIMIT_REQUESTS', () => {
  let world: World
  afterEach(() => world.close())

  it.each([
    ['unknown paths', 'GET', '/no/such/path'],
    ['methods that a path does not support', 'DELETE', '/api/services/fileinfo'],
    ['preflights of browsers', 'OPTIONS', '/api/services/download'],
  ])('counts %s as requests, and limits them like others (threat 60)', async (_name, method, path) => {
    world = await World.start({ RATE_LIMIT_REQUESTS: '10', TRUSTED_PROXIES: '127.0.0.1' })
    const send = (from: string, to = path, by = method) => {
      const preflight: Record<string, string> =
        by === 'OPTIONS' ? { origin: 'https://x.org', 'access-control-request-method': 'GET' } : {}
      return ask(world.network.providerUrl + to, { method: by, headers: { 'x-forwarded-for': from, ...preflight } })
    }
    const statuses: number[] = []
    for (let at = 0; at < 12; at++) statuses.push((await send(`2001:db8:7:7::${at + 1}`)).status)
    expect(statuses.slice(0, 10)).not.toContain(429)
    expect(statuses.slice(10)).toEqual([429, 429])
    expect((await send('2001:db8:7:7::99', '/', 'GET')).status).toBe(429)
    expect((await send('2001:db8:7:8::1', '/', 'GET')).status).toBe(200)
    expect((await send('2001:db8:7:7::99', '/live', 'GET')).status).toBe(200)
  })
})
