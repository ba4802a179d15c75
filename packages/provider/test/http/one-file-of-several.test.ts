import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Asking, ask, askJson, downloadParams, FILE_ID } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = Buffer.from('hour,height\n'.repeat(10_000))

describe('one file of several', () => {
  let world: World
  let asset: Published
  let download: (fileIndex: number, init?: Asking) => Promise<Awaited<ReturnType<typeof ask>>>
  beforeAll(async () => {
    world = await World.start()
    const good = { type: 'url', url: world.storage.file('/good.csv', Buffer.from('good')), method: 'GET' }
    const coded = world.storage.on('/coded.csv', (_request, response) => {
      const body = gzipSync(CONTENT)
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length, etag: '"v1"' }).end(body)
    })
    const files = [
      { type: 'pigeon', url: 'http://secret.example/a' },
      { type: 'url', method: 'GET' },
      null,
      good,
      { type: 'url', url: coded, method: 'GET' },
    ]
    asset = await world.publish({ files: files as object[] })
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    download = async (fileIndex, init) => {
      const params = await downloadParams(asset, txId, buyer, { fileIndex: String(fileIndex) })
      return ask(`${world.network.providerUrl}/api/services/download?${params}`, init)
    }
  })
  const info = (body: object) => askJson(`${world.network.providerUrl}/api/services/fileinfo`, body)

  it('that is not understood does not affect the others, and reveals nothing about itself', async () => {
    const { status, json, text } = await info({ did: asset.did, serviceId: 'tide-access' })
    expect(status).toBe(200)
    expect(json).toMatchObject([
      { index: 0, valid: false, type: 'unknown' },
      { index: 1, valid: false, type: 'url' },
      { index: 2, valid: false, type: 'unknown' },
      { index: 3, valid: true, type: 'url', contentLength: '4' },
      { index: 4, valid: true, type: 'url' },
    ])
    expect(text).not.toMatch(/reason|pigeon|secret/)
    expect((await info({ did: asset.did, serviceId: 'tide-access', fileIndex: 0 })).json).toEqual([
      { index: 0, id: expect.stringMatching(FILE_ID), valid: false, type: 'unknown' },
    ])
  })

  it('that is not understood cannot be downloaded, but the others can', async () => {
    for (const index of [0, 1, 2])
      expect(await download(index)).toMatchObject({
        status: 400,
        json: { error: 'Unable to get dataset files', code: 'FILES_UNREADABLE' },
      })
    expect(await download(3)).toMatchObject({ status: 200, text: 'good' })
  })

  it('that the storage compresses is decoded, and has no content-length', async () => {
    const { status, text, headers } = await download(4)
    expect([status, text]).toEqual([200, CONTENT.toString()])
    for (const name of ['content-encoding', 'content-length', 'accept-ranges']) expect(headers.get(name)).toBeNull()
    const head = await download(4, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, null])
    // a weak validator, so that a client can still revalidate its copy
    const etag = headers.get('etag') as string
    expect(etag).toMatch(/^W\//)
  })

  it('that is not understood does not prevent a quote without a file index', async () => {
    expect(await world.quote(asset, (await world.somebody()).address)).toMatchObject({ validUntil: 0 })
    const consumerAddress = (await world.somebody()).address
    const params = { documentId: asset.did, serviceId: 'tide-access', consumerAddress, fileIndex: '0' }
    const quoted = await ask(`${world.network.providerUrl}/api/services/initialize?${new URLSearchParams(params)}`)
    expect(quoted).toMatchObject({ status: 400, json: { code: 'FILE_UNAVAILABLE' } })
  })

  it.each<[string, number | undefined, Record<string, string>]>([
    ['not_found', 404, {}],
    ['not_found', 410, {}],
    ['denied', 401, {}],
    ['denied', 403, {}],
    ['not_allowed', 405, {}],
    ['failed', 500, {}],
    ['unsupported', 200, { 'content-encoding': 'compress' }],
    ['not_found', 404, { 'content-encoding': 'compress' }],
  ])('%s is the reason for an own storage object whose storage answers %s', async (reason, status, headers) => {
    const url = world.storage.on('/odd', (_request, response) => response.writeHead(status as number, headers).end('x'))
    expect((await info({ type: 'url', url, method: 'GET' })).json).toEqual([
      { index: 0, valid: false, type: 'url', reason },
    ])
  })

  it.each([
    'http://127.0.0.1:1/x',
    'http://[ff02::1]/x',
    'http://tide.invalid/x',
    'ftp://127.0.0.1:1/x.csv',
    'ftp://[ff02::1]/x.csv',
  ])('unreachable: %s, whether forbidden or missing', async (url) => {
    const type = url.slice(0, url.indexOf(':')).replace('http', 'url')
    expect((await info({ type, url, ...(type === 'url' ? { method: 'GET' } : {}) })).json).toEqual([
      { index: 0, valid: false, type, reason: 'unreachable' },
    ])
  })
})
