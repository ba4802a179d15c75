import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { program } from '../helpers/deploy-tools.js'
import { eventually } from '../helpers/eventually.js'
import { bodyOf, Nginx } from '../helpers/nginx.js'
import type { Published } from '../helpers/publish.js'
import { downloadParams } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const CONTENT = randomBytes(3_000_000)
const found = program('nginx')
if (!found) console.warn('SKIPPED: the server block of nginx. It is not installed (Debian: nginx-light).')

describe.skipIf(!found)('a service behind nginx with deploy/nginx.conf', () => {
  let world: World
  let nginx: Nginx
  let asset: Published
  let buyer: Wallet
  let txId: string

  beforeAll(async () => {
    world = await World.start({ TRUSTED_PROXIES: '127.0.0.1,::1', ANONYMOUS_REQUESTS: '40' })
    asset = await world.publishUrl(world.storage.file('/a.bin', CONTENT))
    buyer = await world.somebody()
    txId = await world.order(asset, buyer)
    nginx = await Nginx.before(found as string, world.network.providerUrl)
  })
  afterAll(async () => {
    await nginx?.close()
    await world?.close()
  })

  const path = async (of = asset, order = txId) => `/api/services/download?${await downloadParams(of, order, buyer)}`

  it.each([{ six: false }, { six: true }])('sends whole files, ranges and HEAD as they are: %o', async (by) => {
    const whole = await nginx.ask(await path(), by)
    expect(whole.statusCode).toBe(200)
    expect((await bodyOf(whole)).equals(CONTENT)).toBe(true)
    const range = await nginx.ask(await path(), { ...by, headers: { range: 'bytes=1000000-' } })
    expect(range.statusCode).toBe(206)
    expect(range.headers).toMatchObject({ 'content-range': `bytes 1000000-2999999/${CONTENT.length}` })
    expect((await bodyOf(range)).equals(CONTENT.subarray(1_000_000))).toBe(true)
    const head = await nginx.ask(await path(), { ...by, method: 'HEAD' })
    expect(head.headers).toMatchObject({ 'content-length': `${CONTENT.length}`, etag: whole.headers.etag })
    expect(head.headers.etag).toBeDefined()
    head.resume()
  })

  it('redirects HTTP to HTTPS, with path and query', async () => {
    const { statusCode, headers } = await nginx.askPlainly('/api/services/nonce?a=b')
    expect(statusCode).toBe(308)
    expect(headers.location).toBe('https://provider.example.org/api/services/nonce?a=b')
  })

  it('streams a large upload without buffering it, and lets the service refuse one that is too large', async () => {
    const encrypt = (size: number) =>
      nginx.ask(`/api/services/encrypt?chainId=${world.network.chainId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'content-length': size },
        body: randomBytes(size),
      })
    const taken = await encrypt(10_000_000)
    expect(taken.statusCode).toBe(201)
    expect((await bodyOf(taken)).toString()).toMatch(/^0x04/)
    const refused = await encrypt(10_500_000)
    expect(refused.statusCode).toBe(413)
    expect(JSON.parse((await bodyOf(refused)).toString()).code).toBeDefined()
    expect(nginx.complaints).not.toContain('buffered')
  })

  it('forwards each part of a slow download as it arrives', async () => {
    let storage: ServerResponse | undefined
    const slow = await world.publishUrl(
      world.storage.on('/slow', (_request, response) => {
        storage = response.writeHead(200, { 'content-length': 300_000 })
        response.write('x'.repeat(1000))
      }),
    )
    const answer = await nginx.ask(await path(slow, await world.order(slow, buyer)))
    let received = 0
    answer.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    // the storage sends the rest only once the beginning has arrived
    await eventually(() => received === 1000)
    storage?.write('x'.repeat(1000))
    await eventually(() => received === 2000)
    storage?.end('x'.repeat(298_000))
    await once(answer, 'end')
    expect(received).toBe(300_000)
  })

  it('accepts a request line and headers of 20 KiB', async () => {
    const long = await nginx.ask(`/api/services/nonce?userAddress=${buyer.address}&x=${'y'.repeat(20_480)}`)
    expect(long.statusCode).toBe(200)
    expect(await nginx.ask('/live', { headers: { authtoken: 'z'.repeat(20_480) } })).toMatchObject({ statusCode: 200 })
  })

  it('forwards the connecting address alone, whatever X-Forwarded-For and Forwarded a stranger sends', async () => {
    let sent = 0
    const status = async (six: boolean) => {
      const forged = `203.0.113.${++sent % 250}`
      const headers = { 'x-forwarded-for': forged, forwarded: `for=${forged}`, 'content-type': 'application/json' }
      const body = Buffer.from('{}')
      return (await nginx.ask('/api/services/fileinfo', { six, method: 'POST', headers, body })).statusCode
    }
    expect(await status(true)).toBe(400)
    await eventually(async () => (await status(true)) === 429)
    expect(await status(false)).toBe(400)
  })
})
