import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { ask } from '../../../../test/helpers/requests.js'
import { type Service, startHere } from '../../../../test/helpers/service-here.js'
import { World } from '../../../../test/helpers/world.js'
import { STORAGE_LIMITS } from '../../../storage/src/limits.js'

const folder = newFolder()
const SECRET = 'k3y-of-the-operator'
let world: World
let open: Service
let moved: Service

/** Sends exactly this path, which `fetch` would normalise. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET', base = open.url) {
  const { hostname, port } = new URL(base)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ hostname, port, path, headers, method }, resolve).on('error', reject).end()
  })
  const body = await buffer(response)
  return { status: response.statusCode, headers: response.headers, body, text: body.toString() }
}

const scriptOf = (page: string) => /<script type="module"[^>]* src="([^"]+\.js)"/.exec(page)?.[1] as string

beforeAll(async () => {
  world = await World.start()
  const { chainId, rpcUrl } = world.network
  const beside = (name: string, changed: NodeJS.ProcessEnv) =>
    startHere(world.beside({ STATE_DIR: join(folder, name), CONSOLE: 'true', ...changed }))
  ;[open, moved] = await Promise.all([
    beside('open', {
      NETWORK_URL: JSON.stringify({ [chainId]: `${rpcUrl}/?apikey=${SECRET}` }),
      CONSOLE_RPC_URLS: JSON.stringify({ [chainId]: 'https://node.example.org/public' }),
      HOSTING: 'local',
      HOSTING_DIR: join(folder, 'hosted'),
      HOSTING_MAX_FILE: '5000',
      RATE_LIMIT_REQUESTS: '100000',
      AUTH_TOKEN_SECRET: `${SECRET}`.repeat(3),
    }),
    beside('moved', { PUBLIC_URL: 'https://example.org/a&b/provider/' }),
  ])
})

describe('GET /', () => {
  it.each([
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'TEXT/HTML',
    'text/*;q=0.5',
    'application/json;q=0.8, text/html;q=0.9',
  ])('leads browsers to the console (%s)', async (accept) => {
    const { status, headers } = await get('/', { accept })
    expect([status, headers.location, headers.vary]).toEqual([302, '/console/', 'Accept'])
    expect((await get('/', { accept }, 'HEAD')).headers.location).toBe('/console/')
  })

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'text/html;q=0.5, application/json',
    'text/html;q=0, */*',
    'text/html;q=none',
    'image/png',
    ',;,',
    `${'a/b,'.repeat(2000)}text/html`,
  ])('answers other programs with the JSON document (%s)', async (accept) => {
    const { status, headers, text } = await get('/', accept === undefined ? {} : { accept })
    expect([status, headers.vary]).toEqual([200, 'Accept'])
    const { json } = await ask(`${world.network.providerUrl}/`)
    expect(JSON.parse(text)).toEqual({ ...json, signIn: { ...(json.signIn as object), url: open.url } })
  })
})

describe('the page', () => {
  it.each([
    '/console/',
    '/console/asset/did:op:0123',
    '/console/publish',
    '/console/search?text=a.b',
  ])('is at %s, to be validated on each visit', async (path) => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
    expect(text).toMatch(/^<!doctype html>/i)
    const again = await get(path, { 'if-none-match': `"other", W/${headers.etag}` })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag])
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('is found without the slash, and keeps a query', async () => {
    const { status, headers } = await get('/console?text=tide')
    expect([status, headers.location]).toEqual([301, '/console/?text=tide'])
  })

  it('has headers that allow only its own files, this service and the public nodes', async () => {
    for (const path of [
      '/console/',
      '/console',
      '/console/config.json',
      '/console/none.js',
      scriptOf((await get('/console/')).text),
    ]) {
      const { headers } = await get(path)
      const policy = (headers['content-security-policy'] as string).split('; ')
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self' https://node.example.org",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ])
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin-allow-popups',
        'permissions-policy': expect.stringContaining('camera=()'),
      })
    }
    expect((await get('/live')).headers).not.toHaveProperty('content-security-policy')
  })

  it("has no inline code, and its parts are found behind a proxy's prefix", async () => {
    const { text } = await get('/console/', {}, 'GET', moved.url)
    expect(scriptOf(text)).toMatch(/^\/a&amp;b\/provider\/console\/assets\//)
    expect(text).not.toMatch(/"\/console\//)
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|javascript:/i)
    const packed = await get('/console/', { 'accept-encoding': 'gzip' }, 'GET', moved.url)
    expect(gunzipSync(packed.body).toString()).toBe(text)
    expect((await get('/', { accept: 'text/html' }, 'GET', moved.url)).headers.location).toBe('/a&b/provider/console/')
    const policy = packed.headers['content-security-policy']
    expect(policy).toContain("connect-src 'self' https://example.org;")
  })
})

describe('its files', () => {
  let path: string
  beforeAll(async () => {
    path = scriptOf((await get('/console/')).text)
  })

  it('never change, and are sent in an encoding of the client', async () => {
    const plain = await get(path)
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': `${plain.body.length}`,
      vary: 'Accept-Encoding',
    })
    const etags = new Set([plain.headers.etag])
    for (const [accepted, coding, read] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0.2, gzip;q=0.9', 'gzip', gunzipSync],
      ['*', 'br', brotliDecompressSync],
      ['br;q=0, *', 'gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await get(path, { 'accept-encoding': accepted })
      expect(headers['content-encoding'], accepted).toBe(coding)
      expect(body.length).toBeLessThan(plain.body.length)
      expect(read(body).equals(plain.body), accepted).toBe(true)
      etags.add(headers.etag)
      const held = await get(path, { 'accept-encoding': accepted, 'if-none-match': headers.etag as string })
      expect([held.status, held.headers['content-encoding']]).toEqual([304, undefined])
    }
    expect(etags.size).toBe(3)
    for (const accepted of ['identity', 'zstd', 'gzip;q=0', 'gzip;q=x', '', 'br;q=0, gzip;q=0, identity;q=0'])
      expect((await get(path, { 'accept-encoding': accepted })).headers, accepted).not.toHaveProperty(
        'content-encoding',
      )
  })

  it('answer HEAD with the same headers', async () => {
    for (const one of [path, '/console/', '/console/config.json']) {
      const [head, full] = [
        await get(one, { 'accept-encoding': 'br' }, 'HEAD'),
        await get(one, { 'accept-encoding': 'br' }),
      ]
      const varying = { date: '', 'x-request-id': '' }
      expect({ ...head.headers, ...varying }).toEqual({ ...full.headers, ...varying })
      expect([head.status, head.body.length]).toEqual([200, 0])
    }
  })

  it.each([
    '/console/none.js',
    '/console/assets/none',
    '/console/assets/',
    '/console/.sources',
    '/console/index.html.gz/',
    '/console/asset/x.json',
    '/console/../package.json',
    '/console/../../package.json',
    '/console/assets/../../package.json',
    '/console/%2e%2e/package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/..%5c..%5cpackage.json',
    '/console/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/console/../etc/passwd',
    '/console//etc/passwd.txt',
    '/console/index.html%00.js',
    '/console/constructor.js',
  ])('are no others than those of the build: %s', async (other) => {
    const { status, headers, text } = await get(other)
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    expect(JSON.parse(text)).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
  })

  it('do not exist at a broken path or with another method', async () => {
    expect((await get('/console/%zz')).status).toBe(400)
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await get('/console/a/b', {}, method)
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
    }
  })
})

describe('GET /console/config.json', () => {
  it('has the settings of the page, and no secret', async () => {
    const { headers, text } = await get('/console/config.json')
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'application/json; charset=utf-8' })
    expect(JSON.parse(text)).toEqual({
      version: '0.1.0',
      chains: [
        {
          chainId: 8996,
          name: 'development',
          rpcUrl: 'https://node.example.org/public',
          currency: { symbol: 'coins', decimals: 18 },
        },
      ],
      hosting: { enabled: true, maxFile: 5000 },
      limits: {
        filesPerService: STORAGE_LIMITS.files.count,
        documentSize: 1_048_576,
        linkLifetime: 3600,
        checksumLength: 10_485_760,
        requestsPerMinute: 100_000,
      },
    })
    const { facts } = world.local
    for (const secret of [SECRET, facts.rpcUrl, ...facts.accounts.map(({ privateKey }) => privateKey.slice(2))])
      expect(text).not.toContain(secret)
  })

  it('names the public address if it is set, and no node if none is public', async () => {
    const config = JSON.parse((await get('/console/config.json', {}, 'GET', moved.url)).text)
    expect(config).toMatchObject({ provider: 'https://example.org/a&b/provider', hosting: { enabled: false } })
    expect(config.chains[0]).not.toHaveProperty('rpcUrl')
    expect(config).not.toHaveProperty('local')
  })
})

describe('GET /api/services/status', () => {
  it('shows the public state of the service, without its nodes, database and disk', async () => {
    const { json, text } = await ask(`${open.url}/api/services/status`)
    expect(json).toMatchObject({ version: '0.1.0', limits: { requestsPerMinute: 100_000 } })
    expect(Object.keys(json).sort()).toEqual(['chains', 'limits', 'ready', 'version'])
    const [chain] = json.chains as object[]
    expect(Object.keys(chain as object).sort()).toEqual(['age', 'block', 'chainId', 'head', 'lag', 'ready'])
    expect(text).not.toContain(SECRET)
  })
})

describe('without the console', () => {
  it('the page does not exist, and / is the same for all', async () => {
    const base = world.network.providerUrl
    for (const path of ['/console', '/console/', '/console/config.json'])
      expect((await get(path, {}, 'GET', base)).status).toBe(404)
    const { status, headers, text } = await get('/', { accept: 'text/html' }, 'GET', base)
    expect([status, headers.vary]).toEqual([200, undefined])
    expect(JSON.parse(text)).toMatchObject({ software: 'Tidegate' })
  })
})
