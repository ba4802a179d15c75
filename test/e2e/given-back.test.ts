import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../helpers/backends.js'
import type { DevProcess } from '../helpers/dev.js'
import { eventually } from '../helpers/eventually.js'
import { memoryOf, metricOf, openFilesOf } from '../helpers/measures.js'
import { paidAsset } from '../helpers/paid.js'
import { bareSocket, getRequest, postRequest } from '../helpers/raw-consumer.js'
import { startAlone } from '../helpers/service-alone.js'
import { sized } from '../helpers/sizes.js'
import { StorageServer } from '../helpers/storage-server.js'
import { Turnstile } from '../helpers/turnstile.js'

const CONNECTIONS = sized(250, 1000)
/** Concurrent misbehaving connections. */
const AT_ONCE = 25
const MAX_DOWNLOADS = 50
const MAX_ANONYMOUS = 50
const LARGE = Buffer.alloc(4_194_304, 'x')

/** How one misbehaving connection uses its socket, from connecting until it is reset. */
type Odd = (socket: Socket) => unknown

describe.runIf(process.platform === 'linux')(`${CONNECTIONS} misbehaving connections`, () => {
  let dev: DevProcess
  let storage: StorageServer
  let turnstile: Turnstile
  let metrics: string
  let download: (file: keyof typeof FILES, mark?: string) => string
  let api: string
  /** Responses that the storage withholds. */
  const held = new Set<ServerResponse>()
  /** Marks of the requests that have reached the storage. */
  const seen = new Set<string>()

  const FILES = { small: 0, large: 1, silent: 2, begun: 3 }

  beforeAll(async () => {
    storage = await StorageServer.start()
    turnstile = await Turnstile.before(Number(new URL(storage.origin).port))
    const through = (url: string) => url.replace(storage.origin, `http://127.0.0.1:${turnstile.port}`)
    const marked =
      (respond: (response: ServerResponse) => void) => (request: IncomingMessage, response: ServerResponse) => {
        seen.add(new URL(request.url as string, storage.origin).searchParams.get('mark') ?? '')
        held.add(response.on('close', () => held.delete(response)))
        respond(response)
      }
    const urls = [
      storage.file('/small.csv', Buffer.from('tide')),
      storage.file('/large.bin', LARGE),
      storage.on(
        '/silent',
        marked(() => undefined),
      ),
      storage.on(
        '/begun',
        marked((response) => void response.writeHead(200, { 'content-length': 1000 }).write('tide')),
      ),
    ].map(through)
    const metricsPort = await freePort()
    metrics = `http://127.0.0.1:${metricsPort}`
    dev = await startAlone({
      METRICS_PORT: `${metricsPort}`,
      MAX_DOWNLOADS: `${MAX_DOWNLOADS}`,
      MAX_ANONYMOUS: `${MAX_ANONYMOUS}`,
      DESCRIBE_MAX_REQUESTS: '200',
      DESCRIBE_MAX_PER_HOST: '200',
    })
    const { facts } = dev
    api = `${facts.providerUrl}/api/services`
    const { asset, service, token } = await paidAsset(dev, urls)
    download = (file, mark = '') => {
      const userdata = JSON.stringify({ mark })
      const params = new URLSearchParams({ ...service, fileIndex: `${FILES[file]}`, userdata })
      return getRequest(`${api}/download?${params}`, `authtoken: ${token}\r\n`)
    }
    kept = await metricOf(metrics, 'tidegate_http_connections')
    bare = { did: asset.did, silent: through(`${storage.origin}/silent`) }
  })
  /** Keep-alive connections of this test's own requests. */
  let kept = 0
  let bare: { did: string; silent: string }
  afterAll(() => void turnstile?.close())

  /** Waits until a request has reached the storage, or the service has refused it or closed the connection. */
  const reached = async (socket: Socket, mark: string) =>
    eventually(() => seen.has(mark) || socket.destroyed || socket.readableLength > 0, undefined, 10)
  const describing = (mark: string) =>
    postRequest(`${api}/fileinfo`, JSON.stringify({ type: 'url', method: 'GET', url: `${bare.silent}?mark=${mark}` }))
  let marks = 0
  const mark = () => `m${marks++}`

  /** Sends a request, and waits until it has reached the storage. */
  const upTo =
    (request: (mark: string) => string): Odd =>
    async (socket) => {
      const own = mark()
      socket.write(request(own))
      await reached(socket, own)
    }
  /** Sends a request, and waits for the first bytes of the response. */
  const upToAnswer =
    (request: () => string): Odd =>
    async (socket) => {
      socket.write(request())
      await once(socket, 'readable')
    }
  const upToSent =
    (request: () => string): Odd =>
    (socket) =>
      new Promise((resolve) => socket.write(request(), resolve))

  const others = () =>
    download('small') + download('large') + getRequest(`${api}/nonce?userAddress=0x${'1'.repeat(40)}`)
  const kinds = (): Record<string, Odd> => ({
    'downloads queued behind a silent one': upTo((own) => download('silent', own) + others().repeat(4)),
    'downloads queued behind one that has begun': upTo((own) => download('begun', own) + download('large').repeat(8)),
    'silent downloads only': upTo((own) => download('silent', own) + download('silent').repeat(7)),
    'refused downloads queued behind a silent one': upTo(
      (own) => download('silent', own) + getRequest(`${api}/download?documentId=x`).repeat(8),
    ),
    'a download behind a description': upTo((own) => describing(own) + download('large').repeat(4)),
    'descriptions, and the root behind them': upTo((own) => describing(own) + getRequest(api).repeat(6)),
    'half of the headers': upToSent(() => download('small').slice(0, -4)),
    'half of a request line': upToSent(() => 'GET /api/serv'),
    'half of a body': upToSent(() => postRequest(`${api}/fileinfo`, JSON.stringify({ did: bare.did }), undefined, 9)),
    'a slow body behind a download': upToSent(
      () => download('silent') + postRequest(`${api}/encrypt`, 'x'.repeat(100_000), 'application/octet-stream', 50_000),
    ),
    'at once': upToSent(() => download('large')),
    'before the first byte': upTo((own) => download('silent', own)),
    'in the middle': upToAnswer(() => download('large')),
    'in the middle of one that has stopped': upToAnswer(() => download('begun')),
    'at the end': upToAnswer(() => download('small')),
    'unread downloads': upToAnswer(() => download('large').repeat(12)),
    'an unread encryption': upToAnswer(() =>
      postRequest(`${api}/encrypt?chainId=${dev.facts.chainId}`, 'x'.repeat(300_000), 'application/octet-stream'),
    ),
    'nothing at all': () => undefined,
  })

  async function oddConnections(count: number): Promise<void> {
    const all = Object.values(kinds())
    let next = 0
    const worker = async () => {
      while (next < count) {
        const at = next++
        const socket = bareSocket(dev.facts.providerUrl)
        await once(socket, 'connect')
        await (all[at % all.length] as Odd)(socket)
        if (at % 3 === 0) socket.destroy()
        else if (!socket.destroyed) socket.resetAndDestroy()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  const pid = () => dev.process.pid as number
  const open = async () => ({
    active: await metricOf(metrics, 'tidegate_downloads_active'),
    // the request for the metrics is not counted: it goes to another server
    requests: await metricOf(metrics, 'tidegate_http_requests_in_flight'),
    upstream: await metricOf(metrics, 'tidegate_upstream_requests_in_flight'),
    connections: Math.max(0, (await metricOf(metrics, 'tidegate_http_connections')) - kept),
    atStorage: turnstile.open,
    held: held.size,
  })
  const NOTHING = { active: 0, requests: 0, upstream: 0, connections: 0, atStorage: 0, held: 0 }
  async function nothingOpen(): Promise<void> {
    let last: object = {}
    const isNothing = async () => {
      last = await open()
      return JSON.stringify(last) === JSON.stringify(NOTHING)
    }
    await eventually(isNothing, 15_000, 50).catch(() => undefined)
    expect(last).toEqual(NOTHING)
  }

  /** Sends as many concurrent requests as there are slots: each must reach the storage. */
  async function fullSet(count: number, request: (mark: string) => string): Promise<void> {
    const sockets = Array.from({ length: count }, () => bareSocket(dev.facts.providerUrl))
    const own = sockets.map((socket) => {
      const name = mark()
      socket.write(request(name))
      return name
    })
    await eventually(() => own.every((name) => seen.has(name)))
    for (const socket of sockets) socket.destroy()
  }

  it('leak nothing: no counter, slot, upstream connection, file descriptor or memory (threat 71)', async () => {
    // warm up: some memory grows with the first connections only
    await oddConnections(sized(100, 200))
    await nothingOpen()
    const before = { files: openFilesOf(pid()), memory: memoryOf(pid()) }

    await oddConnections(CONNECTIONS)
    await nothingOpen()
    await eventually(() => openFilesOf(pid()) <= before.files)
    expect(memoryOf(pid()) - before.memory).toBeLessThan(128)

    // all slots of each kind are free again
    await fullSet(MAX_DOWNLOADS, (name) => download('silent', name))
    await nothingOpen()
    await fullSet(MAX_ANONYMOUS, describing)
    await nothingOpen()
  })
})
