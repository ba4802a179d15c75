import { type AddressInfo, createServer, type Server } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd, newFolder } from '../../../../test/helpers/cleanup.js'
import { buildHere, runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'

const SECRET = 'hunter2'
const PAGE = `<!DOCTYPE html><title>Log in, ${SECRET}</title>`

/** The operator configured the address of something else: a page, a login, a server of another protocol. */
describe('a configured address with another server than expected', () => {
  let world: World
  let pages: StorageServer
  const url = (path: string) => `${pages.origin}/${path}/${SECRET}`
  beforeAll(async () => {
    ;[world, pages] = await Promise.all([World.start(), StorageServer.start()])
    const answers: [string, number, Record<string, string>, string][] = [
      ['page', 200, { 'content-type': 'text/html' }, PAGE],
      ['login', 401, { 'content-type': 'text/html' }, PAGE],
      ['moved', 302, { location: `https://login.example/${SECRET}` }, ''],
      ['empty', 200, {}, ''],
      ['json', 200, { 'content-type': 'application/json' }, `{"error":"${SECRET}"}`],
      ['down', 503, { 'content-type': 'text/html' }, PAGE],
    ]
    for (const [path, status, headers, body] of answers)
      for (const suffix of ['', `/api/aquarius/assets/ddo/did:op:${'0'.repeat(64)}`])
        pages.on(`/${path}/${SECRET}${suffix}`, (_, response) => response.writeHead(status, headers).end(body))
  })
  const at = (host: string) => new URL(host).host
  const settings = (changed: Record<string, string>) =>
    world.beside({ STATE_DIR: newFolder(), IPFS_GATEWAY: pages.origin, ARWEAVE_GATEWAY: pages.origin, ...changed })
  const nodes = (...urls: string[]) => ({ NETWORK_URL: JSON.stringify({ [world.network.chainId]: urls }) })

  it('is named by doctor, for each node, without its URL or its text', async () => {
    const expected: [string, string][] = [
      [url('page'), 'answers a web page (text/html) with status 200 instead of JSON-RPC'],
      [url('login'), 'refuses access (status 401) with a web page (text/html)'],
      [url('moved'), 'redirects (status 302), and redirects are not followed'],
      [url('empty'), 'answers an empty body with status 200 instead of JSON-RPC'],
      [url('json'), 'answers JSON that is no JSON-RPC with status 200'],
      [url('down'), 'answered 503 with a web page (text/html)'],
      [`http://127.0.0.1:1/${SECRET}`, 'cannot be reached: it refuses connections (ECONNREFUSED)'],
      [`http://nowhere.invalid/${SECRET}`, 'cannot be reached: its name '],
      [url('page').replace('http:', 'https:'), 'cannot be reached: TLS fails (ERR_SSL_'],
      [await closing(), 'closes the connection before its answer ends ('],
      [await speaking('SSH-2.0-OpenSSH_9.2\r\n'), 'answers something else than HTTP'],
    ]
    const urls = [...expected.map(([one]) => one), world.network.rpcUrl]
    const { stdout } = await runHere(['doctor'], settings(nodes(...urls)))
    const lines = stdout.split('\n')
    const prefix = `FAIL  chain ${world.network.chainId}, node `
    for (const [one, said] of expected)
      expect(lines).toContainEqual(expect.stringContaining(`${prefix}${at(one)}: ${said}`))
    expect(stdout).not.toContain(SECRET)
    expect(stdout).not.toContain('login.example')
  })

  it('is named by /ready and the log of a service that uses another node', async () => {
    const service = await startHere(settings(nodes(url('page'), world.network.rpcUrl)))
    const reason = 'answers a web page (text/html) with status 200 instead of JSON-RPC'
    await eventually(async () => {
      const ready = await ask(`${service.url}/ready`)
      return ready.status === 200 && ready.text.includes(reason)
    })
    expect((await ask(`${service.url}/ready`)).text).not.toContain(SECRET)
    await eventually(() => service.said.some((line) => line.msg === 'chain node failed' && line.reason === reason))
    expect(JSON.stringify(service.said)).not.toContain(SECRET)
    await service.end()
  })

  it('is named when the service cannot start with it as its only node', async () => {
    const { stderr } = await buildHere(settings({ NETWORK_URL: url('login') }))
    const said = `${at(pages.origin)} refuses access (status 401) with a web page (text/html).`
    expect(stderr).toContain(`NETWORK_URL: the node at ${at(pages.origin)} does not answer JSON-RPC. ${said}`)
    expect(stderr).not.toContain(SECRET)
  })

  it('is named for every other service of the settings', async () => {
    const check = async (changed: Record<string, string>) => (await runHere(['doctor'], settings(changed))).stdout
    const services = await check({
      METADATA_CACHE_URL: [url('page'), url('login'), url('moved')].join(','),
      RBAC_SERVER_URL: url('login'),
      USE_HTTP_PROOF: url('moved'),
      WEBHOOK_URL: url('login'),
      WEBHOOK_SECRET: SECRET.padEnd(32, '.'),
    })
    for (const said of [
      'metadata cache HOST: answers a web page (text/html) with status 200 instead of JSON',
      'metadata cache HOST: refuses access (status 401) with a web page (text/html)',
      'metadata cache HOST: redirects (status 302), and redirects are not followed',
      'access control server HOST: refuses access (status 401) with a web page (text/html)',
      'receiver of proofs HOST: redirects (status 302), and redirects are not followed',
      'receiver of webhooks HOST: refuses access (status 401)',
    ])
      expect(services.split('\n')).toContain(`FAIL  ${said.replace('HOST', at(pages.origin))}`)
    expect(services).toContain(`ok    IPFS gateway ${at(pages.origin)}: answers`)
    expect(services).not.toContain(SECRET)
    const lists: [string, string][] = [
      ['page', 'answers a web page (text/html) with status 200 instead of JSON.'],
      ['moved', 'redirects (status 302), and redirects are not followed.'],
    ]
    for (const [path, said] of lists) {
      const { stderr } = await buildHere(settings({ PURGATORY_ASSETS: url(path) }))
      expect(stderr).toContain(`PURGATORY_ASSETS: the list cannot be read: ${at(pages.origin)} ${said}`)
      expect(stderr).not.toContain(SECRET)
    }
  })

  it('is named in the log when an access control server answers a page, and is not taken as a denial', async () => {
    const service = await startHere(settings({ RBAC_SERVER_URL: url('page') }))
    const headers = { 'content-type': 'application/octet-stream' }
    const target = `${service.url}/api/services/encrypt?chainId=${world.network.chainId}`
    const { json } = await ask(target, { method: 'POST', headers, body: '[]' })
    expect(json).toMatchObject({ code: 'RBAC_UNAVAILABLE' })
    expect(service.said).toContainEqual(
      expect.objectContaining({
        host: at(pages.origin),
        reason: 'answers a web page (text/html) with status 200 instead of JSON',
        msg: 'access control server failed',
      }),
    )
    expect(JSON.stringify(service.said)).not.toContain(SECRET)
    await service.end()
  })

  const listening = async (server: Server): Promise<string> => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    server.on('connection', (socket) => atEnd(async () => void socket.destroy()))
    atEnd(async () => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${SECRET}`
  }
  /** A server that closes each connection when it has read something. */
  const closing = () => listening(createServer((socket) => socket.once('data', () => socket.destroy())))
  /** A server of another protocol, which greets. */
  const speaking = (greeting: string) => listening(createServer((socket) => socket.end(greeting)))
})
