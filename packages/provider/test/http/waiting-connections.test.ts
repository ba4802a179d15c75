import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startInstance } from '../../../../test/helpers/instance.js'
import { World } from '../../../../test/helpers/world.js'

/** More than Node lets wait by default. */
const CROWD = 1000
const onLinux = process.platform === 'linux'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

it.runIf(onLinux)('lets a crowd connect while the process is busy, and answers all of it', async () => {
  const instance = await startInstance(world.beside())
  const { hostname, port } = new URL(instance.url)
  const crowd = Math.min(CROWD, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')))
  const sockets: Socket[] = []
  let connected = 0
  let answered = 0
  try {
    // as a long turn of its event loop does
    instance.process.kill('SIGSTOP')
    for (let at = 0; at < crowd; at++) {
      const socket = connect(Number(port), hostname)
      socket.once('connect', () => {
        connected += 1
        socket.write('GET /live HTTP/1.1\r\nhost: x\r\n\r\n')
      })
      socket.once('data', (head) => {
        if (head.toString('latin1').startsWith('HTTP/1.1 200 ')) answered += 1
      })
      socket.on('error', () => undefined)
      sockets.push(socket)
    }
    await eventually(() => connected === crowd)
    instance.process.kill('SIGCONT')
    await eventually(() => answered === crowd)
  } finally {
    instance.process.kill('SIGCONT')
    for (const socket of sockets) socket.destroy()
    await instance.end()
  }
  expect([connected, answered]).toEqual([crowd, crowd])
})
