import dns from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { webLink } from '@tidegate/protocol/asset'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { webDocuments } from '../node/web-documents.js'
import { fetchDocument } from './web-document.js'

const PROVIDER = 'https://provider.example'
const read = (url: string, provider = PROVIDER) =>
  fetchDocument({ url: provider, documents: webDocuments }, webLink(provider, url) as never, 'terms')

/** A server on this machine. Every name of `.example` is its own. */
let server: Server
let port: number
let answer: RequestListener
const requests: string[] = []

beforeEach(async () => {
  requests.length = 0
  answer = (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('Terms')
  server = createServer((request, response) => {
    requests.push(`${request.headers.host}${request.url}`)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  const { lookup } = dns
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: object, callback: never) =>
    lookup(/\.example$/.test(name) ? '127.0.0.1' : name, options, callback)) as never)
})
afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('terms on the local network', () => {
  it.each([
    'localhost',
    'router.local',
    'router.home.arpa',
    '127.1',
    '0x7f000001',
    '10.0.0.1',
    '192.168.1.1',
    '172.20.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '168.63.129.16',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[fd00::1]',
    '[fe80::1]',
    'rebound.example',
  ])('are not read: %s (threat 123)', async (host) => {
    await expect(read(`http://${host}:${port}/reboot`)).rejects.toThrow('local network')
    expect(requests).toEqual([])
    // nor after a redirect of the provider's own file
    answer = (_, response) => response.writeHead(302, { location: `http://${host}:${port}/reboot` }).end()
    const own = `http://provider.example:${port}`
    await expect(read(`${own}/api/services/public/abc/terms.md`, own)).rejects.toThrow('local network')
    expect(requests).toEqual([`provider.example:${port}/api/services/public/abc/terms.md`])
  })

  it('are read if the provider is there too', async () => {
    const terms = await read(`http://terms.example:${port}/terms`, `http://127.0.0.1:${port}`)
    expect(terms).toMatchObject({ contentType: 'text/plain', bytes: { length: 5 } })
    expect(requests).toEqual([`terms.example:${port}/terms`])
  })

  it('are not read without a reader of documents (threat 123)', async () => {
    const url = `http://terms.example:${port}/`
    await expect(
      fetchDocument({ url: PROVIDER, documents: undefined }, webLink(PROVIDER, url) as never, 'terms'),
    ).rejects.toThrow(`only files of the provider are read here. Open ${url} yourself`)
    expect(requests).toEqual([])
  })
})

it('follows no redirect to another scheme than https, and sends no secrets', async () => {
  const local = `http://127.0.0.1:${port}`
  answer = (request, response) => {
    expect(request.headers).not.toHaveProperty('cookie')
    expect(request.headers).not.toHaveProperty('authorization')
    if (request.url === '/ftp') response.writeHead(302, { location: 'ftp://example.org/' }).end()
    else if (request.url === '/again') response.writeHead(301, { location: '/terms' }).end()
    else response.end('Terms')
  }
  await expect(read(`${local}/ftp`, local)).rejects.toThrow('another scheme')
  expect(await read(`${local}/again`, local)).toMatchObject({ bytes: { length: 5 } })
})
