import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

describe('fileinfo of several storage objects', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start({ ANONYMOUS_REQUESTS: '30' })
  })
  afterAll(() => world.close())
  const fileinfo = (body: unknown, query = '') =>
    ask(`${world.network.providerUrl}/api/services/fileinfo${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const csv = () => ({ type: 'url', url: world.storage.file('/tides.csv', Buffer.from('0123456789'), 'text/csv') })

  it('gives one entry for each, in order, and counts each as a request', async () => {
    const missing = { type: 'url', url: `${world.storage.origin}/missing.csv` }
    const entries = [
      { index: 0, valid: true, type: 'url', contentLength: '10', contentType: 'text/csv', filename: 'tides.csv' },
      { index: 1, valid: false, type: 'url', reason: expect.any(String) },
    ]
    expect(await fileinfo([csv(), missing])).toMatchObject({ status: 200, json: entries })
    expect((await fileinfo({ files: [csv(), missing], checksum: true })).json).toMatchObject([
      { ...entries[0], checksum: '84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882' },
      entries[1],
    ])
    expect((await fileinfo([csv(), { type: 'url', url: 'nonsense' }])).json.errors).toEqual({
      'files[1].url': [expect.any(String)],
    })
    expect((await fileinfo([csv(), 'text'])).json.errors).toEqual({ 'files[1].type': [expect.any(String)] })
    // 6 so far
    expect((await fileinfo(Array(20).fill(csv()))).status).toBe(200)
    expect((await fileinfo([csv(), csv(), csv(), csv()])).status).toBe(200)
    expect(await fileinfo(csv())).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } })
  })
})
