import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { ask } from '../../../../test/helpers/requests.js'
import { type S3Bucket, startBucket } from '../../../../test/helpers/s3-bucket.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

/** More than one part on S3. */
const CONTENT = randomBytes(9_500_000)
const [MAX_FILE, QUOTA] = [10_000_000, 24_000_000]
const STEP = 1_048_576
type Listed = { uploads: { id: string }[] }
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The tus extension creation-defer-length, on both backends. */
describe.each(['local', 's3'])('an upload without a length: %s', (backend) => {
  let world: World
  let server: S3Bucket | undefined
  let service: Awaited<ReturnType<typeof startHere>>
  let auth: Record<string, string>
  beforeAll(async () => {
    world = await World.start()
    server = backend === 's3' ? await startBucket() : undefined
    const folder = newFolder()
    const limits = { HOSTING_MAX_FILE: String(MAX_FILE), HOSTING_QUOTA: String(QUOTA), HOSTING_PUBLISHERS: '*' }
    const place = server?.settings ?? { HOSTING: 'local', HOSTING_DIR: `${folder}/files` }
    service = await startHere(world.beside({ STATE_DIR: `${folder}/state`, ...limits, ...place }))
    auth = await tokenOf(service.url, await world.somebody())
  })
  afterAll(async () => {
    await service.end()
    await server?.close()
    await world.close()
  })

  const create = (headers: Record<string, string> = {}, by = auth) =>
    tus(`${service.url}/api/services/uploads`, 'POST', { ...by, 'upload-defer-length': '1', ...headers })
  const begin = async (headers = {}, by = auth) => service.url + (await create(headers, by)).headers.get('location')
  const patch = (url: string, at: number, bytes: Uint8Array, more: Record<string, string> = {}) =>
    tus(url, 'PATCH', { ...auth, 'upload-offset': String(at), ...more }, bytes)
  const head = async (url: string) => {
    const { headers } = await tus(url, 'HEAD', auth)
    return ['upload-offset', 'upload-length', 'upload-defer-length'].map((name) => headers.get(name))
  }
  const shown = async (url: string) => (await ask(url, { headers: auth })).json
  const remove = (url: string) => ask(url, { method: 'DELETE', headers: { ...auth, 'tus-resumable': '1.0.0' } })

  it('takes bytes, then its length with the last ones, and has their SHA-256', async () => {
    const url = await begin()
    expect(await head(url)).toEqual(['0', null, '1'])
    expect((await patch(url, 0, CONTENT.subarray(0, 9_000_000))).headers.get('upload-offset')).toBe('9000000')
    expect(await head(url)).toEqual(['9000000', null, '1'])
    expect(await shown(url)).toMatchObject({ size: null, offset: 9_000_000, sha256: null, object: null })
    const last = () => patch(url, 9_000_000, CONTENT.subarray(9_000_000), { 'upload-length': String(CONTENT.length) })
    expect((await last()).status).toBe(204)
    expect(await head(url)).toEqual([String(CONTENT.length), String(CONTENT.length), null])
    expect(await shown(url)).toMatchObject({ size: CONTENT.length, sha256: sha256(CONTENT) })
    await remove(url)
  })

  it('takes its length before, between and after its bytes, also if it is empty or declared twice', async () => {
    const cases: [number, number][] = [
      ...([
        [0, 1000],
        [400, 1000],
        [1000, 1000],
        [0, 0],
      ] as [number, number][]),
    ]
    for (const [at, size] of cases) {
      const url = await begin()
      if (at > 0) await patch(url, 0, CONTENT.subarray(0, at))
      const length = { 'upload-length': String(size) }
      expect((await patch(url, at, Buffer.alloc(0), length)).status, `${at} of ${size}`).toBe(204)
      if (at < size) expect(await head(url)).toEqual([String(at), String(size), null])
      // a client that lost the response sends the length again
      expect((await patch(url, at, CONTENT.subarray(at, size), length)).status, `${at} of ${size}`).toBe(204)
      expect(await shown(url)).toMatchObject({ size, offset: size, sha256: sha256(CONTENT.subarray(0, size)) })
      await remove(url)
    }
  })

  it('refuses a length that is too small, too large, wrong or another one', async () => {
    const url = await begin()
    await patch(url, 0, CONTENT.subarray(0, 100))
    const declare = async (length: string) =>
      (await patch(url, 100, Buffer.alloc(0), { 'upload-length': length })).status
    for (const wrong of ['99', '-1', '1e3', '0x99', '', '9007199254740993', '99999999999999999999'])
      expect(await declare(wrong), wrong).toBe(400)
    for (const large of [String(MAX_FILE + 1), '9007199254740991']) expect(await declare(large), large).toBe(413)
    expect(await head(url)).toEqual(['100', null, '1'])
    expect([await declare('200'), await declare('201')]).toEqual([204, 400])
    expect((await patch(url, 100, CONTENT.subarray(0, 101))).status).toBe(413)
    expect(await head(url)).toEqual(['100', '200', null])
    await remove(url)
  })

  it('keeps to the largest file and to the quota as bytes arrive, and counts what it has', async () => {
    const [first, second, third] = [await begin(), await begin(), await begin()]
    // without a content length, and with one
    const body = Readable.toWeb(Readable.from([CONTENT, Buffer.alloc(MAX_FILE)]))
    const endless = await tus(first, 'PATCH', { ...auth, 'upload-offset': '0' }, body as never).catch(() => undefined)
    if (endless) expect(endless.status).toBe(413)
    expect((await patch(second, 0, CONTENT)).status).toBe(204)
    const tooLong = await patch(second, CONTENT.length, CONTENT).catch(() => undefined)
    if (tooLong) expect(tooLong.status).toBe(413)
    const refused = await patch(third, 0, CONTENT)
    expect([refused.status, refused.json.code]).toEqual([403, 'UPLOAD_QUOTA'])
    // the first bytes that fit are kept, and the client goes on if there is room
    const [at] = await head(third)
    expect(Number(at)).toBeGreaterThan(0)
    await remove(first)
    const rest = CONTENT.subarray(Number(at))
    expect((await patch(third, Number(at), rest, { 'upload-length': String(CONTENT.length) })).status).toBe(204)
    expect(await shown(third)).toMatchObject({ sha256: sha256(CONTENT) })
    for (const url of [second, third]) await remove(url)
  })

  it('counts a declared length in the quota, and gives back what it did not need', async () => {
    const whole = String(QUOTA - STEP)
    const [some, other] = [await begin(), await begin()]
    await patch(some, 0, CONTENT.subarray(0, 100))
    expect((await patch(some, 100, Buffer.alloc(0), { 'upload-length': '100' })).status).toBe(204)
    for (let left = Number(whole); left > 0; left -= MAX_FILE) {
      const length = String(Math.min(left, MAX_FILE))
      expect(
        (await tus(`${service.url}/api/services/uploads`, 'POST', { ...auth, 'upload-length': length })).status,
      ).toBe(201)
    }
    const declare = (length: number) => patch(other, 0, Buffer.alloc(0), { 'upload-length': String(length) })
    const refused = await declare(STEP - 99)
    expect([refused.status, refused.json.code]).toEqual([403, 'UPLOAD_QUOTA'])
    expect(await head(other)).toEqual(['0', null, '1'])
    expect((await declare(STEP - 100)).status).toBe(204)
    const { uploads } = (await ask(`${service.url}/api/services/uploads`, { headers: auth })).json as Listed
    for (const { id } of uploads) await remove(`${service.url}/api/services/uploads/${id}`)
  })

  it('is begun once with an Idempotency-Key, keeps checksums, and is nobody else’s', async () => {
    const key = { 'idempotency-key': randomBytes(16).toString('hex') }
    const url = await begin(key)
    expect(await begin(key)).toBe(url)
    const sum = `sha256 ${createHash('sha256').update(CONTENT.subarray(0, 5000)).digest('base64')}`
    const checked = (bytes: Buffer) => patch(url, 0, bytes, { 'upload-checksum': sum })
    expect((await checked(CONTENT.subarray(1, 5001))).status).toBe(460)
    expect(await head(url)).toEqual(['0', null, '1'])
    expect((await checked(CONTENT.subarray(0, 5000))).status).toBe(204)
    const stranger = await tokenOf(service.url, await world.somebody())
    expect((await tus(url, 'PATCH', { ...stranger, 'upload-offset': '5000', 'upload-length': '5000' })).status).toBe(
      404,
    )
    await remove(url)
    expect((await tus(url, 'HEAD', auth)).status).toBe(404)
  })

  it('serves tus-js-client, which reads a stream and learns its length at the end', async () => {
    const options = { uploadLengthDeferred: true, chunkSize: 4_000_000 }
    const url = await upload(service.url, Readable.from(split(CONTENT)) as never, auth, options)
    expect(await shown(url)).toMatchObject({ size: CONTENT.length, sha256: sha256(CONTENT) })
  })
})

function* split(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}
