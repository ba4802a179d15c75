import { createHash, randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import { ask } from '../../../../test/helpers/requests.js'
import { tus } from '../../../../test/helpers/uploads.js'

/** What every attack is about: an upload of this many bytes, which begins with this content. */
export const FILE = 1_000_000
export const CONTENT = randomBytes(700_000)

/** Whom the attackers are. */
export interface Attacker {
  /** Where the service is. */
  base: string
  auth: Record<string, string>
  /** Its connections, which somebody has to destroy. */
  sockets: Set<Socket>
}

/** Codes with which a service may refuse what it has no room for now. */
const BUSY = [429, 503]

/** Begins a part by hand, which may say anything of itself. Resolves when its connection has ended. */
function part(url: string, { auth, sockets }: Attacker, length: number | string, bytes: Uint8Array, drip = false) {
  const { hostname, port, pathname } = new URL(url)
  const headers = {
    ...{ host: hostname, ...auth, 'tus-resumable': '1.0.0', 'upload-offset': '0' },
    ...{ 'content-type': 'application/offset+octet-stream', 'content-length': String(length) },
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  sockets.add(socket)
  socket.on('error', () => undefined).resume()
  socket.write(`PATCH ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(bytes)
  const dripping = drip ? setInterval(() => socket.write('x'), 50) : undefined
  const ended = new Promise<void>((resolve) =>
    socket.once('close', () => {
      clearInterval(dripping)
      sockets.delete(socket)
      resolve()
    }),
  )
  return { socket, ended }
}

/** A whole part. A connection that the service ends, since it does not read on, is an answer as well. */
const send = (url: string, auth: Record<string, string>, offset: number, bytes: Uint8Array, more = {}) =>
  tus(url, 'PATCH', { ...auth, 'upload-offset': String(offset), ...more }, bytes).catch(() => undefined)

/** What an attacker does, each with an upload of its own. It resolves when the attack is over. */
export const ATTACKS: Record<string, (url: string, attacker: Attacker) => Promise<unknown>> = {
  stalls: (url, attacker) => part(url, attacker, FILE, CONTENT.subarray(0, 10)).ended,
  crawls: (url, attacker) => part(url, attacker, FILE, CONTENT.subarray(0, 10), true).ended,
  async breaks(url, attacker) {
    const { socket, ended } = part(url, attacker, FILE, CONTENT.subarray(0, 300_000))
    socket.end()
    await ended
  },
  async resets(url, attacker) {
    const { socket, ended } = part(url, attacker, FILE, CONTENT.subarray(0, 300_000))
    socket.once('drain', () => socket.resetAndDestroy())
    await ended
  },
  repeats: (url, { auth }) => Promise.all([1, 2, 3].map(() => send(url, auth, 0, CONTENT))),
  'writes twice at once': (url, attacker) =>
    Promise.all([part(url, attacker, FILE, CONTENT.subarray(0, 200_000)).ended, send(url, attacker.auth, 0, CONTENT)]),
  'sends out of order': (url, { auth }) => send(url, auth, 500_000, CONTENT),
  'sends too much': (url, { auth }) => send(url, auth, 0, Buffer.alloc(FILE + 1)),
  'lies about its length': (url, attacker) =>
    part(url, attacker, 5, Buffer.from(`abcdePATCH ${'x'.repeat(100_000)}`)).ended,
  'has no length': (url, attacker) => part(url, attacker, '-1', CONTENT).ended,
  'lies about its checksum': (url, { auth }) => {
    const wrong = createHash('sha256').update('x').digest('base64')
    return send(url, auth, 0, CONTENT, { 'upload-checksum': `sha256 ${wrong}` })
  },
  deletes: (url, { auth }) =>
    Promise.all([
      send(url, auth, 0, CONTENT),
      ask(url, { method: 'DELETE', headers: { ...auth, 'tus-resumable': '1.0.0' } }),
    ]),
  async guesses(_url, { base, auth }) {
    for (let count = 0; count < 10; count++) {
      const { status } = await tus(
        `${base}/api/services/uploads/${randomBytes(32).toString('base64url')}`,
        'HEAD',
        auth,
      )
      expect([404, ...BUSY]).toContain(status)
    }
  },
  async 'creates nonsense'(_url, { base, auth }) {
    for (const length of ['-1', '1e400', '9007199254740993', 'NaN', '', String(Number.MAX_SAFE_INTEGER)]) {
      const { status } = await tus(`${base}/api/services/uploads`, 'POST', { ...auth, 'upload-length': length })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status === 503 || status < 500).toBe(true)
    }
  },
}
