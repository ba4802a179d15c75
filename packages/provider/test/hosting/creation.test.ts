import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { idOf, tokenOf, tus } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

describe('a creation with an Idempotency-Key', () => {
  let world: World
  let base: string
  let auth: Record<string, string>
  beforeAll(async () => {
    world = await World.start()
    base = world.network.providerUrl
    auth = await tokenOf(base, await world.somebody())
  })

  const uploads = () => `${base}/api/services/uploads`
  const create = (key: string, more: Record<string, string> = {}, body?: Buffer) =>
    tus(uploads(), 'POST', { ...auth, 'upload-length': '8', 'idempotency-key': key, ...more }, body)
  const urlOf = async (answer: ReturnType<typeof create>) => base + (await answer).headers.get('location')
  const withBytes = { 'content-type': 'application/offset+octet-stream' }

  it('that is repeated finds the upload that it has begun, and how much there is of it', async () => {
    const key = randomUUID()
    const first = await create(key, withBytes, Buffer.from('tide'))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([201, '4'])
    const again = await create(key, withBytes, Buffer.from('tide'))
    expect([again.status, again.headers.get('upload-offset')]).toEqual([201, '4'])
    for (const name of ['location', 'upload-expires', 'tus-resumable', 'cache-control'])
      expect(again.headers.get(name), name).toBe(first.headers.get(name))
    const url = base + again.headers.get('location')
    expect((await tus(url, 'PATCH', { ...auth, 'upload-offset': '4' }, Buffer.from('flow'))).status).toBe(204)
    const complete = await create(key)
    expect([complete.headers.get('upload-offset'), complete.headers.get('upload-expires')]).toEqual(['8', null])
    expect((await ask(url, { headers: auth })).json).toMatchObject({ offset: 8, object: { id: idOf(url) } })
  })

  it('makes one upload of fifty at once, which counts once', async () => {
    const { hosted } = world.local.app.context.store
    const before = await hosted.totals()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(key)))
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ headers }) => headers.get('location'))).size).toBe(1)
    for (const { status, json } of answers) if (status !== 201) expect(json.code).toBe('UPLOAD_CONFLICT')
    expect(await hosted.totals()).toEqual({ files: before.files + 1, bytes: before.bytes + 8 })
    expect((await create(key)).status).toBe(201)
  })

  it('is another one for another publisher, key, length or name, and without a key', async () => {
    const key = randomUUID()
    const stranger = await tokenOf(base, await world.somebody())
    const urls = await Promise.all([
      urlOf(create(key)),
      urlOf(create(key, stranger)),
      urlOf(create(randomUUID())),
      urlOf(create(key, { 'upload-length': '9' })),
      urlOf(create(key, { 'upload-metadata': `filename ${btoa('a.csv')}` })),
      urlOf(tus(uploads(), 'POST', { ...auth, 'upload-length': '8' })),
      urlOf(tus(uploads(), 'POST', { ...auth, 'upload-length': '8' })),
    ])
    expect(new Set(urls).size).toBe(urls.length)
    expect(urls.map(idOf)).toEqual(urls.map(() => expect.stringMatching(/^[\w-]{43}$/)))
    for (const wrong of ['x'.repeat(129), 'a b', ' '])
      expect((await create(wrong)).json.errors ?? {}, wrong).toHaveProperty('Idempotency-Key')
  })

  it('can be used again once its upload was deleted', async () => {
    const key = randomUUID()
    const url = await urlOf(create(key))
    expect((await ask(url, { method: 'DELETE', headers: auth })).status).toBe(204)
    const { hosted } = world.local.app.context.store
    await eventually(async () => (await hosted.removed(1)).length === 0)
    expect((await create(key)).status).toBe(201)
  })

  it('finds its upload without the body that is announced again', async () => {
    const key = randomUUID()
    await create(key)
    const headers = { ...auth, 'tus-resumable': '1.0.0', 'upload-length': '8', 'idempotency-key': key, ...withBytes }
    const status = await new Promise((resolve, reject) => {
      const sent = request(uploads(), { method: 'POST', headers: { ...headers, 'content-length': '8' } })
      sent.on('response', (response) => {
        resolve([response.statusCode, response.headers.connection])
        sent.destroy()
      })
      sent.on('error', reject)
      sent.write('ti')
    })
    expect(status).toEqual([201, 'close'])
  })
})
