import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { createLink } from '../../../../test/helpers/links.js'
import { ask, downloadParams, downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const SIZE = 100_000

describe('limits per consumer and day', () => {
  let world: World
  afterEach(() => world.close())

  /** An asset with two consumers who have ordered it. */
  async function sold() {
    const asset = await world.publishUrl(world.storage.file('/a.bin', Buffer.alloc(SIZE)))
    const [first, second] = [await world.somebody(), await world.somebody()]
    const orders = new Map([
      [first, await world.order(asset, first)],
      [second, await world.order(asset, second)],
    ])
    const params = (who = first, changed: Record<string, string> = {}) =>
      downloadParams(asset, orders.get(who) as string, who, changed)
    const download = async (who = first, changed: Record<string, string> = {}, base = world.network.providerUrl) =>
      ask(`${base}/api/services/download?${await params(who, changed)}`)
    return { first, second, download, params }
  }

  it('refuse downloads above the limit across all instances, and do not affect other consumers', async () => {
    world = await World.start({ CONSUMER_REQUESTS_PER_DAY: '5' })
    const { first, second, download, params } = await sold()
    // forged requests, refused ones and HEAD are not counted
    for (let at = 0; at < 10; at++)
      expect((await download(first, { signature: `0x${'11'.repeat(65)}` })).status).toBe(400)
    for (let at = 0; at < 10; at++) expect((await download(first, { fileIndex: '7' })).status).toBe(400)
    for (let at = 0; at < 10; at++)
      await fetch(`${world.network.providerUrl}/api/services/download?${await params()}`, { method: 'HEAD' })

    const settings = { ...world.beside({ CONSUMER_REQUESTS_PER_DAY: '5' }), STATE_DIR: stateDir() }
    const beside = await createApp(loadSettings(settings))
    const url = await beside.listen()
    await eventually(() => beside.context.services.catalog.progress().every(({ lag }) => lag === 0))
    // in sequence, since a nonce must be greater than the last one
    const statuses: number[] = []
    for (let at = 0; at < 8; at++) statuses.push((await download(first, {}, at % 2 ? url : undefined)).status)
    await beside.close()
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    const refused = await download()
    expect(refused.json).toMatchObject({
      code: 'CONSUMER_LIMITED',
      error: expect.stringContaining('no downloads left'),
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect((await download(second)).status).toBe(200)
  })

  it('count what is downloaded by links for the consumer that they were created for', async () => {
    world = await World.start({ CONSUMER_REQUESTS_PER_DAY: '3', CONSUMER_BYTES_PER_DAY: String(10 * SIZE) })
    const base = world.network.providerUrl
    const { asset, buyer, txId } = await world.sold(world.storage.file('/a.bin', Buffer.alloc(SIZE)))
    const { url } = await createLink(base, asset, txId, buyer)
    const statuses: number[] = []
    for (let at = 0; at < 4; at++) statuses.push((await ask(url)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    expect((await ask(url)).json.code).toBe('CONSUMER_LIMITED')
    expect((await ask(await downloadUrl(base, asset, txId, buyer))).status).toBe(429)
    await eventually(async () => (await used(buyer.address)) === 3 * SIZE)
  })

  const stateDir = () => world.local.app.context.settings.STATE_DIR

  it('refuse downloads when the bytes of the day are used up, counting what was sent', async () => {
    world = await World.start({ CONSUMER_BYTES_PER_DAY: String(SIZE + 1) })
    const { first, second, download, params } = await sold()
    // a range counts with its own length
    const url = `${world.network.providerUrl}/api/services/download`
    const part = await fetch(`${url}?${await params()}`, { headers: { range: 'bytes=0-1' } })
    expect((await part.arrayBuffer()).byteLength).toBe(2)
    expect((await download()).status).toBe(200)
    await eventually(async () => (await used(first.address)) === SIZE + 2)
    const refused = await download()
    expect(refused.status).toBe(429)
    expect(refused.json).toMatchObject({ code: 'CONSUMER_LIMITED', error: expect.stringContaining('no bytes left') })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect((await download(second)).status).toBe(200)
  })

  it('count the bytes sent by a broken download, and the full length of one in flight', async () => {
    world = await World.start({ CONSUMER_BYTES_PER_DAY: '5000' })
    let release = () => undefined as unknown
    const url = world.storage.on('/stops', (_request, response) => {
      response.writeHead(200, { 'content-length': 10_000 }).write('x'.repeat(100))
      release = () => response.destroy()
    })
    const { asset, buyer, txId } = await world.sold(url)
    const download = async () => fetch(await downloadUrl(world.network.providerUrl, asset, txId, buyer))
    const first = await download()
    expect(first.status).toBe(200)
    expect(await used(buyer.address)).toBe(10_000)
    expect((await download()).status).toBe(429)
    release()
    await first.arrayBuffer().catch(() => undefined)
    await eventually(async () => (await used(buyer.address)) === 100)
    const again = await download()
    expect(again.status).toBe(200)
    release()
    await again.arrayBuffer().catch(() => undefined)
  })

  async function used(address: string): Promise<number> {
    const { usage } = world.local.app.context.store
    return (await usage.used(`consumer bytes ${address}`, 86_400_000, Date.now())).used
  }
})
