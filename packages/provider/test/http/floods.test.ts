import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { closed } from '../../../../test/helpers/raw-consumer.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const CONNECTIONS = 20
const REQUESTS = 500

describe('connections that send hundreds of requests at once', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })

  /** The number of answered requests, from the metrics. */
  async function answered(): Promise<number> {
    const { values } = await world.local.app.context.metrics.requests.get()
    return values.reduce((sum, { value }) => sum + value, 0)
  }

  const preflight = 'origin: https://x.org\r\naccess-control-request-method: GET\r\n'
  const kinds: [string, string, string][] = [
    ['preflights', 'OPTIONS /api/services/download', preflight],
    ['unknown paths', 'GET /no/such/path', ''],
    ['the root document', 'GET /', ''],
  ]

  it.each(kinds)('%s: are closed, and their queued requests are dropped (threat 42)', async (_name, line, headers) => {
    const { hostname, port, host } = new URL(world.network.providerUrl)
    const one = `${line} HTTP/1.1\r\nhost: ${host}\r\n${headers}\r\n`
    const before = await answered()
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const socket = connect(Number(port), hostname)
        socket.resume().write(one.repeat(REQUESTS))
        await closed(socket)
      }),
    )
    expect((await answered()) - before).toBeLessThanOrEqual(CONNECTIONS * (2 * PROVIDER_LIMITS.http.pipelined + 8))
    expect((await ask(`${world.network.providerUrl}/`)).status).toBe(200)
  })

  it.each(kinds)('control: %s: are answered up to the pipelining limit (threat 42)', async (_name, line, headers) => {
    const { hostname, port, host } = new URL(world.network.providerUrl)
    const socket = connect(Number(port), hostname)
    let said = ''
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const one = `${line} HTTP/1.1\r\nhost: ${host}\r\n${headers}`
    socket.write(`${one}\r\n`.repeat(PROVIDER_LIMITS.http.pipelined - 1))
    socket.write(`${one}connection: close\r\n\r\n`)
    await once(socket, 'close')
    expect(said.match(/HTTP\/1\.1 (?:2|404)/g)?.length).toBe(PROVIDER_LIMITS.http.pipelined)
  })
})
