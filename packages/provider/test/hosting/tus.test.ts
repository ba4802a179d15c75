import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../../../../test/helpers/requests.js'
import { begin, idOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const TUS = { 'tus-resumable': '1.0.0' }
const BYTES = { 'content-type': 'application/offset+octet-stream' }
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64')

/** What RFC 2119 says a server of tus 1.0.0 must do. */
describe('a server of tus 1.0', () => {
  let world: World
  let base: string
  let auth: Record<string, string>
  beforeAll(async () => {
    world = await World.start({ HOSTING_MAX_FILE: '1000000' })
    base = world.network.providerUrl
    auth = await tokenOf(base, await world.somebody())
  })

  const uploads = () => `${base}/api/services/uploads`
  const create = (headers: Record<string, string>, body?: Buffer) =>
    tus(uploads(), 'POST', { ...auth, 'upload-length': '4', ...headers }, body)
  const head = (url: string) => tus(url, 'HEAD', auth)
  const offset = async (url: string) => Number((await head(url)).headers.get('upload-offset'))
  const patch = (url: string, at: number, bytes: string, more: Record<string, string> = {}) =>
    tus(url, 'PATCH', { ...auth, 'upload-offset': String(at), ...more }, Buffer.from(bytes))

  it('tells its abilities by OPTIONS, whatever version is asked for', async () => {
    const url = await begin(base, 4, auth)
    for (const to of [uploads(), url])
      for (const headers of [{}, { 'tus-resumable': '0.2.2' }] as Record<string, string>[]) {
        const { status, headers: told } = await ask(to, { method: 'OPTIONS', headers })
        expect([200, 204]).toContain(status)
        expect(Object.fromEntries(told)).toMatchObject({
          ...{ 'tus-version': '1.0.0', 'tus-max-size': '1000000', 'tus-checksum-algorithm': 'sha1,sha256' },
          'tus-extension':
            'creation,creation-with-upload,creation-defer-length,concatenation,expiration,termination,checksum',
        })
      }
  })

  it('does nothing for another version, and names its own', async () => {
    const url = await begin(base, 4, auth)
    for (const version of ['0.2.2', '1.0.1', '2.0.0', '1.0.0, 1.0.0', ''])
      for (const [to, method] of [
        [uploads(), 'POST'],
        [url, 'HEAD'],
        [url, 'PATCH'],
        [url, 'DELETE'],
      ] as const) {
        const headers = { ...auth, ...BYTES, 'tus-resumable': version, 'upload-offset': '0', 'upload-length': '4' }
        const answer = await ask(to, { method, headers })
        if (method !== 'HEAD') expect(answer.json.code, `${method} ${version}`).toBe('UPLOAD_VERSION')
        expect([answer.status, answer.headers.get('tus-version'), answer.headers.get('tus-resumable')]).toEqual([
          ...[412, '1.0.0', '1.0.0'],
        ])
      }
    expect(await offset(url)).toBe(0)
    for (const method of ['HEAD', 'PATCH']) expect((await ask(url, { method, headers: auth })).status).toBe(412)
  })

  it('has its version in every answer, and none is kept by a cache', async () => {
    const url = await begin(base, 4, auth)
    const answers = {
      created: create({}),
      listed: ask(uploads(), { headers: auth }),
      told: head(url),
      taken: patch(url, 0, 'ti'),
      misplaced: patch(url, 9, 'x'),
      stranger: tus(url, 'HEAD', {}),
      'too large': create({ 'upload-length': '1000001' }),
      unknown: patch(`${uploads()}/x`, 0, 'x'),
      'no method': ask(url, { method: 'PUT' }),
      deferred: tus(uploads(), 'POST', { ...auth, 'upload-defer-length': '1' }),
      deleted: ask(await begin(base, 4, auth), { method: 'DELETE', headers: { ...auth, ...TUS } }),
    }
    const statuses: Record<string, number> = {}
    for (const [what, answer] of Object.entries(answers)) {
      const { status, headers } = await answer
      statuses[what] = status
      expect([headers.get('tus-resumable'), headers.get('cache-control')], what).toEqual(['1.0.0', 'no-store'])
    }
    expect(statuses).toEqual({
      ...{ created: 201, listed: 200, told: 200, taken: 204, misplaced: 409, stranger: 400, 'too large': 413 },
      ...{ unknown: 404, 'no method': 405, deferred: 201, deleted: 204 },
    })
    expect((await ask(base)).headers.get('tus-resumable')).toBe(null)
  })

  it('takes the method from X-HTTP-Method-Override, and ignores the actual one', async () => {
    for (const actual of ['POST', 'GET', 'DELETE', 'PUT', 'PATCH']) {
      const url = await begin(base, 4, auth)
      const send = (method: string, headers: Record<string, string> = {}, body?: string) =>
        sent(url, actual, { ...auth, ...TUS, ...headers, 'x-http-method-override': method }, body)
      const part = await send('PATCH', { ...BYTES, 'upload-offset': '0' }, 'tide')
      expect([part.statusCode, part.headers['upload-offset']], actual).toEqual([204, '4'])
      const told = await send('head')
      expect([told.statusCode, told.headers['upload-offset']], actual).toEqual([200, '4'])
      expect((await send('OPTIONS')).headers['tus-version']).toBe('1.0.0')
      for (const wrong of ['PUT', 'TRACE', 'x', 'PATCH, PATCH', ''])
        expect((await send(wrong)).statusCode, wrong).toBe(405)
      expect((await send('DELETE')).statusCode, actual).toBe(204)
      expect((await head(url)).status).toBe(404)
    }
    const created = await sent(uploads(), 'PUT', {
      ...auth,
      ...TUS,
      'upload-length': '4',
      'x-http-method-override': 'POST',
    })
    expect(created.statusCode).toBe(201)
    // elsewhere it means nothing
    const elsewhere = await sent(`${base}/health/live`, 'GET', { 'x-http-method-override': 'DELETE' })
    expect(elsewhere.statusCode).toBe((await ask(`${base}/health/live`)).status)
  })

  it.each([
    ['as the protocol has it', `filename ${base64('a b.csv')},secret`],
    ['spaces around commas', `filename ${base64('a b.csv')} , secret`, `filename ${base64('a b.csv')},secret`],
    [
      'tabs, and a comma at the end',
      `filename\t ${base64('a b.csv')},\tsecret ,`,
      `filename ${base64('a b.csv')},secret`,
    ],
    ['an empty value', 'filename ,secret', 'filename,secret'],
    ['bytes that are no text', `digest ${base64(Buffer.from([255, 0, 254]))}`],
    ['no padding', 'filename YQ,filetype dGV4dC9jc3Y'],
    ['names of every object', `constructor ${base64('x')},toString ${base64('y')}`],
    ['numbers in their order', `2 ${base64('x')},1 ${base64('y')}`],
  ])('tells metadata as they were sent: %s', async (_case, metadata, told = metadata) => {
    const { status, headers } = await create({ 'upload-metadata': metadata })
    expect(status).toBe(201)
    const url = base + headers.get('location')
    expect((await head(url)).headers.get('upload-metadata')).toBe(told)
    const name = metadata.includes(base64('a b.csv')) ? 'a b.csv' : metadata.includes('YQ') ? 'a' : null
    expect((await ask(url, { headers: auth })).json).toMatchObject({ name })
  })

  it('takes empty metadata as none', async () => {
    const { status, headers } = await create({ 'upload-metadata': '' })
    expect(status).toBe(201)
    expect((await head(base + headers.get('location'))).headers.get('upload-metadata')).toBe(null)
  })

  it('refuses metadata that break the protocol, and has none if none were sent', async () => {
    for (const wrong of ['a b c', 'a ?', 'a YQ==,a YQ==', `naïve ${base64('x')}`, 'a YQ==;b YQ=='])
      expect((await create({ 'upload-metadata': wrong })).json.errors, wrong).toHaveProperty('Upload-Metadata')
    const { headers } = await create({})
    expect((await head(base + headers.get('location'))).headers.get('upload-metadata')).toBe(null)
  })

  it('takes parts of its media type alone, at the offset alone, and says where they end', async () => {
    const url = await begin(base, 4, auth)
    for (const type of ['text/plain', 'application/octet-stream', 'application/json', ''])
      expect((await patch(url, 0, 'tide', { 'content-type': type })).status, type).toBe(415)
    for (const at of [1, 4, 5]) expect((await patch(url, at, 'tide')).status).toBe(409)
    for (const at of ['', '-1', '0x0', '1e0'])
      expect((await patch(url, 0, '', { 'upload-offset': at })).status, at).toBe(400)
    expect(await offset(url)).toBe(0)
    const empty = await patch(url, 0, '')
    expect([empty.status, empty.headers.get('upload-offset'), empty.headers.get('upload-expires')]).toEqual([
      ...[204, '0', expect.stringMatching(/ GMT$/)],
    ])
    const part = await patch(url, 0, 'ti', { 'content-type': 'Application/Offset+Octet-Stream; charset=utf-8' })
    expect([part.status, part.headers.get('upload-offset')]).toEqual([204, '2'])
    expect((await patch(url, 2, 'de!')).status).toBe(413)
    expect((await patch(url, 2, 'de')).headers.get('upload-offset')).toBe('4')
    const { headers } = await head(url)
    expect([headers.get('upload-offset'), headers.get('upload-length'), headers.get('upload-defer-length')]).toEqual([
      ...['4', '4', null],
    ])
  })

  it('creates with a place and an end, and with bytes as many as there are', async () => {
    const { status, headers } = await create({ ...BYTES }, Buffer.from('tid'))
    expect([status, headers.get('upload-offset'), headers.get('upload-expires')]).toEqual([
      ...[201, '3', expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)],
    ])
    expect(idOf(headers.get('location') as string)).toMatch(/^[\w-]{43}$/)
    for (const wrong of ['-1', '1.5', 'x', '9007199254740993'])
      expect((await create({ 'upload-length': wrong })).status, wrong).toBe(400)
    for (const deferred of ['0', '2', 'x']) {
      const answer = await tus(uploads(), 'POST', { ...auth, 'upload-defer-length': deferred })
      expect(answer.status, deferred).toBe(400)
    }
    expect((await create({ 'upload-defer-length': '1' })).status).toBe(400)
  })

  it('completes at the next request a file whose last request ended after it declared the length', async () => {
    const { hosted } = world.local.app.context.store
    for (const content of ['tide', '']) {
      const { headers } = await tus(uploads(), 'POST', { ...auth, 'upload-defer-length': '1' })
      const url = base + headers.get('location')
      expect((await patch(url, 0, content)).status).toBe(204)
      await hosted.lock(idOf(url), 'x', 0, 1)
      await hosted.resize(idOf(url), 'x', { size: content.length, isDeferred: false }, 1_000_000)
      expect((await ask(url, { headers: auth })).json).toMatchObject({ offset: content.length, sha256: null })
      expect(await offset(url)).toBe(content.length)
      const sha256 = createHash('sha256').update(content).digest('hex')
      expect((await ask(url, { headers: auth })).json).toMatchObject({ sha256, object: { id: idOf(url) } })
    }
  })

  it('verifies checksums by sha1, and keeps nothing of a part without its own', async () => {
    const url = await begin(base, 4, auth)
    const sum = (algorithm: string) => `${algorithm} ${createHash(algorithm).update('tide').digest('base64')}`
    expect((await patch(url, 0, 'ebb!', { 'upload-checksum': sum('sha1') })).status).toBe(460)
    for (const unknown of [sum('md5'), sum('sha512'), 'crc32 AAAAAA==', 'sha1', ''])
      expect((await patch(url, 0, 'tide', { 'upload-checksum': unknown })).status, unknown).toBe(400)
    expect(await offset(url)).toBe(0)
    expect((await patch(url, 0, 'tide', { 'upload-checksum': sum('sha1') })).status).toBe(204)
  })

  it('reads no header that is for others', async () => {
    const others = { 'x-forwarded-proto': 'https, http', 'tus-version': '1.0.0,0.2.2', forwarded: 'proto=x' }
    const { status, headers } = await create(others)
    expect(status).toBe(201)
    expect((await patch(base + headers.get('location'), 0, 'tide', others)).status).toBe(204)
  })

  it('serves tus-js-client where PATCH and DELETE do not pass, with bytes at the creation, and with names in any script', async () => {
    const content = Buffer.alloc(300_000, 'tide ')
    const metadata = { filename: '潮 высота.csv', filetype: 'text/csv', empty: '' }
    for (const options of [{ overridePatchMethod: true, chunkSize: 70_000 }, { uploadDataDuringCreation: true }]) {
      const url = await upload(base, content, auth, { ...options, metadata })
      expect((await ask(url, { headers: auth })).json).toMatchObject({
        ...{ offset: content.length, name: metadata.filename },
        sha256: createHash('sha256').update(content).digest('hex'),
      })
    }
  })
})

/** Sends a request as it is: fetch refuses some methods, and bodies of others. */
function sent(url: string, method: string, headers: Record<string, string>, body = '') {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sending = request(url, { method, headers: { ...headers, 'content-length': String(body.length) } })
    sending.on('response', (response) => {
      response.resume().on('end', () => resolve(response))
    })
    sending.on('error', reject)
    sending.end(body)
  })
}
