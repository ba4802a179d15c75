import { connect, type Socket } from 'node:net'
import type { Seat } from '../deployment.js'
import type { Fault, Stage } from './fault.js'

const portOf = ({ instance }: Seat) => Number(new URL(instance.url).port)

/** Sends a text over connections to every instance that runs, so many to each. */
function dialled({ world }: Stage, each: number, text: (seat: Seat) => string): Socket[] {
  return world.seats
    .filter(({ up }) => up)
    .flatMap((seat) =>
      Array.from({ length: each }, () => {
        const socket = connect(portOf(seat), '127.0.0.1', () => socket.write(text(seat)))
        return socket.on('error', () => undefined)
      }),
    )
}

const ended = (sockets: Socket[]) => () => {
  for (const socket of sockets) socket.destroy()
}

const request = (method: string, path: string, headers: Record<string, string> = {}, body = '') => {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Requests for the largest file with a token, by instance. */
async function paid({ world, consumers }: Stage): Promise<(seat: Seat) => string> {
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

/** Consumers who do not behave. */
export const CONSUMER_FAULTS: Fault[] = [
  {
    name: 'pipelining flood',
    about: 'Connections with sixty requests each, descriptions and downloads, that are closed at any moment.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const download = await paid(stage)
      const sockets: Socket[] = []
      const wave = () => {
        ended(sockets.splice(0))()
        sockets.push(...dialled(stage, 3, () => fileinfo(stage).repeat(60)))
        sockets.push(...dialled(stage, 1, (seat) => download(seat).repeat(20)))
      }
      wave()
      const timer = setInterval(wave, 700)
      return () => {
        clearInterval(timer)
        ended(sockets)()
      }
    },
  },
  {
    name: 'half requests',
    about: 'Requests that stop in their first line, their headers, or their body, and stay.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const whole = fileinfo(stage)
      const sockets = [0.02, 0.5, 0.9].flatMap((part) =>
        dialled(stage, 20, () => whole.slice(0, Math.floor(whole.length * part))),
      )
      return ended(sockets)
    },
  },
  {
    name: 'slow readers',
    about: 'Downloads of which nobody reads a byte.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const download = await paid(stage)
      return ended(dialled(stage, 15, download).map((socket) => socket.pause()))
    },
  },
  {
    name: 'leavers',
    about: 'Consumers who leave at every stage: before the answer, within it, at once.',
    kind: 'consumer',
    spares: true,
    async inject(stage) {
      const download = await paid(stage)
      const { random } = stage
      const wave = () => {
        for (const socket of dialled(stage, 3, download)) setTimeout(() => socket.destroy(), random.below(60))
      }
      const timer = setInterval(wave, 100)
      return () => clearInterval(timer)
    },
  },
  {
    name: 'garbage',
    about: 'Bytes that are no requests, and requests that are too large in every way.',
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
      return ended(texts.flatMap((text) => dialled(stage, 4, () => text)))
    },
  },
]
