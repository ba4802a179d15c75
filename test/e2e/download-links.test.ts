import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, truncateSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { sharedBrowser } from '../helpers/browser.js'
import { newFolder } from '../helpers/cleanup.js'
import { runHere } from '../helpers/command-here.js'
import { program } from '../helpers/deploy-tools.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { createLink, grantOf } from '../helpers/links.js'
import { type PostgresDatabase, startPostgres } from '../helpers/postgres-database.js'
import type { Published } from '../helpers/publish.js'
import { ask, createToken, deleteToken, freshNonce, served } from '../helpers/requests.js'
import { type Said, type Service, startHere } from '../helpers/service-here.js'
import { StorageServer } from '../helpers/storage-server.js'
import { World } from '../helpers/world.js'

const run = promisify(execFile)
const CONTENT = randomBytes(5_000_000)
const wget = program('wget')
if (!wget) console.warn('SKIPPED: download links with wget. It is not installed (Debian: wget).')

/** Two instances on one PostgreSQL, with a key that is replaced later; and programs as people have them. */
describe('download links', () => {
  let world: World
  let postgres: PostgresDatabase
  let collector: StorageServer
  /** The first one is a process, whose log and spans are read. */
  let alone: Instance
  /** What the second one logs. */
  let said: Said[]
  let instances: Service[]
  let folder: string
  let asset: Published
  let buyer: Wallet
  let txId: string
  let spans = ''

  const settings = (changed: NodeJS.ProcessEnv = {}) =>
    world.beside({ DATABASE_URL: postgres.url(), STATE_DIR: join(folder, 'state'), ...changed })
  const first = () => instances[0]?.url as string
  const second = () => instances[1]?.url as string
  const made: string[] = []

  async function link(base = first(), changed = {}, headers = {}): Promise<string> {
    const { url, text } = await createLink(base, asset, txId, buyer, changed, headers)
    if (url === undefined) throw new Error(text)
    made.push(url)
    return url
  }
  const at = (base: string, url: string) => base + new URL(url).pathname

  beforeAll(async () => {
    ;[world, postgres, collector] = await Promise.all([World.start(), startPostgres(), StorageServer.start()])
    folder = newFolder()
    collector.on('/v1/traces', async (request, response) => {
      spans += (await request.toArray()).join('')
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    const traced = settings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin })
    const starting = startInstance(traced, undefined, { keepRequests: true })
    const [one, here] = await Promise.all([starting, startHere(settings())])
    ;[alone, said, instances] = [one, here.said, [one, here]]
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/tides.bin', CONTENT, 'application/octet-stream')))
    await Promise.all(instances.map(({ url }) => served(url, asset)))
  })
  afterAll(() => Promise.all(instances.map((instance) => instance.end())))

  it('work at every instance, and end at all of them with the token', async () => {
    const key = providerKey(buyer.privateKey)
    const token = (await createToken(first(), key, freshNonce())).json.token as string
    const url = await link(first(), { signature: undefined }, { AuthToken: token })
    expect(Buffer.from(await (await fetch(at(second(), url))).arrayBuffer()).equals(CONTENT)).toBe(true)
    expect((await deleteToken(second(), key, token)).status).toBe(200)
    for (const base of [first(), second()]) expect((await ask(at(base, url))).json.code).toBe('LINK_REVOKED')
  })

  it('give curl the file, and the rest of one', async () => {
    const url = await link()
    const target = join(folder, 'curl.bin')
    await run('curl', ['-sSf', '-o', target, url])
    expect(readFileSync(target).equals(CONTENT)).toBe(true)
    truncateSync(target, 1_234_567)
    await run('curl', ['-sSf', '-C', '-', '-o', target, url])
    expect(readFileSync(target).equals(CONTENT)).toBe(true)
    const { stdout } = await run('curl', ['-sSfI', url])
    expect(stdout).toMatch(/content-length: 5000000/i)
  })

  it.skipIf(!wget)('are taken up again by wget -c', async () => {
    const url = await link()
    const target = join(folder, 'tides.bin')
    // wget names the file by the URL, as it does for people
    const options = ['-q', '-c', '--tries=1', '-P', folder]
    await run(wget as string, [...options, url])
    expect(readFileSync(target).equals(CONTENT)).toBe(true)
    truncateSync(target, 100_001)
    await run(wget as string, [...options, url])
    expect(readFileSync(target).equals(CONTENT)).toBe(true)
    expect(world.storage.seen('/tides.bin').at(-1)?.headers.range).toMatch(/^bytes=100001-/)
  })

  it('are downloaded to disk by a click in a browser, and the page that follows learns nothing of them', async () => {
    const referrers: (string | undefined)[] = []
    const url = await link()
    const answer = (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<a id="it" href="${url}">file</a>`)
    const page = await (await sharedBrowser()).newPage({ acceptDownloads: true })
    await page.goto(
      world.storage.on('/page.html', (request, response) => {
        referrers.push(request.headers.referer)
        answer(response)
      }),
    )
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#it')])
    expect(download.suggestedFilename()).toBe('tides.bin')
    const target = join(folder, 'browser.bin')
    await download.saveAs(target)
    expect(await download.failure()).toBeNull()
    expect(readFileSync(target).equals(CONTENT)).toBe(true)
    expect(referrers.join()).not.toContain(grantOf(url))
    await page.close()
  })

  it('count as downloads of their consumer in the report', async () => {
    const { url } = await createLink(first(), asset, txId, buyer)
    const downloads = async () => {
      const { stdout } = await runHere(['report', '--by', 'consumer', '--json'], settings())
      const lines = JSON.parse(stdout) as { consumer: string; deliveries: number }[]
      return lines.find(({ consumer }) => consumer === buyer.address)?.deliveries ?? 0
    }
    const before = await downloads()
    expect((await ask(url)).status).toBe(200)
    await eventually(async () => (await downloads()) > before)
  })

  it('never stand in a log or a span, and the line of a request says whom they are for', async () => {
    const url = await link()
    const refused = `${at(first(), url).slice(0, -15)}/tides.bin`
    await ask(refused)
    await ask(url, { method: 'DELETE' })
    await ask(`${at(first(), url)}/more`)
    expect((await ask(url)).status).toBe(200)
    const lines = () => alone.requests.filter(({ route }) => String(route).includes('/link/'))
    await eventually(() => lines().some(({ status }) => status === 403) && lines().some(({ status }) => status === 200))
    expect(lines().findLast(({ status }) => status === 200)).toMatchObject({
      route: '/api/services/download/link/:grant/:name?',
      ...{ did: asset.did, consumer: buyer.address, order: txId, service: asset.ddo.services[0]?.id },
    })
    await eventually(() => spans.includes('/link/:grant'))
    const logged = JSON.stringify([alone.lines, alone.requests, said, spans])
    expect(said.some(({ route }) => String(route).includes('/link/'))).toBe(true)
    expect(made.length).toBeGreaterThan(3)
    for (const one of made) expect(logged).not.toContain(grantOf(one).slice(0, 40))
  })

  it('end with a change of the key as tokens do, and outlast it and restarts where AUTH_TOKEN_SECRET is set', async () => {
    const before = await link()
    const rotated = {
      PROVIDER_PRIVATE_KEY: `0x${'22'.repeat(32)}`,
      PREVIOUS_PRIVATE_KEYS: settings().PROVIDER_PRIVATE_KEY as string,
    }
    const secret = { AUTH_TOKEN_SECRET: 'a secret of more than thirty-two characters' }
    await alone.end('SIGKILL')
    instances[0] = await startHere(settings(rotated))
    await served(first(), asset)
    expect((await ask(at(first(), before))).json.code).toBe('LINK_INVALID')
    const after = await link()
    expect((await ask(after)).status).toBe(200)
    await instances[1]?.end()
    instances[1] = await startHere(settings(secret))
    await served(second(), asset)
    const lasting = await link(second())
    await instances[0]?.end()
    instances[0] = await startHere(settings({ ...rotated, ...secret }))
    await served(first(), asset)
    const { status } = await ask(at(first(), lasting))
    expect(status).toBe(200)
  })

  it('begin with PUBLIC_URL if it is set', async () => {
    await instances[1]?.end()
    instances[1] = await startHere(settings({ PUBLIC_URL: 'https://data.example.org/tides/' }))
    await served(second(), asset)
    const { url } = await createLink(second(), asset, txId, buyer)
    expect(url).toMatch('https://data.example.org/tides/api/services/download/link/')
  })
})
