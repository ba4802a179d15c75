import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, askJson, downloadUrl } from '../../../../test/helpers/requests.js'
import { begin, bytesOf, idOf, pathOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = randomBytes(3_000_000)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('uploads', () => {
  let world: World
  let base: string
  let folder: string
  let publisher: Wallet
  let auth: Record<string, string>

  beforeAll(async () => {
    world = await World.start({ HOSTING_MAX_FILE: '20000000', HOSTING_QUOTA: '60000000' })
    base = world.network.providerUrl
    folder = world.local.app.context.settings.HOSTING_DIR
    publisher = await world.somebody()
    auth = await tokenOf(base, publisher)
  })

  const uploads = () => `${base}/api/services/uploads`
  const codeOf = async (answer: ReturnType<typeof ask>) => {
    const { status, json } = await answer
    return [status, json.code]
  }
  const offset = async (url: string) => Number((await tus(url, 'HEAD', auth)).headers.get('upload-offset'))

  it('are made by tus-js-client as it is, whole and in parts, and published, bought and downloaded with their digest', async () => {
    const { serviceEndpoints } = (await ask(base)).json as { serviceEndpoints: Record<string, unknown> }
    expect(serviceEndpoints.uploads).toEqual(['POST', '/api/services/uploads'])
    for (const options of [{}, { chunkSize: 700_001 }]) {
      const url = await upload(base, CONTENT, auth, options)
      const { json, headers } = await ask(url, { headers: auth })
      const object = { type: 'hosted', id: idOf(url) }
      expect(json).toEqual({
        ...{ id: idOf(url), size: CONTENT.length, offset: CONTENT.length, sha256: sha256(CONTENT) },
        ...{ name: 'tides.csv', contentType: 'text/csv', object, expires: null },
      })
      expect(headers.get('cache-control')).toBe('no-store')
      expect(bytesOf(folder, idOf(url)).equals(CONTENT)).toBe(true)

      const asset = await world.publish({ files: [object], publisher })
      const buyer = await world.somebody()
      const txId = await world.order(asset, buyer)
      const download = async (init: RequestInit = {}) => fetch(await downloadUrl(base, asset, txId, buyer), init)
      const whole = await download()
      expect(Buffer.from(await whole.arrayBuffer()).equals(CONTENT)).toBe(true)
      const digest = `sha-256=:${createHash('sha256').update(CONTENT).digest('base64')}:`
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        ...{ 'content-type': 'text/csv', 'content-disposition': 'attachment;filename=tides.csv' },
        ...{ 'repr-digest': digest, 'content-length': String(CONTENT.length), 'accept-ranges': 'bytes' },
      })
      const etag = whole.headers.get('etag') as string
      expect(etag).not.toContain(sha256(CONTENT))
      const part = await download({ headers: { range: 'bytes=100-199', 'if-range': etag } })
      expect([part.status, part.headers.get('repr-digest')]).toEqual([206, digest])
      expect(Buffer.from(await part.arrayBuffer()).equals(CONTENT.subarray(100, 200))).toBe(true)
      expect((await download({ headers: { 'if-none-match': etag } })).status).toBe(304)
      expect((await download({ method: 'HEAD' })).headers.get('repr-digest')).toBe(digest)

      const listed = (await ask(uploads(), { headers: auth })).json as { uploads: { id: string; assets: string[] }[] }
      expect(listed.uploads.find(({ id }) => id === object.id)?.assets).toEqual([asset.did])
      expect(await codeOf(ask(url, { method: 'DELETE', headers: auth }))).toEqual([409, 'UPLOAD_IN_USE'])
      expect((await ask(`${url}?force=true`, { method: 'DELETE', headers: auth })).status).toBe(204)
      expect((await download()).status).toBe(502)
    }
  })

  it('go on where they were after a client that broke off', async () => {
    const aborted = new AbortController()
    const url = await begin(base, CONTENT.length, auth)
    const body = new ReadableStream({ start: (controller) => controller.enqueue(CONTENT.subarray(0, 1_000_000)) })
    const headers = {
      ...{ ...auth, 'tus-resumable': '1.0.0', 'upload-offset': '0' },
      'content-type': 'application/offset+octet-stream',
    }
    const init = { method: 'PATCH', headers, body, duplex: 'half', signal: aborted.signal } as RequestInit
    const broken = fetch(url, init).catch(() => 'broken')
    await eventually(() => existsSync(pathOf(folder, idOf(url))) && bytesOf(folder, idOf(url)).length === 1_000_000)
    aborted.abort()
    expect(await broken).toBe('broken')
    expect(await offset(url)).toBe(1_000_000)
    expect(await upload(base, CONTENT, auth, { uploadUrl: url })).toBe(url)
    expect((await ask(url, { headers: auth })).json.sha256).toBe(sha256(CONTENT))
  })

  it('take each part once and in order, and none that is too long', async () => {
    const url = await begin(base, 10, auth)
    const patch = (at: number, bytes: string, more: Record<string, string> = {}) =>
      tus(url, 'PATCH', { ...auth, 'upload-offset': String(at), ...more }, Buffer.from(bytes))
    expect((await patch(0, '0123')).status).toBe(204)
    expect(await codeOf(patch(0, '0123'))).toEqual([409, 'UPLOAD_CONFLICT'])
    expect(await codeOf(patch(8, '89'))).toEqual([409, 'UPLOAD_CONFLICT'])
    expect(await codeOf(patch(4, '456789X'))).toEqual([413, 'UPLOAD_TOO_LARGE'])
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(1000)) })
    const headers = {
      ...auth,
      'tus-resumable': '1.0.0',
      'upload-offset': '4',
      'content-type': 'application/offset+octet-stream',
    }
    const answer = await fetch(url, { method: 'PATCH', headers, body: endless, duplex: 'half' } as RequestInit).catch(
      () => undefined,
    )
    expect([413, undefined]).toContain(answer?.status)
    expect(await offset(url)).toBe(4)
    for (const [header, wrong] of [
      ['upload-offset', '-1'],
      ['upload-offset', '4.5'],
    ] as const)
      expect((await patch(4, '456789', { [header]: wrong })).status).toBe(400)
    expect((await patch(4, '456789')).status).toBe(204)
    expect((await patch(10, '')).status).toBe(204)
    expect(await codeOf(patch(10, 'X'))).toEqual([413, 'UPLOAD_TOO_LARGE'])
    expect((await ask(url, { headers: auth })).json.sha256).toBe(sha256(Buffer.from('0123456789')))
  })

  it('keep nothing of a part with another checksum', async () => {
    const url = await begin(base, 4, auth)
    const sum = (algorithm: string, bytes: string) =>
      `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`
    const patch = (checksum: string) =>
      tus(url, 'PATCH', { ...auth, 'upload-offset': '0', 'upload-checksum': checksum }, Buffer.from('tide'))
    expect(await codeOf(patch(sum('sha1', 'ebb!')))).toEqual([460, 'UPLOAD_CHECKSUM'])
    expect(await offset(url)).toBe(0)
    for (const wrong of ['sha1', 'sha1 AAAA', 'md4 AAAA', 'constructor AAAA', sum('sha512', 'tide')])
      expect((await patch(wrong)).json.errors, wrong).toHaveProperty('Upload-Checksum')
    expect((await patch(sum('sha256', 'tide'))).status).toBe(204)
    expect((await ask(url, { headers: auth })).json.sha256).toBe(sha256(Buffer.from('tide')))
  })

  it('let one writer have a file at a time; the newer one takes over', async () => {
    const url = await begin(base, 2_000_000, auth)
    let feed: ReadableStreamDefaultController | undefined
    const body = new ReadableStream({
      start(controller) {
        feed = controller
        controller.enqueue(CONTENT.subarray(0, 1_000_000))
      },
    })
    const headers = {
      ...auth,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    }
    const first = fetch(url, { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit).catch(() => undefined)
    await eventually(() => existsSync(pathOf(folder, idOf(url))) && bytesOf(folder, idOf(url)).length === 1_000_000)
    await upload(base, CONTENT.subarray(0, 2_000_000), auth, { uploadUrl: url })
    feed?.error(new Error('gone'))
    await first
    expect(bytesOf(folder, idOf(url)).equals(CONTENT.subarray(0, 2_000_000))).toBe(true)
    expect((await ask(url, { headers: auth })).json.sha256).toBe(sha256(CONTENT.subarray(0, 2_000_000)))
  })

  it('have limits: of a file, of all files of a publisher, of what is said about one', async () => {
    const somebody = await tokenOf(base, await world.somebody())
    const create = (size: string, more: Record<string, string> = {}) =>
      tus(uploads(), 'POST', { ...somebody, 'upload-length': size, ...more })
    expect(await codeOf(create('20000001'))).toEqual([413, 'UPLOAD_TOO_LARGE'])
    for (const wrong of ['-1', 'x', '1e3']) expect((await create(wrong)).status, wrong).toBe(400)
    const long = await create('1', { 'upload-metadata': `filename ${Buffer.alloc(4000, 'x').toString('base64')}` })
    expect(Object.keys(long.json.errors as object)).toEqual(['Upload-Metadata'])
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await create('7000000')).status))
    expect(statuses.filter((status) => status === 201)).toHaveLength(8)
    expect(statuses.filter((status) => status === 403)).toHaveLength(42)
    const refused = await create('7000000')
    expect(refused.json).toMatchObject({ code: 'UPLOAD_QUOTA', error: expect.stringContaining('56000000 of 60000000') })
    const { uploads: all } = (await ask(uploads(), { headers: somebody })).json as { uploads: { id: string }[] }
    await ask(`${uploads()}/${all[0]?.id}`, { method: 'DELETE', headers: somebody })
    expect((await create('7000000')).status).toBe(201)
  })

  it('are never served with a type that a browser would run, nor with a name that leaves its folder', async () => {
    const { hosting } = world.local.app.context
    for (const [filetype, served] of [
      ['text/html', 'application/octet-stream'],
      ['image/svg+xml', 'application/octet-stream'],
      ['application/xhtml+xml', 'application/octet-stream'],
      ['text/javascript', 'application/octet-stream'],
      ['text/csv\r\nx: y', 'application/octet-stream'],
      ['image/PNG; a=b', 'image/png'],
    ] as const) {
      const url = await upload(base, Buffer.from('<script>'), auth, {
        metadata: { filename: '../../x.html', filetype },
      })
      expect((await hosting?.find(idOf(url)))?.contentType, filetype).toBe(served)
    }
    expect(readdirSync(folder).every((name) => /^[\w-]{2}$/.test(name))).toBe(true)
  })

  it('of no bytes are complete at once', async () => {
    const url = await upload(base, Buffer.alloc(0), auth)
    expect((await ask(url, { headers: auth })).json).toMatchObject({
      size: 0,
      offset: 0,
      sha256: sha256(Buffer.alloc(0)),
    })
  })

  it('are described by OPTIONS, and may be made by pages of other origins', async () => {
    const options = await ask(uploads(), { method: 'OPTIONS' })
    expect(options.headers.get('tus-extension')).toContain('checksum')
    expect(options.headers.get('tus-max-size')).toBe('20000000')
    const preflight = await ask(uploads(), {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'tus-resumable,authtoken',
      },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('tus-resumable,authtoken')
    const { headers } = await tus(uploads(), 'POST', { ...auth, origin: 'https://a.example', 'upload-length': '1' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('Upload-Offset')
  })
})

it('are refused if hosting is off, and to accounts that the operator has not named', async () => {
  const off = await World.start({ HOSTING: 'off' })
  const base = off.network.providerUrl
  const auth = await tokenOf(base, await off.somebody())
  expect((await ask(base)).json.serviceEndpoints).not.toHaveProperty('uploads')
  const { status, json } = await tus(`${base}/api/services/uploads`, 'POST', { ...auth, 'upload-length': '1' })
  expect([status, json.code]).toEqual([404, 'HOSTING_OFF'])
  const described = await askJson(`${base}/api/services/fileinfo`, { type: 'hosted', id: 'A'.repeat(43) })
  expect(described.json.errors).toHaveProperty('type')
  await off.close()

  const named = await World.start({ HOSTING_PUBLISHERS: '0x1111111111111111111111111111111111111111' })
  const url = named.network.providerUrl
  const headers = { ...(await tokenOf(url, await named.somebody())), 'upload-length': '1' }
  const refused = await tus(`${url}/api/services/uploads`, 'POST', headers)
  expect([refused.status, refused.json.code]).toEqual([403, 'NOT_A_PUBLISHER'])
  await named.close()
})
