import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

const FILE = Buffer.from('hour,height\n0,1.2\n')
const GZ = gzipSync(FILE)

type Serve = (request: IncomingMessage, response: ServerResponse) => unknown

describe('fileinfo, initialize and download agree', () => {
  let world: World
  let buyer: Wallet
  beforeAll(async () => {
    world = await World.start({ EXPOSE_FILENAME: 'on' })
    buyer = await world.somebody()
  })

  const base = () => `${world.network.providerUrl}/api/services`
  const initialize = ({ did }: Published) =>
    ask(`${base()}/initialize?documentId=${did}&serviceId=tide-access&consumerAddress=${buyer.address}&fileIndex=0`)
  const fileinfo = async (body: object) => (await askJson(`${base()}/fileinfo`, body)).json[0]
  const published = async (path: string, serve: Serve) => {
    const url = world.storage.on(path, (request, response) => void serve(request, response))
    const asset = await world.publishUrl(url)
    return { asset, object: { type: 'url', url, method: 'GET' } }
  }

  /** Refuses ranges; hangs on HEAD. */
  const plain =
    (headers: Record<string, string>, body: Buffer): Serve =>
    ({ method, headers: { range } }, response) => {
      if (method === 'HEAD') return
      if (range) return response.writeHead(501).end()
      return response.writeHead(200, { 'content-length': body.length, ...headers }).end(body)
    }
  const whole: Serve = (_request, response) =>
    response
      .writeHead(206, { 'content-range': `bytes 0-${FILE.length - 1}/${FILE.length}`, 'content-length': FILE.length })
      .end(FILE)

  it.each<[string, string, Serve, Buffer]>([
    ['control: an honest storage', '/honest.csv', (_, response) => response.end(FILE), FILE],
    ['every GET is a 206', '/whole.csv', whole, FILE],
    ['a file is compressed unasked', '/b.csv', plain({ 'content-encoding': 'gzip' }, GZ), FILE],
  ])('%s: it is sold and delivered', async (_case, path, serve, content) => {
    const { asset, object } = await published(path, serve)
    const described = { valid: true, contentLength: String(content.length) }
    expect(await fileinfo(object)).toMatchObject(described)
    expect(await fileinfo({ did: asset.did, serviceId: 'tide-access' })).toMatchObject(described)
    expect((await initialize(asset)).status).toBe(200)
    const url = `${base()}/download?${await downloadParams(asset, await world.order(asset, buyer), buyer)}`
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toContain(path.slice(1))
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
  })

  it.each<[string, string, Serve]>([
    [
      'every GET is a part',
      '/part.csv',
      (_request, response) =>
        response.writeHead(206, { 'content-range': 'bytes 0-17/40', 'content-length': FILE.length }).end(FILE),
    ],
    [
      'only HEAD succeeds',
      '/head.csv',
      ({ method }, response) => response.writeHead(method === 'HEAD' ? 200 : 403).end(),
    ],
    ['it is cut off', '/cut.csv', plain({ 'content-encoding': 'gzip' }, GZ.subarray(0, -9))],
  ])('%s: it is not sold', async (_case, path, serve) => {
    const { asset, object } = await published(path, serve)
    expect(await fileinfo(object)).toMatchObject({ valid: false, reason: expect.any(String) })
    expect(await fileinfo({ did: asset.did, serviceId: 'tide-access' })).toMatchObject({ valid: false })
    expect((await initialize(asset)).json).toMatchObject({ code: 'FILE_UNAVAILABLE' })
  })
})
