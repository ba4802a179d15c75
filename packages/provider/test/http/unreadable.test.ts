import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { downloadParams } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

describe('bytes that are not an HTTP request', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })

  /** Opens a connection, and records what it receives and whether it is closed. */
  function connection(): { socket: Socket; seen: { text: string; closed: boolean } } {
    const { hostname, port } = new URL(world.network.providerUrl)
    const seen = { text: '', closed: false }
    const socket = connect(Number(port), hostname)
    socket.on('data', (chunk: Buffer) => {
      seen.text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      seen.closed = true
    })
    return { socket, seen }
  }

  it('get an error in the usual form, over-long request lines a 431 (threat 34)', async () => {
    const long = connection()
    long.socket.write(`GET /?${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)
    await eventually(() => long.seen.closed)
    expect(long.seen.text).toMatch(/^HTTP\/1\.1 431 /)
    expect(JSON.parse(long.seen.text.split('\r\n\r\n')[1] as string)).toEqual({
      error: expect.any(String),
      code: 'HEADERS_TOO_LARGE',
    })
    for (const junk of ['\x16\x03\x01\x02\x00', 'GET / HTTP/9.9\r\n\r\n', '\0\0\0\0']) {
      const { socket, seen } = connection()
      socket.write(junk)
      await eventually(() => seen.closed)
      expect(seen.text, JSON.stringify(junk)).toMatch(/^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"}$/s)
    }
  })

  it('never corrupt a response that is being sent', async () => {
    let finish: () => void = () => undefined
    const url = world.storage.on('/half.bin', (_request, response) => {
      response.writeHead(200, { 'content-length': 8 }).write('half')
      finish = () => response.end('rest')
    })
    const asset = await world.publishUrl(url)
    const buyer = await world.somebody()
    const params = await downloadParams(asset, await world.order(asset, buyer), buyer)
    const { socket, seen } = connection()
    socket.write(`GET /api/services/download?${params} HTTP/1.1\r\nhost: x\r\n\r\n`)
    await eventually(() => seen.text.endsWith('half'))
    socket.write('\0 junk \r\n\r\n')
    await eventually(() => seen.closed)
    finish()
    expect(seen.text.split('\r\n\r\n')[1]).toBe('half')
  })
})
