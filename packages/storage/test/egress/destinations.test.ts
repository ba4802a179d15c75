import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import type { Lookup } from '@tidegate/protocol/addresses'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANYWHERE, UNLIMITED } from '../../../../test/helpers/policy.js'
import { ASKING } from '../../../../test/helpers/storage-tools.js'
import { isPublicAddress } from '../../../protocol/src/addresses.js'
import { discard, Egress } from '../../src/egress/egress.js'
import { SPECIAL, SPELLINGS } from './forbidden-addresses.js'

/** Nothing here is about a time limit. */
const PATIENT = { connectTimeout: 60_000, responseTimeout: 60_000, stallTimeout: 60_000 }

describe('forbidden destinations (threats 4 and 5)', () => {
  const special = SPECIAL.filter((address) => !isPublicAddress(address))
  let server: Server
  let port: number
  let connections = 0
  const answers = new Map<string, string[][]>()
  /** Resolves names of the test from the table, one answer after the other, and all others through the system. */
  const lookup: Lookup = (hostname, options, callback) => {
    const turns = answers.get(hostname)
    const addresses = (turns && (turns.length > 1 ? turns.shift() : turns[0])) ?? []
    if (addresses.length === 0) return callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, found)
    else callback(null, found[0]?.address as string, found[0]?.family)
  }
  const egress = new Egress({
    ...PATIENT,
    allowNonPublic: false,
    ...UNLIMITED,
    lookup,
  })
  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      if (url === '/endless') response.write('inside')
      else response.end('inside')
    })
    server.on('connection', () => {
      connections += 1
    })
    server.listen(0, '::')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    await egress.close()
    server.close()
  })
  const refused = async (url: string) => {
    const request = { url, method: 'GET' as const, headers: {}, ...ASKING }
    await expect(egress.request(request), url).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  }

  it('are a corpus of at least 120', () => {
    expect(SPELLINGS.length + SPECIAL.length * 2).toBeGreaterThanOrEqual(120)
    // asserted first, so that no other test of this file ever connects to an address that would be allowed
    expect(SPECIAL.filter(isPublicAddress)).toEqual([])
  })

  it('get no connection in any notation', async () => {
    for (const host of SPELLINGS) {
      answers.set('localhost', [['127.0.0.1', '::1']])
      answers.set('localhost.', [['127.0.0.1']])
      await refused(`http://${host}:${port}/`)
      await refused(`https://${host}:${port}/`)
    }
    expect(connections).toBe(0)
  })

  it('are refused before connecting as literal addresses of every special range', async () => {
    for (const address of special) await refused(`http://${address.includes(':') ? `[${address}]` : address}:${port}/`)
    expect(connections).toBe(0)
  })

  it('are refused behind names that resolve to them, alone or beside a public address', async () => {
    for (const address of special) {
      answers.set('inside.example', [[address]])
      await refused(`http://inside.example:${port}/`)
      answers.set('mixed.example', [['8.8.8.8', address]])
      await refused(`http://mixed.example:${port}/`)
    }
    expect(connections).toBe(0)
  })

  it.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1/',
    'http://user@example.com/',
    'data:,x',
    'nonsense',
  ])('are refused with another scheme or with user info: %s', (url) => refused(url))

  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946'])('do not include %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each(['nonsense', ''])('include %j, which is not an address', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })

  it('are refused with the same message as failed DNS (threat 17)', async () => {
    await refused('http://nowhere.example/')
  })

  it('are refused at every hop of redirects', async () => {
    let hits = 0
    const open = createServer((_request, response) => {
      hits += 1
      response.writeHead(302, { location: targets.shift() as string }).end()
    })
    open.listen(0, '127.0.0.1')
    await once(open, 'listening')
    const origin = `http://127.0.0.1:${(open.address() as AddressInfo).port}/`
    const targets = [
      'file:///etc/passwd',
      'ftp://host/',
      'http://user@host/',
      'javascript:1',
      'http://denied.example/',
      'http://0.0.0.0:22/',
    ]
    const guarded = new Egress({
      ...UNLIMITED,
      ...PATIENT,
      allowNonPublic: true,
      policy: {
        allowedHosts: [],
        deniedHosts: ['denied.example'],
        ports: [
          [1024, 65535],
          [80, 80],
        ],
      },
    })
    const count = targets.length
    for (let at = 0; at < count; at++)
      await expect(guarded.request({ url: origin, method: 'GET', headers: {}, ...ASKING })).rejects.toMatchObject({
        code: 'STORAGE_REFUSED',
      })
    expect(hits).toBe(count)
    await guarded.close()
    open.close()
  })

  it('requests above the concurrency limit are rejected until one has ended', async () => {
    const few = new Egress({
      ...UNLIMITED,
      ...PATIENT,
      allowNonPublic: true,
      limits: { paid: { ...UNLIMITED.limits.paid, maxRequests: 2 }, anonymous: UNLIMITED.limits.anonymous },
    })
    const request = { url: `http://127.0.0.1:${port}/`, method: 'GET' as const, headers: {}, ...ASKING }
    const endless = { ...request, url: `${request.url}endless` }
    const [one] = await Promise.all([few.request(endless), few.request(endless)])
    await expect(few.request(request)).rejects.toMatchObject({ code: 'STORAGE_BUSY' })
    discard(one?.body as Readable)
    await expect
      .poll(() =>
        few.request(request).then(
          ({ status }) => status,
          () => 'busy',
        ),
      )
      .toBe(200)
    await few.close()
  })

  it('only hosts and ports that the operator allows are connected to', async () => {
    const { origin } = new URL(`http://127.0.0.1:${port}`)
    const request = { url: origin, method: 'GET' as const, headers: {}, ...ASKING }
    const base = { ...UNLIMITED, ...PATIENT, allowNonPublic: true }
    const verdict = async (policy: object) => {
      const one = new Egress({ ...base, policy: { ...ANYWHERE, ...policy } })
      const result = await one.request(request).then(
        ({ body }) => {
          body.resume()
          return 'asked'
        },
        () => 'refused',
      )
      await one.close()
      return result
    }
    expect(await verdict({})).toBe('asked')
    expect(await verdict({ allowedHosts: ['127.0.0.1'] })).toBe('asked')
    expect(await verdict({ allowedHosts: ['files.example'] })).toBe('refused')
    expect(await verdict({ deniedHosts: ['127.0.0.1'] })).toBe('refused')
    expect(await verdict({ ports: [[443, 443]] })).toBe('refused')
  })
})
