import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { HELD, heldBy } from '../../../../test/helpers/measured.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { PROTOCOL_LIMITS } from '../../../protocol/src/limits.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const { http: limits } = PROVIDER_LIMITS as { http: { linger: number } }

/** Bodies that are too large, or small but expensive. */
describe('request bodies (threat 48)', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })

  const send = (path: string, body: string, method = 'POST') =>
    ask(`${world.network.providerUrl}${path}`, { method, body, headers: { 'content-type': 'application/json' } })
  const padded = (object: object, length: number) => {
    const text = JSON.stringify({ ...object, padding: '' })
    return text.replace('"padding":""', `"padding":"${'x'.repeat(length - text.length)}"`)
  }
  /** A client that goes on sending when the service has ended its side of the connection, as nginx does. */
  const sender = () => {
    const { hostname: host, port } = new URL(world.network.providerUrl)
    return connect({ host, port: Number(port), allowHalfOpen: true })
  }
  const fields = ({ json }: { json: Record<string, unknown> }) => Object.keys((json.errors ?? {}) as object)

  it.each([
    ['POST', '/api/services/auth/token', PROTOCOL_LIMITS.body.json],
    ['POST', '/api/services/auth/token/invalidate', PROTOCOL_LIMITS.body.json],
    ['DELETE', '/api/services/deleteAuthToken', PROTOCOL_LIMITS.body.json],
    ['POST', '/api/services/fileinfo', PROTOCOL_LIMITS.body.fileinfo],
  ])('of %s %s are limited to %i bytes', async (method, path, limit) => {
    // an accepted body is validated by its content
    expect(await send(path, padded({}, limit), method)).toMatchObject({ status: 400, json: { success: false } })
    expect(await send(path, padded({}, limit + 1), method)).toMatchObject({
      status: 413,
      json: { code: 'BODY_TOO_LARGE' },
    })
  })

  it('may be documents for encrypt and decrypt, and storage objects with an ABI or a query of 64 KiB for fileinfo', async () => {
    const octets = { 'content-type': 'application/octet-stream' }
    const encrypted = await ask(`${world.network.providerUrl}/api/services/encrypt?chainId=8996`, {
      method: 'POST',
      body: 'x'.repeat(3e6),
      headers: octets,
    })
    expect(encrypted.status).toBe(201)
    const document = { chainId: 8996, encryptedDocument: encrypted.text, flags: 2 }
    // missing fields are reported, and no error about its size
    const refused = await send('/api/services/decrypt', JSON.stringify(document))
    expect(fields(refused), JSON.stringify(refused.json)).toEqual([
      'decrypterAddress',
      'dataNftAddress',
      'nonce',
      'signature',
    ])
    const url = world.storage.file('/graphql', Buffer.from('{"data":{"tides":[]}}'))
    const query = `{ tides }${'\n"'.repeat(32_000)}`
    expect(await send('/api/services/fileinfo', JSON.stringify({ type: 'graphql', url, query }))).toMatchObject({
      status: 200,
      json: [{ valid: true }],
    })
    const inputs = Array.from({ length: 1500 }, (_, at) => ({ name: `parameter${at}`, type: 'uint256' }))
    const abi = { type: 'function', name: 'f', inputs, outputs: [], stateMutability: 'view' }
    expect(JSON.stringify(abi).length).toBeGreaterThan(60_000)
    const contract = { type: 'smartcontract', chainId: 8996, address: `0x${'12'.repeat(20)}`, abi }
    expect((await send('/api/services/fileinfo', JSON.stringify(contract))).status).toBeLessThan(500)
  })

  it('are rejected by their shape before parsing, without delaying other requests', async () => {
    const many = Array.from({ length: 600_000 }, (_, at) => `"k${at}":1`).join(',')
    const shapes: [string, string, string][] = [
      ['/api/services/decrypt', '['.repeat(10e6), 'The body is nested deeper than 32 levels.'],
      [
        '/api/services/decrypt',
        `${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`,
        'The body is nested deeper than 32 levels.',
      ],
      ['/api/services/decrypt', `{"a":[${'1,'.repeat(5e6 - 10)}1]}`, 'The body holds more than 10000 values.'],
      ['/api/services/decrypt', `{${many}}`, 'The body holds more than 5000 keys.'],
      ['/api/services/fileinfo', `[${'[],'.repeat(80_000)}1]`, 'The body holds more than 10000 values.'],
    ]
    const delay = await heldBy(async () => {
      for (const [path, body, problem] of shapes)
        expect(await send(path, body)).toMatchObject({ status: 400, json: { errors: { body: [problem] } } })
      // brackets within strings are not structure
      const long = JSON.stringify({ encryptedDocument: '[{",:'.repeat(1e6) })
      expect(fields(await send('/api/services/decrypt', long))).toContain('encryptedDocument')
    })
    expect(delay).toBeLessThan(HELD)
  })

  it.each([
    ['a signature that has no text (threat 61)', '/decrypt', '{"signature":{"toString":1,"valueOf":1}}'],
    [
      'a length that has no value (threat 61)',
      '/fileinfo',
      '{"type":"url","url":{"length":{"toString":1,"valueOf":1}}}',
    ],
    ['__proto__ in the body', '/fileinfo', '{"__proto__":{"type":"url"}}'],
  ])('with %s are a 400', async (_name, path, body) => {
    expect((await send(`/api/services${path}`, body)).status).toBe(400)
  })

  it('with thousands of invalid elements get ten errors', async () => {
    const inputs = Array.from({ length: 9000 }, () => 1)
    const abi = { type: 'function', name: 'f', inputs, outputs: [], stateMutability: 'view' }
    const file = { type: 'smartcontract', chainId: 8996, address: `0x${'12'.repeat(20)}`, abi }
    const delay = await heldBy(async () => {
      for (let time = 0; time < 10; time++) {
        const { status, json } = await send('/api/services/fileinfo', JSON.stringify(file))
        expect(status).toBe(400)
        const told = Object.values(json.errors as Record<string, string[]>).flat()
        expect(told.length).toBeGreaterThan(0)
        expect(told.length).toBeLessThanOrEqual(PROTOCOL_LIMITS.body.problems)
      }
    })
    expect(delay).toBeLessThan(HELD)
  })

  it('that are refused while they arrive do not reset the connection, so that the client reads why', async () => {
    // far more than the buffers between the two hold
    const rest = Buffer.alloc(40_000_000, 'x')
    const socket = sender()
    const failures: Error[] = []
    const said: Buffer[] = []
    socket.on('error', (error) => failures.push(error)).on('data', (chunk: Buffer) => said.push(chunk))
    const head = `POST /api/services/encrypt?chainId=8996 HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\n`
    socket.write(`${head}content-length: ${rest.length}\r\n\r\n`)
    await eventually(() => said.length > 0)
    socket.end(rest)
    await once(socket, 'close')
    expect(Buffer.concat(said).toString()).toMatch(/^HTTP\/1.1 413 .*"code":"BODY_TOO_LARGE"/s)
    expect(failures).toEqual([])
    expect(socket.bytesWritten).toBeGreaterThan(rest.length)
  })

  it('that never end after their refusal are cut', async () => {
    const linger = limits.linger
    limits.linger = 300
    try {
      const socket = sender().on('error', () => undefined)
      const head = `POST /api/services/encrypt?chainId=8996 HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\n`
      socket.write(`${head}content-length: 99999999999\r\n\r\n`)
      const more = setInterval(() => socket.write('x'), 20)
      socket.resume()
      await eventually(() => socket.readableEnded)
      await eventually(() => socket.destroyed)
      clearInterval(more)
    } finally {
      limits.linger = linger
    }
  })
})
