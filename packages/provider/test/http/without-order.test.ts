import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { AT_ONCE, eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams, downloadUrl, FILE_ID } from '../../../../test/helpers/requests.js'
import { jsonBody } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'

describe("requests without an order cause no side effects at a publisher's storage (threat 50)", () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })

  const fileinfo = (asset: Published, more: object = {}) =>
    askJson(`${world.network.providerUrl}/api/services/fileinfo`, {
      did: asset.did,
      serviceId: asset.ddo.services[0]?.id,
      ...more,
    })
  const initialize = async (asset: Published, more: Record<string, string> = {}) => {
    const { address } = await world.somebody()
    const service = { documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string }
    const params = new URLSearchParams({ ...service, consumerAddress: address, fileIndex: '0', ...more })
    return ask(`${world.network.providerUrl}/api/services/initialize?${params}`)
  }
  const USERDATA = { userdata: JSON.stringify({ tide: 'high' }) }

  it('a POST is described from its descriptor, and run only with an order', async () => {
    const sent: unknown[] = []
    const url = world.storage.on('/run', async (request, response) => {
      sent.push(await jsonBody(request))
      response.writeHead(200, { 'content-type': 'text/csv' }).end('ran')
    })
    const asset = await world.publish({ files: [{ type: 'url', url, method: 'POST', headers: { 'x-key': 'secret' } }] })
    for (const more of [{}, { checksum: true }, { userdata: { tide: 'high' } }])
      expect((await fileinfo(asset, more)).json).toEqual([
        {
          index: 0,
          id: expect.stringMatching(FILE_ID),
          valid: true,
          type: 'url',
          contentType: 'application/octet-stream',
        },
      ])
    expect((await initialize(asset, USERDATA)).status).toBe(200)
    expect(world.storage.seen('/run')).toEqual([])

    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    const params = await downloadParams(asset, txId, buyer, USERDATA)
    expect((await ask(`${world.network.providerUrl}/api/services/download?${params}`)).text).toBe('ran')
    expect(sent).toEqual([{ tide: 'high' }])
  })

  it('a database query is described without a connection to the database', async () => {
    let connections = 0
    const database = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(database, 'listening')
    const url = `postgres://reader:secret@127.0.0.1:${(database.address() as AddressInfo).port}/tides`
    const asset = await world.publish({ files: [{ type: 'sql', url, query: 'SELECT 1' }] })
    expect((await fileinfo(asset, { checksum: true })).json).toEqual([
      { index: 0, id: expect.stringMatching(FILE_ID), valid: true, type: 'sql', contentType: 'text/csv' },
    ])
    expect((await initialize(asset, USERDATA)).status).toBe(200)
    expect(connections).toBe(0)
    database.close()
  })

  it('a GraphQL query is run without values from the caller; a mutation is not run', async () => {
    const bodies: { query: string; variables?: object }[] = []
    const url = world.storage.on('/graphql', async (request: IncomingMessage, response) => {
      bodies.push(await jsonBody(request))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}')
    })
    const published = (query: string) => world.publish({ files: [{ type: 'graphql', url, query }] })
    const reading = await published('{ tides { height } }')
    expect((await fileinfo(reading, { userdata: { tide: 'high' } })).json).toMatchObject([{ valid: true }])
    expect(bodies).toEqual([{ query: '{ tides { height } }' }])
    for (const query of [
      'mutation { pay }',
      'query q { a } mutation m { pay }',
      'query ($tide: Int) { t(n: $tide) }',
    ]) {
      const asset = await published(query)
      expect((await fileinfo(asset, { userdata: { tide: 1 } })).json).toEqual([
        { index: 0, id: expect.stringMatching(FILE_ID), valid: true, type: 'graphql', contentType: 'application/json' },
      ])
      expect((await initialize(asset)).status).toBe(200)
    }
    expect(bodies.length).toBe(1)
  })

  it('a GET is sent without values from the caller, once per minute for all callers', async () => {
    const asset = await world.publishUrl(world.storage.file('/popular.csv', Buffer.from('tide\n')))
    const askers = await Promise.all(Array.from({ length: 20 }, () => fileinfo(asset, { userdata: { tide: 'high' } })))
    for (const { json } of askers) expect(json).toMatchObject([{ valid: true, contentLength: '5' }])
    expect((await initialize(asset, USERDATA)).status).toBe(200)
    expect(world.storage.seen('/popular.csv').map(({ method, url }) => [method, url])).toEqual([
      ['GET', '/popular.csv'],
    ])
    // a checksum needs a separate request
    expect((await fileinfo(asset, { checksum: true })).json).toMatchObject([{ checksumType: 'sha256' }])
    expect((await fileinfo(asset, { checksum: true })).json).toMatchObject([{ checksumType: 'sha256' }])
    expect(world.storage.seen('/popular.csv').length).toBe(3)
  })

  it('a caller who disconnects does not affect others; the last one to disconnect aborts the request', async () => {
    const open = new Set<unknown>()
    const url = world.storage.on('/slow.csv', (_request, response) => {
      open.add(response)
      response.on('close', () => open.delete(response))
      release.push(() => response.writeHead(200, { 'content-length': 5 }).end('tide\n'))
    })
    const release: (() => void)[] = []
    const asset = await world.publishUrl(url)
    const asked = (signal: AbortSignal) =>
      fetch(`${world.network.providerUrl}/api/services/fileinfo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ did: asset.did, serviceId: asset.ddo.services[0]?.id }),
        signal,
      })
    const [first, second] = [new AbortController(), new AbortController()]
    const gone = asked(first.signal).catch(() => 'gone')
    const stays = asked(second.signal)
    await eventually(() => open.size === 1)
    first.abort()
    expect(await gone).toBe('gone')
    expect(open.size).toBe(1)
    for (const answer of release) answer()
    expect(await (await stays).json()).toMatchObject([{ valid: true, contentLength: '5' }])

    const other = await world.publishUrl(
      world.storage.on('/slower.csv', (_request, response) => {
        open.add(response)
        response.on('close', () => open.delete(response))
      }),
    )
    const last = new AbortController()
    const body = JSON.stringify({ did: other.did, serviceId: other.ddo.services[0]?.id })
    const headers = { 'content-type': 'application/json' }
    const url2 = `${world.network.providerUrl}/api/services/fileinfo`
    const vanishing = fetch(url2, { method: 'POST', headers, body, signal: last.signal }).catch(() => 'gone')
    await eventually(() => open.size === 1)
    last.abort()
    await vanishing
    await eventually(() => open.size === 0)
  })

  it('a consumer who disconnects before the first byte aborts the request to the storage (threat 43)', async () => {
    let begun = 0
    const open = new Set<unknown>()
    const url = world.storage.on('/never', (_request, response) => {
      begun += 1
      open.add(response)
      response.on('close', () => open.delete(response))
    })
    const { asset, buyer, txId } = await world.sold(url)
    const consumer = new AbortController()
    const download = await downloadUrl(world.network.providerUrl, asset, txId, buyer)
    const left = fetch(download, { signal: consumer.signal }).catch(() => 'left')
    await eventually(() => begun === 1 && open.size === 1)
    consumer.abort()
    expect(await left).toBe('left')
    await eventually(() => open.size === 0, AT_ONCE)
    expect(begun).toBe(1)
  })
})
