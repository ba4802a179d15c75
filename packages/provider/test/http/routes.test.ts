import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, FILE_ID } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { decrypt } from '../../../protocol/src/crypto/ecies.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'

const OCTETS = { 'content-type': 'application/octet-stream' }
const JSON_BODY = { 'content-type': 'application/json' }

describe('routes', () => {
  let world: World
  let base: string
  let asset: Published
  const get = (path: string) => ask(`${base}${path}`)
  const post = (path: string, body: string | Buffer, headers: Record<string, string> = JSON_BODY) =>
    ask(`${base}${path}`, { method: 'POST', body: body as never, headers })

  beforeAll(async () => {
    world = await World.start({ MAX_BODY_SIZE: '100000', MAX_CHECKSUM_LENGTH: '100' })
    base = world.network.providerUrl
    asset = await world.publishUrl(world.storage.file('/tides.csv', Buffer.from('hour,height\n')))
  })

  it('GET / lists chains, provider addresses and every endpoint', async () => {
    const { json, headers } = await get('/')
    expect(json).toMatchObject({
      software: 'Tidegate',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      chainIds: [8996],
      providerAddresses: { 8996: world.network.providerAddress },
      contracts: {
        8996: { ERC721Factory: world.network.addresses.ERC721Factory, Ocean: world.network.addresses.Ocean },
      },
      serviceEndpoints: {
        nonce: ['GET', '/api/services/nonce'],
        encrypt: ['POST', '/api/services/encrypt'],
        fileinfo: ['POST', '/api/services/fileinfo'],
        initialize: ['GET', '/api/services/initialize'],
        download: ['GET', '/api/services/download'],
      },
    })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('are found in any case, and with doubled slashes', async () => {
    const query = `userAddress=${world.network.providerAddress}`
    for (const path of ['/API/Services/Nonce', '//api/services/nonce', '/api//services/nonce/'])
      expect(await get(`${path}?${query}`), path).toMatchObject({ status: 200 })
    const body = JSON.stringify({ did: asset.did, serviceId: 'tide-access' })
    expect(await post('/api/services/fileInfo', body)).toMatchObject({ status: 200, json: [{ valid: true }] })
    // values in a path keep their case
    const upper = asset.did.toUpperCase()
    expect((await get(`//API/aquarius/assets/ddo/${upper}`)).json.error).toContain(upper)
    expect((await get(`/api/Aquarius/assets/ddo/${asset.did}`)).status).toBe(200)
    expect((await get('//api/services/Encrypt')).headers.get('allow')).toBe('POST')
    expect((await get('//api/services/nothing')).status).toBe(404)
    const upload = await post('//API/services/Uploads', 'tide', { 'tus-resumable': '0.0.1' })
    expect([upload.status, upload.headers.get('tus-version')]).toEqual([412, '1.0.0'])
  })

  it('allow cross-origin requests of any origin, and expose the headers of a download', async () => {
    const preflight = await ask(`${base}/api/services/download`, {
      method: 'OPTIONS',
      headers: { origin: 'https://market.example', 'access-control-request-method': 'GET' },
    })
    expect(preflight.status).toBe(204)
    const { headers } = await ask(`${base}/`, { headers: { origin: 'https://market.example' } })
    expect(headers.get('access-control-expose-headers')).toContain('Content-Disposition')
  })

  describe('nonce', () => {
    it('is 1 for an unknown address in any case, and writes nothing', async () => {
      const { address } = newWallet()
      for (const form of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
        expect(await get(`/api/services/nonce?userAddress=${form}`)).toMatchObject({ status: 200, text: '{"nonce":1}' })
      expect(await world.local.app.context.store.nonces.last(address as `0x${string}`)).toBeUndefined()
    })

    it.each([
      ['', 'The userAddress field is required.'],
      ['?userAddress=', 'The userAddress field is required.'],
      ['?userAddress=0x12', 'The userAddress field must be an address: 0x and 40 hex digits.'],
      [`?userAddress=${'0x'.padEnd(42, 'g')}`, 'The userAddress field must be an address: 0x and 40 hex digits.'],
      [
        `?userAddress=0x${'1'.repeat(40)}&userAddress=0x${'2'.repeat(40)}`,
        'The userAddress field must be given once, as text or number.',
      ],
      [`?userAddress=0x${'1'.repeat(40)}%00`, 'The userAddress field must not hold a NUL byte.'],
    ])('refuses %j', async (query, message) => {
      const { status, json } = await get(`/api/services/nonce${query}`)
      expect(status).toBe(400)
      expect(json).toMatchObject({
        errors: { userAddress: expect.arrayContaining([message]) },
        message: 'Validation error',
        success: false,
      })
    })
  })

  describe('encrypt', () => {
    const providerSecret = () => world.network.accounts[8]?.privateKey as string

    it.each(['{"files":[]}', '0x1234', 'ü\n', 'x'.repeat(50_000)])('encrypts the body as it is (%#)', async (body) => {
      const { status, text, headers } = await post('/api/services/encrypt?chainId=8996', body, OCTETS)
      expect(status).toBe(201)
      expect(headers.get('content-type')).toMatch(/^text\/plain/)
      expect(decrypt([providerKey(providerSecret())], Buffer.from(text.slice(2), 'hex')).toString()).toBe(body)
    })

    it('names what is wrong', async () => {
      const error = async (path: string, body: string | Buffer, headers = OCTETS) => {
        const { status, json } = await post(path, body, headers)
        return `${status} ${json.error ?? JSON.stringify(json.errors)}`
      }
      const path = '/api/services/encrypt?chainId=8996'
      expect(await error('/api/services/encrypt', 'x')).toBe('400 Missing chainId query parameter.')
      expect(await error('/api/services/encrypt?chainId=7', 'x')).toMatch('400 This provider does not serve the chain')
      expect(await error('/api/services/encrypt?chainId=x', 'x')).toMatch('400 {"chainId":["The chainId field must be')
      expect(await error(path, 'x', JSON_BODY)).toBe(
        '400 Invalid request content type: should be application/octet-stream',
      )
      expect(await error(path, '')).toBe('400 The request body is empty.')
      expect(await error(path, 'x'.repeat(100_001))).toMatch('413 ')
    })
  })

  describe('fileinfo', () => {
    const info = (body: object) => post('/api/services/fileinfo', JSON.stringify(body))
    const urlFile = (path: string, more: object = {}) => ({
      type: 'url',
      url: world.storage.origin + path,
      method: 'GET',
      ...more,
    })

    it('describes a storage object, with its name and checksum', async () => {
      const { status, json } = await info(urlFile('/tides.csv', { checksum: true }))
      expect(status).toBe(200)
      expect(json).toEqual([
        {
          index: 0,
          valid: true,
          type: 'url',
          contentLength: '12',
          contentType: 'text/csv',
          filename: 'tides.csv',
          checksum: ethers.utils.sha256(ethers.utils.toUtf8Bytes('hour,height\n')).slice(2),
          checksumType: 'sha256',
        },
      ])
    })

    it('describes a published file without revealing its location', async () => {
      const { json } = await info({ did: asset.did, serviceId: 'tide-access' })
      const told = { valid: true, type: 'url', contentLength: '12', contentType: 'text/csv' }
      expect(json).toEqual([{ index: 0, id: expect.stringMatching(FILE_ID), ...told }])
      expect(await info({ did: asset.did, serviceId: 'tide-access', fileIndex: 1 })).toMatchObject({
        status: 400,
        json: { error: 'No such fileIndex 1', code: 'NO_SUCH_FILE' },
      })
    })

    it('computes no checksum above MAX_CHECKSUM_LENGTH, also when the length is unknown', async () => {
      world.storage.file('/large.bin', Buffer.alloc(100))
      expect((await info(urlFile('/large.bin', { checksum: true }))).json).toEqual([
        expect.not.objectContaining({ checksum: expect.anything() }),
      ])
      world.storage.on('/chunked', (_request, response) => response.write('abc') && response.end())
      expect((await info(urlFile('/chunked', { checksum: true }))).json).toEqual([
        expect.objectContaining({ contentLength: '3', checksumType: 'sha256' }),
      ])
    })

    it.each([
      [{}, 'did'],
      [{ did: 'did:op:1' }, 'serviceId'],
      [{ type: 'carrier-pigeon' }, 'type'],
      [{ type: 'url' }, 'url'],
      [{ type: 'url', url: 'file:///etc/passwd', method: 'GET' }, 'url'],
      [{ type: 'url', url: 'http://user:pass@host/', method: 'GET' }, 'url'],
      [{ type: 'url', url: 'http://host/', method: 'DELETE' }, 'method'],
      [{ type: 'url', url: 'http://host/', method: 'GET', headers: { Host: 'x' } }, 'headers'],
      [{ type: 'url', url: 'http://host/', method: 'GET', headers: { a: 'b\r\nc: d' } }, 'headers'],
      [{ did: ['a'], serviceId: 'x' }, 'did'],
      [{ did: 'x', serviceId: 'y', checksum: 'perhaps' }, 'checksum'],
    ])('names the field that is wrong in %j', async (body, field) => {
      const { status, json, text } = await info(body)
      expect(status).toBe(400)
      expect(json.errors).toHaveProperty(field)
      expect(text).not.toMatch(/passwd|pass@|b\\r/)
    })

    it.each(['{', '[]', '"text"', '', 'null', `${'['.repeat(40_000)}`])('refuses the body %#', async (body) => {
      expect((await post('/api/services/fileinfo', body)).status).toBe(400)
    })

    it('accepts JSON only', async () => {
      expect((await post('/api/services/fileinfo', '<xml/>', { 'content-type': 'text/xml' })).status).toBe(415)
    })
  })

  describe('initialize', () => {
    const address = newWallet().address
    const query = (changed: Record<string, string>) =>
      `/api/services/initialize?${new URLSearchParams({ documentId: asset.did, serviceId: 'tide-access', consumerAddress: address, ...changed })}`

    it('quotes an order', async () => {
      expect(await get(query({ fileIndex: '0' }))).toMatchObject({
        status: 200,
        json: {
          datatoken: asset.datatoken,
          nonce: 1,
          computeAddress: ethers.constants.AddressZero,
          providerFee: { providerFeeAmount: '0', v: expect.any(Number) },
        },
      })
    })

    it.each([
      [{ documentId: 'did:op:00' }, 'Cannot resolve DID did:op:00'],
      [{ documentId: 'nonsense' }, 'Cannot resolve DID'],
      [{ serviceId: 'nothing' }, 'Invalid serviceId.'],
      [{ fileIndex: '7' }, 'No such fileIndex 7'],
    ])('refuses %j', async (changed, message) => {
      const { status, json } = await get(query(changed as Record<string, string>))
      expect(status).toBe(400)
      expect(json.error).toContain(message)
    })

    it.each(['-1', '1.5', 'x', '1e9', '99999999999999999999'])('refuses the file index %s', async (fileIndex) => {
      expect(await get(query({ fileIndex }))).toMatchObject({
        status: 400,
        json: { errors: { fileIndex: expect.any(Array) } },
      })
    })
  })

  it('download names every missing field at once', async () => {
    const { status, json } = await get('/api/services/download')
    expect(status).toBe(400)
    expect(json.errors).toEqual(
      Object.fromEntries(
        ['documentId', 'serviceId', 'transferTxId', 'fileIndex', 'consumerAddress', 'nonce', 'signature'].map(
          (field) => [field, [`The ${field} field is required.`]],
        ),
      ),
    )
  })

  describe('asset documents', () => {
    it('serves the published document with data from the chain', async () => {
      const buyer = await world.somebody()
      const txId = await world.order(asset, buyer)
      await world.indexed(txId)
      const { status, json } = await get(`/api/aquarius/assets/ddo/${asset.did}`)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        ...asset.ddo,
        nft: { address: asset.nft, name: 'Tide tables', symbol: 'TIDE', state: 0, owner: expect.stringMatching(/^0x/) },
        datatokens: [{ address: asset.datatoken, symbol: 'TIDE-1', serviceId: 'tide-access' }],
        event: { txid: asset.txId, contract: asset.nft },
        stats: { orders: 1, price: { value: 0 } },
      })
    })
  })
})
