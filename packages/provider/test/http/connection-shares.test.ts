import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { World } from '../../../../test/helpers/world.js'

const MAX = 40

/** Starts the service, and returns how to open connections to it from an address of this machine. */
async function started(environment: Record<string, string> = {}) {
  const world = await World.start({ MAX_CONNECTIONS: `${MAX}`, ...environment })
  atEnd(() => world.close())
  const { hostname: host, port } = new URL(world.network.providerUrl)
  return async (localAddress: string, count: number, text = '') => {
    const sockets = Array.from({ length: count }, () => connect({ host, port: Number(port), localAddress }))
    for (const socket of sockets) socket.on('error', () => undefined).on('data', () => undefined)
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    if (text) for (const socket of sockets) socket.write(text)
    return sockets
  }
}

const HEAD = 'GET /live HTTP/1.1\r\nhost: x\r\n\r\n'
const open = (sockets: Socket[]) => sockets.filter((socket) => !socket.destroyed).length

it.each([
  ['silent', ''],
  ['half', 'GET /live HTTP/1.1\r\nhost:'],
  ['idle', HEAD],
])('leaves an address a quarter of the connections, whose %s ones are closed first (threat 131)', async (_what, text) => {
  const from = await started()
  const answered = await from('127.0.0.2', 2, HEAD)
  await Promise.all(answered.map((socket) => once(socket, 'data')))
  const held = await from('127.0.0.2', 2 * MAX, text)
  // those of another address are accepted, and answered
  const others = await from('127.0.0.3', 5, HEAD)
  await Promise.all(others.map((socket) => once(socket, 'data')))
  await eventually(() => open([...answered, ...held]) <= MAX / 4)
  expect(open([...answered, ...held])).toBe(MAX / 4)
  expect(open(others)).toBe(5)
  if (text !== HEAD) expect(open(answered)).toBe(2)
  for (const socket of [...answered, ...held, ...others]) socket.destroy()
})

it('does not count the connections of trusted proxies (threat 131)', async () => {
  const from = await started({ TRUSTED_PROXIES: '127.0.0.0/30' })
  const held = await from('127.0.0.2', MAX - 5)
  const others = await from('127.0.0.5', 2, HEAD)
  await Promise.all(others.map((socket) => once(socket, 'data')))
  expect(open(held)).toBe(MAX - 5)
  for (const socket of [...held, ...others]) socket.destroy()
})
