import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

describe('userdata', () => {
  let world: World
  let byGet: Published
  let byPost: Published
  let buyer: Wallet
  const orders = new Map<Published, string>()

  beforeAll(async () => {
    world = await World.start()
    const url = world.storage.on('/echo', (request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => response.end(`${request.method} ${request.url} ${body}`))
    })
    buyer = await world.somebody()
    byGet = await world.publish({ files: [{ type: 'url', url: `${url}?station=1&unit=m`, method: 'GET' }] })
    byPost = await world.publish({ files: [{ type: 'url', url, method: 'POST' }] })
    for (const asset of [byGet, byPost]) orders.set(asset, await world.order(asset, buyer))
  })

  async function download(asset: Published, userdata: string) {
    const params = await downloadParams(asset, orders.get(asset) as string, buyer, { userdata })
    return ask(`${world.network.providerUrl}/api/services/download?${params}`)
  }

  it("is added to the query of a GET, without overriding the publisher's parameters", async () => {
    const { text } = await download(byGet, '{"day":"2026-01-01","n":5,"deep":{"a":[1]},"station":"2"}')
    expect(decodeURIComponent(text)).toBe('GET /echo?station=1&unit=m&day=2026-01-01&n=5&deep={"a":[1]} ')
  })

  it('is sent as JSON body of a POST', async () => {
    const { text } = await download(byPost, '{"day":"2026-01-01","n":5}')
    expect(text).toBe('POST /echo {"day":"2026-01-01","n":5}')
    expect(world.storage.seen('/echo').at(-1)?.headers['content-type']).toBe('application/json')
  })

  it('is sent to the storage by fileinfo for a storage object in the request', async () => {
    const body = { type: 'url', url: `${world.storage.origin}/echo`, method: 'GET', userdata: { day: 'x' } }
    await askJson(`${world.network.providerUrl}/api/services/fileinfo`, body)
    expect(world.storage.seen('/echo').at(-1)?.url).toContain('day=x')
  })

  describe('consumerParameters of the service', () => {
    let asked: Published
    beforeAll(async () => {
      const parameter = (name: string, more: object) => ({ name, label: name, description: name, ...more })
      asked = await world.publish({
        files: [{ type: 'url', url: `${world.storage.origin}/echo`, method: 'GET' }],
        adjust: (ddo) => {
          Object.assign(ddo.services[0] as object, {
            consumerParameters: [
              parameter('day', { type: 'text', required: true }),
              parameter('hour', { type: 'number', required: false }),
              parameter('exact', { type: 'boolean', required: false }),
              parameter('unit', {
                type: 'select',
                required: true,
                default: 'm',
                options: '[{"m":"Metre"},{"ft":"Feet"}]',
              }),
            ],
          })
        },
      })
      orders.set(asked, await world.order(asked, buyer))
    })

    it('are sent to the storage, with defaults for missing ones', async () => {
      expect((await download(asked, '{"day":"x","hour":0,"exact":false}')).text).toBe(
        'GET /echo?day=x&hour=0&exact=false&unit=m ',
      )
      expect((await download(asked, '{"day":"x","unit":"ft"}')).text).toBe('GET /echo?day=x&unit=ft ')
    })

    it.each([
      ['{}', 'day is required'],
      ['{"day":5}', 'day must be text'],
      ['{"day":"x","hour":"noon"}', 'hour must be a number'],
      ['{"day":"x","exact":"perhaps"}', 'exact must be true or false'],
      ['{"day":"x","unit":"mile"}', 'unit must be one of the options'],
    ])('refuse %s', async (userdata, reason) => {
      const { status, json } = await download(asked, userdata)
      expect(status).toBe(400)
      expect(json.errors).toEqual({ userdata: [expect.stringContaining(reason)] })
    })
  })

  it.each([
    ['{', 'must be a JSON object'],
    ['[]', 'must be a JSON object'],
    ['"x"', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['{"__proto__":{"a":1}}', 'reserved name'],
    ['{"a":{"constructor":1}}', 'reserved name'],
    ['{"a":{"b":{"c":{"d":{}}}}}', 'nested deeper'],
    ['{"a":"\\u0000"}', 'NUL byte'],
    [JSON.stringify({ a: 'x'.repeat(8200) }), 'longer than'],
  ])('refuses %j (threat 29)', async (userdata, reason) => {
    const { status, json } = await download(byGet, userdata)
    expect(status).toBe(400)
    expect(json.errors).toEqual({ userdata: [expect.stringContaining(reason)] })
  })
})
