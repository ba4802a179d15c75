import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/bounds.js'
import { HELD, heldBy } from '../helpers/measured.js'
import { ask } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

/** Bodies that are too large, or small ones that cost much. */
describe('threat 48: bodies', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  const send = (path: string, body: string, method = 'POST') =>
    ask(`${world.network.providerUrl}${path}`, { method, body, headers: { 'content-type': 'application/json' } })
  const padded = (object: object, length: number) => {
    const text = JSON.stringify({ ...object, padding: '' })
    return text.replace('"padding":""', `"padding":"${'x'.repeat(length - text.length)}"`)
  }
  const fields = ({ json }: { json: Record<string, unknown> }) => Object.keys((json.errors ?? {}) as object)

  it.each([
    ['POST', '/api/services/auth/token', BOUNDS.body.json],
    ['POST', '/api/services/auth/token/invalidate', BOUNDS.body.json],
    ['DELETE', '/api/services/deleteAuthToken', BOUNDS.body.json],
    ['POST', '/api/services/fileinfo', BOUNDS.body.fileinfo],
  ])('%s %s takes %i bytes and no more', async (method, path, limit) => {
    // one that is taken is answered by what it holds
    expect(await send(path, padded({}, limit), method)).toMatchObject({ status: 400, json: { success: false } })
    expect(await send(path, padded({}, limit + 1), method)).toMatchObject({
      status: 413,
      json: { code: 'BODY_TOO_LARGE' },
    })
  })

  it('encrypt and decrypt take documents, and fileinfo a storage object with an ABI or a query of 64 KiB', async () => {
    const octets = { 'content-type': 'application/octet-stream' }
    const encrypted = await ask(`${world.network.providerUrl}/api/services/encrypt?chainId=8996`, {
      method: 'POST',
      body: 'x'.repeat(3e6),
      headers: octets,
    })
    expect(encrypted.status).toBe(201)
    const document = { chainId: 8996, encryptedDocument: encrypted.text, flags: 2 }
    // what it lacks is said, and nothing about its size
    expect(fields(await send('/api/services/decrypt', JSON.stringify(document)))).toEqual([
      'decrypterAddress',
      'dataNftAddress',
      'nonce',
      'signature',
    ])
    const url = world.storage.file('/graphql', Buffer.from('{}'))
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

  it('are refused by their shape before they are parsed, and hold nobody up', async () => {
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
      // strings are no structure
      const long = JSON.stringify({ encryptedDocument: '[{",:'.repeat(1e6) })
      expect(fields(await send('/api/services/decrypt', long))).toContain('encryptedDocument')
    })
    expect(delay).toBeLessThan(HELD)
  })

  it('with thousands of invalid elements are told of ten', async () => {
    const inputs = Array.from({ length: 9000 }, () => 1)
    const abi = { type: 'function', name: 'f', inputs, outputs: [], stateMutability: 'view' }
    const file = { type: 'smartcontract', chainId: 8996, address: `0x${'12'.repeat(20)}`, abi }
    const delay = await heldBy(async () => {
      for (let time = 0; time < 10; time++) {
        const { status, json } = await send('/api/services/fileinfo', JSON.stringify(file))
        expect(status).toBe(400)
        const told = Object.values(json.errors as Record<string, string[]>).flat()
        expect(told.length).toBeGreaterThan(0)
        expect(told.length).toBeLessThanOrEqual(BOUNDS.body.problems)
      }
    })
    expect(delay).toBeLessThan(HELD)
  })
})
