import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Instance, startInstance } from '../helpers/instance.js'
import { World } from '../helpers/world.js'

const LIVE = 'GET /live HTTP/1.1\r\nHost: a\r\n\r\n'

/** What happens to the connections that a service has when it stops. */
describe('a service that stops', () => {
  let world: World
  let instance: Instance
  beforeAll(async () => {
    world = await World.start()
  })

  async function connected(): Promise<Socket> {
    const socket = connect({ port: Number(new URL(instance.url).port), host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return socket
  }
  /** Sends a request, and reads until the end of the connection. */
  async function answer(socket: Socket): Promise<string> {
    socket.write(LIVE)
    const answer = await text(socket)
    socket.end()
    return answer
  }

  it('serves the first request of a connection that it has accepted, and ends those that wait for another one', async () => {
    instance = await startInstance(world.beside())
    const [fresh, silent, used] = await Promise.all([connected(), connected(), connected()])
    used.write(LIVE)
    expect(String((await once(used, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
    used.resume()
    const ended = instance.end('SIGTERM')
    await once(used, 'end')
    used.end()
    expect(await answer(fresh)).toMatch(/^HTTP\/1.1 200 [\s\S]*\nconnection: close\r\n/i)
    // who connects and sends nothing keeps nobody from stopping
    expect(await text(silent)).toBe('')
    silent.end()
    await ended
    expect(instance.process.exitCode).toBe(0)
  })
})
