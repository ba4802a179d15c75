import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

/** No input causes a 5xx, a hang or a leak, and every error is JSON. */
describe('any input (threat 34)', () => {
  let world: World
  let asset: Published
  let endpoints: [method: string, path: string][]
  const MARKER = 'sEcReTpLaCe'

  beforeAll(async () => {
    world = await World.start({ ORDER_WAIT: '0', MAX_BODY_SIZE: '1000000' })
    asset = await world.publish({
      files: [{ type: 'url', url: `${world.storage.origin}/${MARKER}`, method: 'GET', headers: { 'x-key': MARKER } }],
    })
    const root = (await ask(world.network.providerUrl)).json as { serviceEndpoints: Record<string, [string, string]> }
    endpoints = Object.values(root.serviceEndpoints)
  })
  afterAll(() => world.close())

  const NAMES = [
    'documentId',
    'serviceId',
    'did',
    'transferTxId',
    'fileIndex',
    'consumerAddress',
    'userAddress',
    'nonce',
    'signature',
    'userdata',
    'expiration',
    'validUntil',
    'token',
    'address',
    'environment',
    'chainId',
    'dataNftAddress',
    'decrypterAddress',
    'transactionId',
    'encryptedDocument',
    'flags',
    'documentHash',
    'checksum',
    'type',
    'url',
    'method',
    'headers',
  ]
  const nasty = () =>
    fc.oneof(
      fc.constantFrom<unknown>(
        '',
        'null',
        'undefined',
        '0',
        '-1',
        '1e400',
        'NaN',
        '0x',
        '\0',
        '../..',
        "' OR 1=1 --",
        '{"__proto__":{}}',
        '\u202e',
        '%00',
        asset.did,
        'tide-access',
        asset.nft,
        asset.txId,
        asset.datatoken,
        `0x${'00'.repeat(65)}`,
        '8996',
        'url',
        null,
        true,
        0,
        -1,
        1e308,
      ),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.bigInt().map(String),
      fc.double(),
      fc.jsonValue({ maxDepth: 4 }),
    )
  const params = () => fc.dictionary(fc.constantFrom(...NAMES, 'x', 'constructor'), nasty(), { maxKeys: 12 })
  const routes = () =>
    fc.constantFrom(
      ...endpoints,
      ['GET', '/api/aquarius/assets/ddo/x'],
      ['POST', '/api/aquarius/assets/ddo/validate'],
    ) as fc.Arbitrary<[string, string]>
  async function check(
    method: string,
    path: string,
    query: string,
    body: string | undefined,
    type: string,
  ): Promise<void> {
    const answer = await ask(`${world.network.providerUrl}${path}?${query}`, {
      method,
      ...(body === undefined || method === 'GET' ? {} : { body, headers: { 'content-type': type } }),
      signal: AbortSignal.timeout(10_000),
    })
    const said = `${method} ${path} ${query} ${body} -> ${answer.status} ${answer.text}`
    expect(answer.status, said).toBeLessThan(500)
    expect(answer.text + JSON.stringify([...answer.headers]), said).not.toContain(MARKER)
    if (answer.status >= 400) expect(answer.json, said).toSatisfy((json: object) => 'error' in json || 'errors' in json)
  }

  it('in the query or a JSON body gets a well-formed answer', async () => {
    await fc.assert(
      fc.asyncProperty(routes(), params(), params(), async ([method, path], query, body) => {
        const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
        const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, text(value) ?? ''])
        const search = new URLSearchParams(pairs)
        await check(method, path, String(search), JSON.stringify(body), 'application/json')
      }),
      { numRuns: 600 },
    )
  })

  it('as a body of any bytes and type gets a well-formed answer', async () => {
    const types = fc.constantFrom(
      'application/json',
      'application/octet-stream',
      'text/plain',
      'multipart/form-data',
      'x',
    )
    await fc.assert(
      fc.asyncProperty(routes(), fc.string({ unit: 'binary', maxLength: 200 }), types, ([method, path], body, type) =>
        check(method, path, 'chainId=8996', body, type),
      ),
      { numRuns: 200 },
    )
  })

  it.each([
    [
      '10,000 parameters',
      'GET',
      '/api/services/nonce',
      Array.from({ length: 10_000 }, (_, at) => `p${at}=1`).join('&'),
      undefined,
      431,
    ],
    ['a body over the limit', 'POST', '/api/services/fileinfo', '', `{"did":"${'x'.repeat(1_000_001)}"}`, 413],
    ['JSON nested 100,000 deep', 'POST', '/api/services/fileinfo', '', '['.repeat(100_000) + ']'.repeat(100_000), 400],
    ['nested objects', 'POST', '/api/services/decrypt', '', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400],
    [
      'a signature that has no text (threat 61)',
      'POST',
      '/api/services/decrypt',
      '',
      '{"signature":{"toString":1,"valueOf":1}}',
      400,
    ],
    [
      'a length that has no value (threat 61)',
      'POST',
      '/api/services/fileinfo',
      '',
      '{"type":"url","url":{"length":{"toString":1,"valueOf":1}}}',
      400,
    ],
    ['__proto__ in the body', 'POST', '/api/services/fileinfo', '', '{"__proto__":{"type":"url"}}', 400],
  ])('survives %s', async (_name, method, path, query, body, status) => {
    const headers = body ? { 'content-type': 'application/json' } : {}
    const answer = await ask(`${world.network.providerUrl}${path}?${query}`, { method, body, headers } as RequestInit)
    expect(answer.status).toBe(status)
  })
})
