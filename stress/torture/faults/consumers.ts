import { connect, type Socket } from 'node:net'
import type { Seat } from '../deployment.js'
import type { Fault, Stage } from './fault.js'

const portOf = ({ instance }: Seat) => Number(new URL(instance.url).port)

/** Opens `each` connections to every running instance, and sends a text over each. */
function connectAll({ world }: Stage, each: number, text: (seat: Seat) => string): Socket[] {
  return world.seats
    .filter(({ up }) => up)
    .flatMap((seat) =>
      Array.from({ length: each }, () => {
        const socket = connect(portOf(seat), '127.0.0.1', () => socket.write(text(seat)))
        return socket.on('error', () => undefined)
      }),
    )
}

const closeAll = (sockets: Socket[]) => () => {
  for (const socket of sockets) socket.destroy()
}

const request = (method: string, path: string, headers: Record<string, string> = {}, body = '') => {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Creates tokens, and returns the text of a token download of the largest file, by instance. */
async function tokenDownloads({ world, consumers }: Stage): Promise<(seat: Seat) => string> {
  const buyer = world.buyers[0] as (typeof world.buyers)[number]
  const path = consumers.requests.path(world.file('large'), buyer)
  const tokens = new Map<Seat, string>()
  for (const deployment of world.deployments)
    for (const seat of deployment.seats.filter(({ up }) => up))
      tokens.set(seat, (await consumers.requests.token(seat, deployment, buyer)) ?? '')
  return (seat) => request('GET', path, { authtoken: tokens.get(seat) ?? '' })
}

function fileinfo({ world }: Stage): string {
  const { asset } = world.file('small')
  const body = JSON.stringify({ did: asset.did, serviceId: asset.ddo.services[0]?.id, checksum: true })
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  return request('POST', '/api/services/fileinfo', headers, body)
}

/** Misbehaving consumers. */
export const CONSUMER_FAULTS: Fault[] = [
  {
    name: 'pipelining flood',
    about: 'Connections that pipeline up to sixty requests each, descriptions and downloads, and close at any time.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const download = await tokenDownloads(stage)
      const sockets: Socket[] = []
      const wave = () => {
        closeAll(sockets.splice(0))()
        sockets.push(...connectAll(stage, 3, () => fileinfo(stage).repeat(60)))
        sockets.push(...connectAll(stage, 1, (seat) => download(seat).repeat(20)))
      }
      wave()
      const timer = setInterval(wave, 700)
      return () => {
        clearInterval(timer)
        closeAll(sockets)()
      }
    },
  },
  {
    name: 'half requests',
    about: 'Requests that stall in the request line, the headers, or the body, on open connections.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const whole = fileinfo(stage)
      const sockets = [0.02, 0.5, 0.9].flatMap((part) =>
        connectAll(stage, 20, () => whole.slice(0, Math.floor(whole.length * part))),
      )
      return closeAll(sockets)
    },
  },
  {
    name: 'slow readers',
    about: 'Downloads whose clients never read a byte.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const download = await tokenDownloads(stage)
      return closeAll(connectAll(stage, 15, download).map((socket) => socket.pause()))
    },
  },
  {
    name: 'leavers',
    about: 'Consumers that disconnect at every stage: immediately, before the response, and during it.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const download = await tokenDownloads(stage)
      const { random } = stage
      const wave = () => {
        for (const socket of connectAll(stage, 3, download)) setTimeout(() => socket.destroy(), random.below(60))
      }
      const timer = setInterval(wave, 100)
      return () => clearInterval(timer)
    },
  },
  {
    name: 'garbage',
    about: 'Bytes that are not HTTP, and requests that exceed every limit.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const { random } = stage
      const texts = [
        Buffer.from(Array.from({ length: 2000 }, () => random.below(256))).toString('latin1'),
        request('GET', `/api/services/nonce?userAddress=${'a'.repeat(100_000)}`),
        request('POST', '/api/services/fileinfo', { 'content-type': 'application/json', 'content-length': '99999999' }),
        `POST /api/services/encrypt HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n${'ffffffff\r\n'.repeat(100)}`,
        request('GET', `/api/services/download?${'fileIndex=1&'.repeat(3000)}`),
      ]
      return closeAll(texts.flatMap((text) => connectAll(stage, 4, () => text)))
    },
  },
]
