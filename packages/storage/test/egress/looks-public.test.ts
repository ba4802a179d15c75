import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { isPublicAddress } from '../../../protocol/src/addresses.js'
import { Destinations } from '../../src/egress/destinations.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

/** The metadata services of clouds. */
const METADATA = [
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.23',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
]

const ISATAP = ['0:5efe', '100:5efe', '200:5efe', '300:5efe'].flatMap((form) => [
  `2a01:4f8:1:2:${form}:127.0.0.1`,
  `2a01:4f8:1:2:${form}:8.8.8.8`,
  `2606:4700::${form}:a00:1`,
])

describe('addresses that look public (threat 59)', () => {
  it.each([...METADATA, ...ISATAP])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each([
    '168.63.129.15',
    '168.63.129.17',
    '2a01:4f8:1:2:0:5eff:7f00:1',
    '2a01:4f8:1:2:400:5efe:7f00:1',
    '5efe::',
  ])('%s, which only resembles one, is not affected', (address) => {
    expect(isPublicAddress(address)).toBe(address !== '5efe::')
  })
})

describe("the machine's own addresses (threat 59)", () => {
  afterEach(() => void vi.useRealTimers())
  const own = (...addresses: string[]) => ({ eth0: addresses.map((address) => ({ address }) as NetworkInterfaceInfo) })
  const destinations = (interfaces: () => ReturnType<typeof networkInterfaces>) =>
    new Destinations({ allowNonPublic: false, interfaces })

  it('are refused although they are public; others are not', () => {
    const { allows } = bound(destinations(() => own('93.184.216.34', '2606:2800:220:1::25', 'fe80::1%eth0')))
    expect(allows('93.184.216.34')).toBe(false)
    expect(allows('2606:2800:0220:0001:0:0:0:0025')).toBe(false)
    expect(allows('2606:2800:220:1::25%lo')).toBe(false)
    expect(allows('93.184.216.35')).toBe(true)
    expect(allows('2606:2800:220:1::26')).toBe(true)
    expect(allows('nonsense')).toBe(false)
  })

  it('are read when needed, and again after some seconds', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    let reads = 0
    let current = own('93.184.216.34')
    const { allows } = bound(
      destinations(() => {
        reads += 1
        return current
      }),
    )
    expect(reads).toBe(0)
    expect(allows('93.184.216.35')).toBe(true)
    current = own('93.184.216.35')
    for (let count = 0; count < 100; count++) allows('93.184.216.35')
    expect(reads).toBe(1)
    vi.advanceTimersByTime(STORAGE_LIMITS.destinations.ownAddressesRefresh)
    expect(allows('93.184.216.35')).toBe(false)
    expect(allows('93.184.216.34')).toBe(true)
    expect(reads).toBe(2)
  })

  it('are those known before when the system fails to list them', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    let broken = false
    const { allows } = bound(
      destinations(() => {
        if (broken) throw new Error('not permitted')
        return own('93.184.216.34')
      }),
    )
    expect(allows('93.184.216.34')).toBe(false)
    broken = true
    vi.advanceTimersByTime(STORAGE_LIMITS.destinations.ownAddressesRefresh)
    expect(allows('93.184.216.34')).toBe(false)
    expect(allows('8.8.8.8')).toBe(true)
  })

  it('of this machine are all refused', () => {
    const { allows } = bound(new Destinations({ allowNonPublic: false }))
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    expect(all.filter(({ address }) => allows(address))).toEqual([])
    expect(allows('8.8.8.8')).toBe(true)
  })
})

describe('networks that the operator denies (threat 59)', () => {
  const deniedNetworks = ['8.8.8.8', '93.184.0.0/16', '2a01:4f8::/32', '10.0.0.0/8', '2606::1']

  it.each([false, true])('are refused, others are not; ALLOW_NON_PUBLIC_IP: %s', (allowNonPublic) => {
    const { allows } = bound(new Destinations({ allowNonPublic, deniedNetworks }))
    for (const address of ['8.8.8.8', '93.184.216.34', '2a01:4f8:1::1', '10.1.2.3', '::ffff:10.1.2.3', '2606:0::1'])
      expect(allows(address), address).toBe(false)
    for (const address of ['8.8.4.4', '93.185.0.1', '2a01:4f9::1', '2606::2']) expect(allows(address)).toBe(true)
    expect(allows('127.0.0.1')).toBe(allowNonPublic)
  })
})

describe.each(['resolver', 'system'])('a running service with STORAGE_DNS=%s', (STORAGE_DNS) => {
  let world: World
  let server: Server
  const connections: string[] = []
  beforeAll(async () => {
    world = await World.start({ STORAGE_DENIED_NETWORKS: '127.0.0.2/31', STORAGE_DNS })
    server = createServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: at('127.0.0.2') }).end()
      else response.end('inside')
    })
    server.on('connection', ({ localAddress }) => connections.push(localAddress as string))
    server.listen(0, '0.0.0.0')
    await once(server, 'listening')
  })
  afterAll(() => void server.close())
  const at = (host: string, path = '/') => `http://${host}:${(server.address() as AddressInfo).port}${path}`
  const valid = async (url: string) => {
    const body = JSON.stringify({ type: 'url', url, method: 'GET' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const { status, text } = await ask(`${world.network.providerUrl}/api/services/fileinfo`, init)
    expect(status).toBe(200)
    return (JSON.parse(text) as { valid: boolean }[])[0]?.valid
  }

  it('connects to no denied network, directly or by redirect, but connects to others (threat 59)', async () => {
    expect(await valid(at('127.0.0.1'))).toBe(true)
    expect(await valid(at('localhost'))).toBe(true)
    for (const url of [at('127.0.0.2'), at('127.0.0.3'), at('127.0.0.1', '/away')]) expect(await valid(url)).toBe(false)
    expect(new Set(connections)).toEqual(new Set(['127.0.0.1']))
    connections.length = 0
  })

  it(`resolves names with the ${STORAGE_DNS} (threat 41)`, async () => {
    const begun = new Set<string>()
    const hook = createHook({ init: (_id, type) => void begun.add(type) }).enable()
    expect(await valid('http://nowhere.invalid/')).toBe(false)
    hook.disable()
    // queries to name servers, as opposed to getaddrinfo
    expect(begun.has('QUERYWRAP')).toBe(STORAGE_DNS === 'resolver')
    expect(begun.has('GETADDRINFOREQWRAP')).toBe(STORAGE_DNS === 'system')
  })
})

function bound(destinations: Destinations) {
  return { allows: (address: string) => destinations.allows(address) }
}
