import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { begin, tokenOf } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const { http } = PROVIDER_LIMITS as { http: { bodyWindow: number; bodySteady: number } }
const limits = { ...http }

/** Bodies that stop, or bring less than the least rate. */
describe('slow bodies', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start({ HOSTING_STALL_TIMEOUT: '1000' })
    expect([http.bodyWindow, http.bodySteady]).toEqual([20_000, 8192])
    http.bodyWindow = 400
  })
  afterAll(() => void Object.assign(http, limits))

  class Client {
    said = ''
    readonly socket: Socket

    constructor() {
      const { hostname, port } = new URL(world.network.providerUrl)
      this.socket = connect(Number(port), hostname)
      this.socket
        .on('error', () => undefined)
        .on('data', (data) => {
          this.said += data
        })
    }

    closed(): Promise<unknown> {
      return this.socket.closed ? Promise.resolve() : once(this.socket, 'close')
    }

    get statuses(): string[] {
      return [...this.said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status as string)
    }
  }

  const head = (line: string, ...headers: string[]) =>
    [`${line} HTTP/1.1`, 'host: a', ...headers].map((one) => `${one}\r\n`).join('')
  const encrypt = () => `POST /api/services/encrypt?chainId=${world.network.chainId}`
  const octets = 'content-type: application/octet-stream'
  const json = 'content-type: application/json'

  it.each<[string, () => string, string[]]>([
    ['a byte before its end', () => `${head(encrypt(), octets, 'content-length: 5')}\r\ntide`, ['408']],
    ['before its first byte', () => `${head(encrypt(), octets, 'content-length: 5')}\r\n`, ['408']],
    ['of JSON', () => `${head('POST /api/services/auth/token', json, 'content-length: 9')}\r\n{"a":"b"`, ['408']],
    ['of a search', () => `${head('POST /api/aquarius/assets/query', json, 'content-length: 3')}\r\n{}`, ['408']],
    ['of DELETE', () => `${head('DELETE /api/services/deleteAuthToken', json, 'content-length: 3')}\r\n{}`, ['408']],
    ['in chunks', () => `${head(encrypt(), octets, 'transfer-encoding: chunked')}\r\n4\r\ntide\r\n`, ['408']],
    ['within a chunk', () => `${head(encrypt(), octets, 'transfer-encoding: chunked')}\r\n4\r\ntid`, ['408']],
    [
      'that was expected',
      () => `${head(encrypt(), octets, 'content-length: 5', 'expect: 100-continue')}\r\n`,
      ['100', '408'],
    ],
    [
      'behind another request',
      () => `${head('GET /')}\r\n${head(encrypt(), octets, 'content-length: 5')}\r\ntide`,
      ['200', '408'],
    ],
    ['of an unknown route', () => `${head('POST /nowhere', octets, 'content-length: 5')}\r\ntide`, ['404']],
    ['of another method', () => `${head('POST /api/services/nonce', json, 'content-length: 5')}\r\n{"a"`, ['405']],
    [
      'of another type',
      () => `${head('POST /api/services/auth/token', 'content-type: a/b', 'content-length: 5')}\r\ntide`,
      ['415'],
    ],
    ['of GET', () => `${head('GET /', 'content-length: 5')}\r\ntide`, ['200']],
    [
      'with an unknown expectation',
      () => `${head(encrypt(), octets, 'expect: tide', 'content-length: 5')}\r\ntide`,
      ['408'],
    ],
    ['without a host', () => 'POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\ntide', ['400']],
    ['of a path that cannot be read', () => `${head('POST /%ff', octets, 'content-length: 5')}\r\ntide`, ['400']],
  ])('end with their connection: one that stops %s (threat 101)', async (_, sent, statuses) => {
    const client = new Client()
    client.socket.write(sent())
    await client.closed()
    expect(client.statuses).toEqual(statuses)
    if (statuses.includes('408')) {
      expect(client.said).toContain('"code":"REQUEST_TIMEOUT"')
      expect(client.said.toLowerCase()).toContain('\r\nconnection: close\r\n')
    }
  })

  it.each([
    ['bytes', 'content-length: 100000', 'a'],
    ['chunks of a byte', 'transfer-encoding: chunked', '1\r\na\r\n'],
  ])('end if they only drip %s (threat 101)', async (_, length, drop) => {
    const client = new Client()
    client.socket.write(`${head(encrypt(), octets, length)}\r\n`)
    const drip = setInterval(() => client.socket.write(drop), 20)
    await client.closed()
    clearInterval(drip)
    expect(client.statuses).toEqual(['408'])
  })

  it('of uploads end with their connection, so that clients resume, and what has arrived is kept (threat 101)', async () => {
    const base = world.network.providerUrl
    const auth = await tokenOf(base, await world.somebody())
    const url = await begin(base, 100_000, auth)
    const client = new Client()
    const headers = Object.entries({ ...auth, 'tus-resumable': '1.0.0', 'upload-offset': '0' })
    const lines = headers.map(([name, value]) => `${name}: ${value}`)
    const type = 'content-type: application/offset+octet-stream'
    client.socket.write(`${head(`PATCH ${new URL(url).pathname}`, ...lines, type, 'content-length: 100000')}\r\n`)
    client.socket.write(Buffer.alloc(50_000))
    await client.closed()
    expect(client.statuses).toEqual([])
    await eventually(async () => Number((await ask(url, { headers: auth })).json.offset) > 0)
    expect((await ask(url, { headers: auth })).json.offset).toBe(50_000)
  })

  it('that are slow but bring their rate pass, and connections that wait between requests stay (threat 101)', async () => {
    const idle = new Client()
    idle.socket.write(`${head('GET /')}\r\n`)
    await eventually(() => idle.statuses.length === 1)
    http.bodySteady = 10
    try {
      const [stopped, honest] = [new Client(), new Client()]
      honest.socket.write(`${head(encrypt(), octets, 'content-length: 1000')}\r\n`)
      let sent = 0
      const send = setInterval(() => {
        // so long that others are cut meanwhile
        const bytes = stopped.socket.closed ? 1000 - sent : 1
        sent += bytes
        honest.socket.write('a'.repeat(bytes))
        if (sent === 1000) clearInterval(send)
      }, 15)
      stopped.socket.write(`${head(encrypt(), octets, 'content-length: 1000')}\r\n${'a'.repeat(999)}`)
      await stopped.closed()
      await eventually(() => honest.statuses.length > 0)
      expect(honest.statuses).toEqual(['201'])
      expect(stopped.statuses).toEqual(['408'])
      for (const client of [idle, honest]) {
        client.socket.write(`${head('GET /')}\r\n`)
        await eventually(() => client.statuses.length === 2)
        client.socket.destroy()
      }
      expect([idle.statuses[1], honest.statuses[1]]).toEqual(['200', '200'])
    } finally {
      http.bodySteady = limits.bodySteady
    }
  })
})
