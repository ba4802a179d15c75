import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { ask, downloadParams } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

describe('limits by address', () => {
  let world: World
  afterEach(() => world.close())
  const get = (path: string, headers: Record<string, string> = {}) => ask(world.network.providerUrl + path, { headers })
  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('threat 17: end the requests of a minute with 429, and say when to come again', async () => {
    world = await World.start({ RATE_LIMIT_REQUESTS: '20' })
    const answers = []
    for (let at = 0; at < 25; at++) answers.push(await get('/'))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20)
    const last = answers.at(-1)
    expect(last?.status).toBe(429)
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(last?.json).toEqual({
      error: expect.stringMatching(/^Too many requests from this address\. Try again in \d+ seconds\.$/),
      code: 'RATE_LIMITED',
    })
    expect((await get('/live')).status).toBe(200)
    expect((await get('/ready')).status).toBe(200)
  })

  it('threat 26: X-Forwarded-For counts only from a trusted proxy', async () => {
    world = await World.start({ RATE_LIMIT_REQUESTS: '20' })
    for (let at = 0; at < 25; at++) await get('/', from(`203.0.113.${at}`))
    expect((await get('/', from('203.0.113.99'))).status).toBe(429)
    await world.close()

    world = await World.start({ RATE_LIMIT_REQUESTS: '20', TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1' })
    for (let at = 0; at < 25; at++) await get('/', from('203.0.113.1'))
    expect((await get('/', from('203.0.113.1'))).status).toBe(429)
    expect((await get('/', from('203.0.113.2'))).status).toBe(200)
    // what the client itself has put before the address that the proxy saw
    expect((await get('/', from('198.51.100.1, 203.0.113.1'))).status).toBe(429)
  })

  it('end further downloads of the minute when an address has had its bytes', async () => {
    world = await World.start({ RATE_LIMIT_BYTES: '150000' })
    const asset = await world.publishUrl(world.storage.file('/a.bin', Buffer.alloc(100_000)))
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    const download = async () => get(`/api/services/download?${await downloadParams(asset, txId, buyer)}`)
    const statuses: number[] = []
    await eventually(async () => statuses.push((await download()).status) && statuses.at(-1) === 429)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2)
    const refused = await download()
    expect(refused.json).toMatchObject({ code: 'RATE_LIMITED' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await get('/')).status).toBe(200)
  })
})
