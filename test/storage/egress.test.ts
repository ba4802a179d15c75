import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../src/storage/addresses.js'
import { Egress } from '../../src/storage/egress.js'
import { UNLIMITED } from '../helpers/policy.js'

const options = { connectTimeout: 1000, responseTimeout: 1000, stallTimeout: 1000, ...UNLIMITED }

describe('threat 4: destinations', () => {
  const server = createServer((_request, response) => response.end('inside'))
  let port: number
  let connections = 0
  const egress = new Egress({ ...options, allowNonPublic: false })
  beforeAll(async () => {
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

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    'localhost',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '127.0.0.1.',
    'LOCALHOST',
  ])('refuses %s before a connection is opened', async (host) => {
    const request = { url: `http://${host}:${port}/`, method: 'GET' as const, headers: {} }
    await expect(egress.request(request)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    expect(connections).toBe(0)
  })

  it.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1/',
    'http://user@example.com/',
    'data:,x',
    'nonsense',
  ])('refuses %s', async (url) => {
    await expect(egress.request({ url, method: 'GET', headers: {} })).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })

  it('reaches the same places where that is allowed', async () => {
    const open = new Egress({ ...options, allowNonPublic: true })
    const { status, body } = await open.request({ url: `http://127.0.0.1:${port}/`, method: 'GET', headers: {} })
    expect(status).toBe(200)
    await body.resume()
    await open.close()
  })
})

describe('public addresses', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946'])('%s is one', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.1',
    '0.0.0.0',
    'fc00::1',
    'fd00::1',
    'fe80::1',
    'ff02::1',
    '::1',
    '::',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
    '2001::1',
    '2001:db8::1',
    'nonsense',
    '',
  ])('%s is none', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
