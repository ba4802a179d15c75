import { once } from 'node:events'
import { get as httpGet, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { AT_ONCE, eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadUrl, freshNonce, served, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { type App, createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const CONTENT = Buffer.from('hour,height\n00:00,3.1\n')

describe('download', () => {
  let world: World
  let asset: Published
  let buyer: Wallet
  let txId: string
  /** A service with short time limits, for storages that stall. */
  let impatient: App
  let impatientBase: string
  const folder = newFolder()

  beforeAll(async () => {
    world = await World.start()
    const limits = { STORAGE_STALL_TIMEOUT: '1000', STORAGE_RESPONSE_TIMEOUT: '5000', STATE_DIR: folder }
    impatient = await createApp(loadSettings(world.beside(limits)))
    impatientBase = await impatient.listen()
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/data/tides.csv', CONTENT)))
  })
  afterAll(() => impatient.close())

  const url = async (changed: Record<string, string | undefined> = {}, of = asset, tx = txId) =>
    await downloadUrl(world.network.providerUrl, of, tx, buyer, changed)
  const download = async (changed = {}, headers: Record<string, string> = {}) => ask(await url(changed), { headers })

  /** As `url`, at the service with short time limits. */
  const impatientUrl = async (of: Published, tx: string) => {
    await served(impatientBase, of)
    return await downloadUrl(impatientBase, of, tx, buyer)
  }

  /** An asset with one URL, ordered by the buyer. */
  async function bought(fileUrl: string): Promise<{ of: Published; tx: string }> {
    const of = await world.publishUrl(fileUrl)
    return { of, tx: await world.order(of, buyer) }
  }

  it('returns the file with exactly one upstream request', async () => {
    const before = world.storage.seen('/data/tides.csv').length
    const { status, text, headers } = await download()
    expect([status, text]).toEqual([200, CONTENT.toString()])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/csv',
      'content-length': String(CONTENT.length),
      'content-disposition': 'attachment;filename=tides.csv',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[\w-]{64}"$/),
      'cache-control': 'no-store',
    })
    expect(world.storage.seen('/data/tides.csv').length - before).toBe(1)
  })

  it('accepts the modern signed message as well', async () => {
    const nonce = freshNonce()
    const signature = await signText(buyer, `${buyer.address}${nonce}download`)
    expect((await download({ nonce, signature })).status).toBe(200)
    const other = freshNonce()
    const wrong = await signText(buyer, `${buyer.address}${other}encrypt`)
    expect((await download({ nonce: other, signature: wrong })).status).toBe(400)
  })

  it('refuses a replay with the address in another case (threat 6)', async () => {
    const nonce = freshNonce()
    expect((await download({ nonce })).status).toBe(200)
    const replay = await download({ nonce, consumerAddress: buyer.address.toLowerCase() })
    const told = expect.stringContaining(`which is ${nonce}. GET /api/services/nonce returns it.`)
    expect(replay).toMatchObject({ status: 400, json: { errors: { nonce: [told] } } })
  })

  it('refuses the same nonce in any notation (threat 7)', async () => {
    const nonce = freshNonce()
    expect((await download({ nonce })).status).toBe(200)
    for (const spelling of [nonce, `${nonce}.0`, `0${nonce}`, `00${nonce}.000`])
      expect((await download({ nonce: spelling })).status, spelling).toBe(400)
    expect((await download({ nonce: `${nonce}.5` })).status).toBe(200)
  })

  it('refuses a nonce in the far future, which would lock the account (threat 12)', async () => {
    expect((await download({ nonce: '9'.repeat(40) })).json).toMatchObject({
      errors: { nonce: [expect.stringContaining('too far in the future')] },
    })
  })

  it('consumes no nonce for a refused request', async () => {
    const nonce = freshNonce()
    expect((await download({ nonce, transferTxId: asset.txId })).status).toBe(400)
    expect((await download({ nonce, fileIndex: '3' })).status).toBe(400)
    expect((await download({ nonce, signature: `0x${'11'.repeat(65)}` })).status).toBe(400)
    expect((await download({ nonce })).status).toBe(200)
  })

  it('consumes no nonce for HEAD: one GET with the same signature passes after it', async () => {
    const signed = await url()
    const statuses: number[] = []
    for (const method of ['HEAD', 'HEAD', 'GET', 'GET', 'HEAD']) statuses.push((await ask(signed, { method })).status)
    expect(statuses).toEqual([200, 200, 200, 400, 400])
  })

  it("sends the descriptor's headers to the storage, and no header of the consumer", async () => {
    const fileUrl = world.storage.file('/secret/tides.csv', CONTENT)
    const file = { type: 'url', url: fileUrl, method: 'GET', headers: { Authorization: 'Bearer hush' } }
    const of = await world.publish({ files: [file] })
    await ask(await url({}, of, await world.order(of, buyer)), { headers: { cookie: 'mine=1', 'x-other': 'x' } })
    const { headers } = world.storage.seen('/secret/tides.csv').at(-1) as { headers: object }
    expect(headers).toMatchObject({ authorization: 'Bearer hush', 'accept-encoding': 'identity' })
    expect(headers).not.toHaveProperty('cookie')
    expect(headers).not.toHaveProperty('x-other')
  })

  it('forwards no header of the storage that reveals its location (threat 15)', async () => {
    const fileUrl = world.storage.on('/leaky', (_request, response) =>
      response
        .writeHead(200, {
          'content-disposition': 'attachment; filename="../../etc/r\u00e9sum\u00e9 2026.csv"',
          'content-location': '/secret-path',
          link: '</secret-path>; rel=canonical',
          'set-cookie': 'secret-path=1',
          server: 'secret-path',
        })
        .end('x'),
    )
    const { of, tx } = await bought(fileUrl)
    const { headers } = await ask(await url({}, of, tx))
    expect(JSON.stringify(Object.fromEntries(headers))).not.toContain('secret-path')
    expect(headers.get('content-disposition')).toMatch(/^attachment;filename="r.+csv";filename\*=UTF-8''r/)
  })

  it.each<[string, number, (response: ServerResponse) => unknown]>([
    ['404', 502, (response) => response.writeHead(404).end('secret body')],
    ['500', 502, (response) => response.writeHead(500).end('secret body')],
    ['gzip that is none', 502, (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')],
    ['silence', 504, () => undefined],
  ])('answers an upstream %s with %i, quoting nothing of it (threat 24)', async (name, status, handle) => {
    const { of, tx } = await bought(
      world.storage.on(`/${name.replaceAll(' ', '-')}`, (_, response) => void handle(response)),
    )
    const answer = await ask(await impatientUrl(of, tx))
    expect(answer).toMatchObject({ status, json: { code: expect.stringMatching(/^STORAGE_/) } })
    expect(answer.text).not.toMatch(/secret|127\.0\.0\.1/)
  })

  it('answers an unreachable host with 502, without its address (threat 24)', async () => {
    const { of, tx } = await bought('http://127.0.0.1:1/x')
    const signed = await url({}, of, tx)
    const { status, text } = await ask(signed)
    expect([status, text]).toEqual([502, expect.not.stringMatching(/127\.0\.0\.1|ECONN/)])
    // each signature makes one request to a storage at most
    expect((await ask(signed)).json).toMatchObject({
      errors: { nonce: [expect.stringMatching(/greater than the last/)] },
    })
  })

  it.each([
    ['ends early', '/short', (end: () => void) => end()],
    ['stalls', '/stall', () => undefined],
  ])('never presents a truncated file as complete: an upstream that %s (threat 24)', async (_name, path, then) => {
    const { of, tx } = await bought(
      world.storage.on(path, (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 })
        response.write('x'.repeat(100), () => then(() => response.destroy()))
      }),
    )
    const response = await fetch(await impatientUrl(of, tx))
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  it('forwards header bytes unchanged, and no value that is not a valid header (threat 24)', async () => {
    const answers = (value: string) =>
      createServer((socket) => {
        const head = `HTTP/1.1 200 OK\r\nContent-Type: \r\nLast-Modified: ${value}\r\nContent-Length: 4\r\n\r\ntide`
        socket.on('error', () => undefined).on('data', () => socket.end(head))
      }).listen(0, '127.0.0.1')
    const seen: unknown[] = []
    for (const value of ['潮', '\x01', '\x7f']) {
      const storage = answers(value)
      await once(storage, 'listening')
      const { of, tx } = await bought(`http://127.0.0.1:${(storage.address() as AddressInfo).port}/tide.txt`)
      const { status, headers } = await fetch(await url({}, of, tx))
      const said = headers.get('last-modified')
      seen.push([status, said && Buffer.from(said, 'latin1').toString(), headers.get('content-type')?.split(';')[0]])
      storage.close()
    }
    expect(seen).toEqual([
      [200, '潮', 'application/octet-stream'],
      [502, null, 'application/json'],
      [502, null, 'application/json'],
    ])
  })

  it('follows a few redirects, and sends secrets to no other origin (threat 5)', async () => {
    const target = world.storage.file('/target.csv', CONTENT)
    world.storage.on('/here', (_request, response) => response.writeHead(302, { location: '/target.csv' }).end())
    world.storage.on('/away', (_request, response) =>
      response.writeHead(302, { location: target.replace('127.0.0.1', 'localhost') }).end(),
    )
    world.storage.on('/round', (_request, response) => response.writeHead(302, { location: '/round' }).end())
    const headers = { 'X-Key': 'hush' }
    const get = async (path: string) => {
      const of = await world.publish({
        files: [{ type: 'url', url: world.storage.origin + path, method: 'GET', headers }],
      })
      return ask(await url({}, of, await world.order(of, buyer)))
    }
    expect((await get('/here')).text).toBe(CONTENT.toString())
    expect(world.storage.seen('/target.csv').at(-1)?.headers).toHaveProperty('x-key')
    expect((await get('/away')).text).toBe(CONTENT.toString())
    expect(world.storage.seen('/target.csv').at(-1)?.headers).not.toHaveProperty('x-key')
    expect((await get('/round')).status).toBe(502)
  })

  it('closes the upstream request within 2 seconds after the client disconnects (threat 25)', async () => {
    const { of, tx } = await bought(
      world.storage.on('/endless', (request, response) => {
        response.writeHead(200, { 'content-length': 10 ** 12 })
        if (request.method === 'HEAD') return void response.end()
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      }),
    )
    const request = httpGet(await url({}, of, tx))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await once(response, 'data')
    request.destroy()
    request.on('error', () => undefined)
    await eventually(() => world.storage.seen('/endless').at(-1)?.aborted, AT_ONCE)
  })

  it('follows the on-chain state, like initialize and fileinfo (threat 22)', async () => {
    const publisher = await world.somebody()
    const of = await world.publishUrl(`${world.storage.origin}/data/tides.csv`, { publisher })
    const tx = await world.order(of, buyer)
    const nft = new ocean.Nft(publisher, world.network.chainId)
    const statuses: Record<number, number[]> = {}
    for (const state of [0, 1, 2, 3, 4, 5]) {
      await world.indexed(await mined(nft.setMetadataState(of.nft, publisher.address, state)))
      const service = `did=${of.did}&documentId=${of.did}&serviceId=tide-access&consumerAddress=${buyer.address}`
      const base = `${world.network.providerUrl}/api/services`
      const answers = await Promise.all([
        ask(`${base}/initialize?${service}`),
        ask(await url({}, of, tx)),
        ask(`${base}/fileinfo?${service}`, { method: 'POST' }),
      ])
      statuses[state] = answers.map(({ status }) => status)
      if (state >= 1 && state <= 4) expect(answers[1]?.json.error).toBe('Asset is not consumable.')
    }
    expect(statuses).toEqual({
      0: [200, 200, 200],
      1: [403, 403, 403],
      2: [403, 403, 403],
      3: [403, 403, 403],
      4: [403, 403, 403],
      5: [200, 200, 200],
    })
  })
})
