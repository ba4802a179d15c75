import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams, FILE_ID, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

/** Rows of the wire contract that no other file covers. */
describe('wire contract', () => {
  let world: World
  let asset: Published
  let buyer: Wallet
  let txId: string
  const base = () => `${world.network.providerUrl}/api/services`
  const post = (path: string, body: object, method = 'POST') => askJson(base() + path, body, { method })

  beforeAll(async () => {
    world = await World.start({ EXPOSE_FILENAME: 'on', ALLOW_UNBOUND_FILES: 'on' })
    const url = world.storage.file('/data/tides.csv', Buffer.from('0123456789'), 'text/csv; charset=utf-8')
    ;({ asset, buyer, txId } = await world.sold(url))
  })

  it('a nonce is returned as the exact JSON number that was sent', async () => {
    const nonce = '1644315615.24195'
    const other = await world.somebody()
    const tx = await world.order(asset, buyer, other.address)
    await ask(`${base()}/download?${await downloadParams(asset, tx, other, { nonce })}`)
    expect((await ask(`${base()}/nonce?userAddress=${other.address.toUpperCase().replace('0X', '0x')}`)).text).toBe(
      '{"nonce":1644315615.24195}',
    )
    const initialized = await ask(
      `${base()}/initialize?documentId=${asset.did}&serviceId=tide-access&consumerAddress=${other.address}`,
    )
    expect(initialized.text).toContain('"nonce":1644315615.24195,')
  })

  it('parameters may be in a JSON body, numbers included; the query takes precedence', async () => {
    const nonce = Number(freshNonce())
    const signature = await signText(buyer, buyer.address + nonce)
    expect((await post('/auth/token', { address: buyer.address, nonce, signature })).status).toBe(200)
    const info = await post(`/fileinfo?did=${asset.did}`, { did: 'nonsense', serviceId: 'tide-access' })
    expect(info.status).toBe(200)
  })

  it('unknown parameters are ignored', async () => {
    const params = await downloadParams(asset, txId, buyer, { policyServer: '{}', anything: 'x' })
    expect((await ask(`${base()}/download?${params}`)).status).toBe(200)
  })

  it('fileinfo returns the media type without parameters, and the file name if the operator opted in', async () => {
    expect((await post('/fileinfo', { did: asset.did, serviceId: 'tide-access' })).json).toEqual([
      {
        index: 0,
        id: expect.stringMatching(FILE_ID),
        valid: true,
        type: 'url',
        contentLength: '10',
        contentType: 'text/csv',
        filename: 'tides.csv',
      },
    ])
  })

  it.each([
    [
      'raw UTF-8',
      `attachment; filename="${Buffer.from('Höhe 潮.csv').toString('latin1')}"`,
      'Höhe 潮.csv',
      'H_he _.csv',
    ],
    ['Latin-1', 'attachment; filename=H\xf6he.csv', 'Höhe.csv', 'H_he.csv'],
    ['a Windows path in another charset', "attachment; filename*=iso-8859-1''C:%5CH%F6he.csv", 'Höhe.csv', 'H_he.csv'],
  ])('fileinfo returns the name of a download: %s', async (_what, disposition, name, latin) => {
    const url = world.storage.on('/data/other.csv', (_request, response) =>
      response.writeHead(200, { 'content-disposition': disposition }).end('tide'),
    )
    expect((await post('/fileinfo', { type: 'url', url, method: 'GET' })).json).toMatchObject([{ filename: name }])
    const named = await world.publishUrl(url)
    const params = await downloadParams(named, await world.order(named, buyer), buyer)
    const { headers } = await ask(`${base()}/download?${params}`)
    expect(headers.get('content-disposition')).toBe(
      `attachment;filename="${latin}";filename*=UTF-8''${encodeURIComponent(name)}`,
    )
  })

  it('a Range header in the descriptor is sent unchanged', async () => {
    const url = `${world.storage.origin}/data/tides.csv`
    const part = await world.publish({ files: [{ type: 'url', url, method: 'GET', headers: { Range: 'bytes=2-4' } }] })
    const tx = await world.order(part, buyer)
    const params = await downloadParams(part, tx, buyer)
    const headers = { range: 'bytes=0-0', 'if-range': 'Sat, 21 Nov 2026 07:28:00 GMT' }
    expect((await ask(`${base()}/download?${params}`, { headers })).text).toBe('234')
    const seen = world.storage.seen('/data/tides.csv').at(-1)?.headers
    expect(seen?.range).toBe('bytes=2-4')
    // with a failed condition, the storage would send the whole file
    expect(seen).not.toHaveProperty('if-range')
  })

  it.each([
    ['4.0.0', 200],
    ['4.1.0', 400],
  ])('files as a plain list in a DDO of version %s: %i', async (version, status) => {
    const old = await world.publishUrl(`${world.storage.origin}/data/tides.csv`, {
      filesObject: ({ files }) => files,
      adjust: (ddo) => {
        ddo.version = version
      },
    })
    const info = await post('/fileinfo', { did: old.did, serviceId: 'tide-access' })
    expect(info.status).toBe(status)
  })

  it.each([
    ['nonce', 'GET'],
    ['initialize', 'GET'],
    ['download', 'GET'],
    ['fileinfo', 'POST'],
    ['encrypt', 'POST'],
    ['decrypt', 'POST'],
    ['createAuthToken', 'GET'],
    ['deleteAuthToken', 'DELETE'],
  ])('%s answers errors in JSON, also for a wrong method', async (route, method) => {
    for (const used of [method, 'PATCH']) {
      const { status, headers, json } = await ask(`${base()}/${route}`, { method: used })
      expect(status).toBe(used === 'PATCH' ? 405 : 400)
      expect(headers.get('content-type')).toMatch(/^application\/json/)
      expect('error' in json || 'errors' in json).toBe(true)
      if (used === 'PATCH') expect(headers.get('allow')).toContain(method)
    }
  })
})
